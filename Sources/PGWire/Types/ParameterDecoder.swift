import SQLTypes
import Warehouse

/// Turns the values of Bind into typed values. Strings and decimals take the shape of their value, so that comparing
/// with a longer text or a finer number is no error; columns check on assignment.
struct ParameterDecoder {
    let context: DatetimeContext

    func decode(_ bytes: [UInt8]?, type: SQLType, isBinary: Bool) throws -> StatementParameter {
        guard let bytes else { return StatementParameter(type: type, value: .null) }
        switch type {
        case .char, .varchar, .unknown: return try string(bytes)
        case .varbyte: return try binaryString(bytes, type, isBinary: isBinary)
        // A text, as a literal in its place would be.
        case .semistructured: return try string(bytes)
        case .hllsketch:
            return StatementParameter(type: type, value: try Datum.parse(bytes, as: type, context: context))
        case .decimal:
            let (value, scale) = isBinary ? try NumericBinary.parse(bytes) : try decimal(bytes)
            return StatementParameter(
                type: .decimal(precision: ParameterDecoder.precision(value, scale), scale: scale),
                value: .integer(value))
        default:
            let value =
                isBinary
                ? try binary(bytes, type) : try Datum.parse(bytes, as: type, context: context)
            return StatementParameter(type: type, value: value)
        }
    }

    private func string(_ bytes: [UInt8]) throws -> StatementParameter {
        try bytes.withUnsafeBufferPointer { buffer in
            if let base = buffer.baseAddress { try UTF8Text.validate(base, buffer.count) }
        }
        guard bytes.count <= SQLType.maximumVarcharLength else {
            throw SQLError(
                .stringTooLong, "value too long for type character varying(\(SQLType.maximumVarcharLength))")
        }
        return StatementParameter(type: .varchar(max(bytes.count, 1)), value: .string(bytes))
    }

    /// As text: hexadecimal digits, behind `\x` where the client declared `bytea`.
    private func binaryString(_ bytes: [UInt8], _ type: SQLType, isBinary: Bool) throws -> StatementParameter {
        let digits = bytes.starts(with: Array("\\x".utf8)) ? Array(bytes.dropFirst(2)) : bytes
        let value = isBinary ? bytes : try HexadecimalText.bytes(digits, type: type)
        guard value.count <= SQLType.maximumVarbyteLength else {
            throw StringLength.tooLong(.varbyte(SQLType.maximumVarbyteLength))
        }
        return StatementParameter(type: .varbyte(max(value.count, 1)), value: .string(value))
    }

    private func decimal(_ bytes: [UInt8]) throws -> (Int128, Int) {
        var scale = 0
        if let point = bytes.firstIndex(of: UInt8(ascii: ".")) {
            scale = bytes[(point + 1)...].prefix { $0 >= 0x30 && $0 <= 0x39 }.count
        }
        if bytes.contains(UInt8(ascii: "e")) || bytes.contains(UInt8(ascii: "E")) { scale = 18 }
        scale = min(scale, SQLType.maximumPrecision)
        let type = SQLType.decimal(precision: SQLType.maximumPrecision, scale: scale)
        guard case .integer(let value) = try Datum.parse(bytes, as: type, context: context) else { return (0, 0) }
        return (value, scale)
    }

    private static func precision(_ value: Int128, _ scale: Int) -> Int {
        var digits = 1
        while digits < SQLType.maximumPrecision, let limit = PowersOfTen.power(digits),
            value.magnitude >= limit.magnitude
        {
            digits += 1
        }
        return max(digits, scale, 1)
    }

    private func binary(_ bytes: [UInt8], _ type: SQLType) throws -> Datum {
        var reader = MessageReader(bytes)
        do {
            let value = try fixed(&reader, type)
            try reader.expectEnd()
            return value
        } catch let error as SQLError where error.state == "08P01" {
            throw SQLError("22P03", "incorrect binary data format for type \(type)")
        }
    }

    private func fixed(_ reader: inout MessageReader, _ type: SQLType) throws -> Datum {
        switch type.descriptor.binary {
        case .boolean: return .boolean(try reader.byte() != 0)
        case .int16, .int32, .int64: return try integer(&reader, type)
        case .float32: return .double(Double(Float(bitPattern: UInt32(bitPattern: try reader.int32()))))
        case .float64: return .double(Double(bitPattern: UInt64(bitPattern: try reader.int64())))
        case .date: return .integer(Int128(try Calendar.checkedDate(Int64(try reader.int32()) + WireEpoch.days)))
        case .time: return .integer(Int128(try timeOfDay(&reader)))
        case .timestamp:
            let (sum, overflow) = (try reader.int64()).addingReportingOverflow(WireEpoch.microseconds)
            if overflow { throw SQLError(.datetimeOverflow, "timestamp out of range") }
            return .integer(Int128(try Calendar.checkedTimestamp(sum)))
        case .timeWithZone:
            let local = try timeOfDay(&reader)
            let west = Int64(try reader.int32())
            guard west.magnitude < 16 * 3600 else { throw SQLError(.datetimeOverflow, "time zone out of range") }
            return .integer(Int128(TimeWithZone(local: local, offsetMinutes: -west / 60).packed))
        case .interval: return try interval(&reader)
        case .numeric, .text, .paddedText, .bytes, .document, .sketch:
            throw SQLError(.internalError, "parameters of type \(type) have no fixed form")
        }
    }

    private func interval(_ reader: inout MessageReader) throws -> Datum {
        let microseconds = try reader.int64()
        let days = Int64(try reader.int32())
        let months = Int64(try reader.int32())
        let (span, tooLong) = days.multipliedReportingOverflow(by: Calendar.microsecondsPerDay)
        let (sum, overflow) = microseconds.addingReportingOverflow(span)
        if tooLong || overflow { throw SQLError(.datetimeOverflow, "interval out of range") }
        return .interval(Interval(months: months, microseconds: sum))
    }

    /// Clients that were not told the type send integers of their own width.
    private func integer(_ reader: inout MessageReader, _ type: SQLType) throws -> Datum {
        let value: Int64
        switch reader.remaining {
        case 2: value = Int64(try reader.int16())
        case 4: value = Int64(try reader.int32())
        default: value = try reader.int64()
        }
        guard IntegerText.range(of: type).contains(value) else {
            throw SQLError(.numericOutOfRange, "\(type) out of range")
        }
        return .integer(Int128(value))
    }

    private func timeOfDay(_ reader: inout MessageReader) throws -> Int64 {
        let value = try reader.int64()
        guard value >= 0, value <= Calendar.microsecondsPerDay else {
            throw SQLError(.datetimeOverflow, "time out of range")
        }
        return value
    }
}

/// The protocol counts from 2000-01-01.
enum WireEpoch {
    static let days: Int64 = 10_957
    static let microseconds: Int64 = 946_684_800_000_000
}
