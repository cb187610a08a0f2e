import ColumnVectors
import Glibc
import SQLTypes

/// A value that cannot be loaded. Its place counts the values (not NULLs) of one call.
struct ParquetBadValue {
    var index: Int
    var failure: FieldFailure
    var text: String
}

/// Converts runs of values of one column to the table's form: a typed loop first, and value by value where that met one
/// that needs a closer look. Confined to its worker.
final class ParquetColumnConverter {
    let conversion: ParquetConversion
    /// Values of the last call that failed; they have some value.
    private(set) var failures: [ParquetBadValue] = []
    private let scratch: ParquetScratch
    private var plan: ColumnPlan { conversion.plan }

    init(_ conversion: ParquetConversion, _ scratch: ParquetScratch) {
        self.conversion = conversion
        self.scratch = scratch
    }

    /// Truth values and strings have the file's form already: they may be decoded where they are to be.
    var decodesInPlace: Bool { conversion.kind == .truth || conversion.kind == .text }

    /// - Parameters:
    ///   - source: values as ``ParquetValueDecoder`` gives them; may be the target where it decodes in place.
    ///   - strings: where texts go that the file does not have.
    func convert(
        _ source: UnsafeRawPointer, _ count: Int, _ facts: StringFacts, _ target: UnsafeMutableRawPointer,
        _ strings: StringArena
    ) throws {
        failures.removeAll(keepingCapacity: true)
        let views = source.assumingMemoryBound(to: StringView.self)
        switch conversion.kind {
        case .truth: break
        case .integers(let form): convertIntegers(source, form, count, target)
        case .decimalBytes: convertDecimals(views, count, target)
        case .integersToFloat(let form, let scale):
            storeFloats(count, target) { Datum.decimalToDouble(loadInteger(source, form, $0), scale: scale) }
        case .decimalBytesToFloat(let scale):
            storeFloats(count, target) { index in
                bigEndianInteger(views[index].bytes).map { Datum.decimalToDouble($0, scale: scale) }
            }
        case .float32:
            let out = target.assumingMemoryBound(to: Double.self)
            for index in 0..<count {
                out[index] = Double(source.loadUnaligned(fromByteOffset: 4 &* index, as: Float.self))
            }
        case .float64: convertDoubles(source, count, target)
        case .float16: storeFloats(count, target) { halfFloat(views[$0].bytes) }
        case .timestamp96:
            storeEach(count, target) { index in
                self.timestamp96(views[index].bytes)
            }
        case .text: convertText(count, facts, target.assumingMemoryBound(to: StringView.self))
        case .uuid:
            let out = target.assumingMemoryBound(to: StringView.self)
            for index in 0..<count { out[index] = try uuidText(views[index].bytes, strings) }
            convertText(count, StringFacts(longest: 36, isPlain: true), out)
        case .nothing: if count > 0 { throw ParquetDamage("a column of NULLs has values") }
        }
    }

    // MARK: Integers

    private func convertIntegers(
        _ source: UnsafeRawPointer, _ form: IntegerSource, _ count: Int, _ target: UnsafeMutableRawPointer
    ) {
        if !conversion.isLocalToMoment && !runLoop(source, form, count, target) { return }
        storeEach(count, target) { self.integer(loadInteger(source, form, $0)) }
    }

    /// True when values have to be looked at one by one.
    private func runLoop(
        _ source: UnsafeRawPointer, _ form: IntegerSource, _ count: Int, _ target: UnsafeMutableRawPointer
    ) -> Bool {
        let scaling = conversion.scaling
        let bounds = conversion.bounds
        // The same form, and nothing to check.
        if form == .int64 && plan.type == .bigint {
            memcpy(target, source, 8 * count)
            return false
        }
        if form == .int32 && plan.type == .integer {
            memcpy(target, source, 4 * count)
            return false
        }
        switch plan.type.physical {
        case .int32:
            return BulkTransfer.convertIntegers(
                source, form, count, scaling, bounds, target.assumingMemoryBound(to: Int32.self))
        case .int64:
            return BulkTransfer.convertIntegers(
                source, form, count, scaling, bounds, target.assumingMemoryBound(to: Int64.self))
        case .int128:
            return BulkTransfer.convertIntegers(
                source, form, count, scaling, bounds, target.assumingMemoryBound(to: Int128.self))
        case .uint8, .uint16, .float64, .string: return true
        }
    }

    private func convertDecimals(
        _ views: UnsafePointer<StringView>, _ count: Int, _ target: UnsafeMutableRawPointer
    ) {
        let values = scratch.middle.assumingMemoryBound(to: Int64.self)
        if loadShortDecimals(views, count, values) && !runLoop(UnsafeRawPointer(values), .int64, count, target) {
            return
        }
        storeEach(count, target) { index in
            guard let value = bigEndianInteger(views[index].bytes) else {
                return .failure(FieldFailure(code: 1209, reason: "Overflow"))
            }
            return self.integer(value)
        }
    }

    /// The value in the table's unit.
    private func integer(_ raw: Int128) -> FieldValue {
        guard var value = conversion.scaling.apply(raw) else { return overflow(raw) }
        if case .decimal(let precision, _, _) = plan.kind {
            return DecimalArithmetic.fits(value, precision: precision) ? .integer(value) : overflow(raw)
        }
        guard let narrow = Int64(exactly: value), conversion.bounds.contains(narrow) else { return overflow(raw) }
        if conversion.isLocalToMoment {
            value = Int128(conversion.context.zone.utc(fromLocal: narrow))
            if !conversion.bounds.contains(Int64(clamping: value)) { return overflow(raw) }
        }
        return .integer(value)
    }

    private func overflow(_ value: Int128) -> FieldValue {
        let code: Int
        switch plan.kind {
        case .integer: code = 1222
        case .date: code = 1205
        case .timestamp, .time: code = 1206
        default: code = 1209
        }
        return .failure(
            FieldFailure(code: code, reason: "Overflow for \(plan.reasonLabel.lowercased()), Value '\(value)'"))
    }

    /// Nanoseconds of the day and a Julian day number.
    private func timestamp96(_ bytes: UnsafeBufferPointer<UInt8>) -> FieldValue {
        guard bytes.count == 12, let base = bytes.baseAddress else { return overflow(0) }
        let raw = UnsafeRawPointer(base)
        let nanoseconds = Int64(littleEndian: raw.loadUnaligned(as: Int64.self))
        let day = UInt32(littleEndian: raw.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        // Any 32 bits of days leave 64 bits of microseconds.
        let days = Int128(day) - Int128(Calendar.julianEpoch)
        let value = days * Int128(Calendar.microsecondsPerDay) + Int128(Calendar.floorDivide(nanoseconds, 1000))
        guard let narrow = Int64(exactly: value), conversion.bounds.contains(narrow) else { return overflow(value) }
        return .integer(value)
    }

    // MARK: Floating point

    private func convertDoubles(_ source: UnsafeRawPointer, _ count: Int, _ target: UnsafeMutableRawPointer) {
        if plan.type == .double {
            memcpy(target, source, 8 * count)
            return
        }
        storeFloats(count, target) { source.loadUnaligned(fromByteOffset: 8 * $0, as: Double.self) }
    }

    private func storeFloats(_ count: Int, _ target: UnsafeMutableRawPointer, _ value: (Int) -> Double?) {
        storeEach(count, target) { index in
            guard let value = value(index) else {
                return .failure(FieldFailure(code: 1208, reason: "Overflow for double"))
            }
            guard self.plan.type == .real else { return .double(value) }
            let narrow = Double(Float(value))
            if narrow.isInfinite && !value.isInfinite {
                return .failure(FieldFailure(code: 1208, reason: "Overflow for float"))
            }
            return .double(narrow)
        }
    }

    // MARK: Strings

    private func convertText(_ count: Int, _ facts: StringFacts, _ views: UnsafeMutablePointer<StringView>) {
        let limit: Int
        var isChar = false
        switch plan.kind {
        case .bytes(let length): return refuseLong(count, facts, views, length)
        case .char(let length):
            limit = length
            isChar = true
        case .varchar(let length): limit = length
        default: return
        }
        if facts.isPlain && facts.longest <= limit && !(isChar && endsInBlank(views, count)) { return }
        for index in 0..<count {
            let view = views[index]
            let length = Int(view.count)
            let isFine =
                length <= limit && !(isChar && view.endsWithBlank)
                && (facts.isPlain || hasFineCharacters(view, isChar: isChar))
            if isFine { continue }
            // Pages are this reader's own memory; invalid characters may be replaced in it.
            let bytes = UnsafeMutablePointer(mutating: view.pointer)
            let value = conversion.fields.string(bytes, length, limit, isChar: isChar)
            store(value, UnsafeMutableRawPointer(views), index, text: view.bytes)
        }
    }

    /// Binary values are any bytes.
    private func refuseLong(
        _ count: Int, _ facts: StringFacts, _ views: UnsafeMutablePointer<StringView>, _ limit: Int
    ) {
        if facts.longest <= limit { return }
        for index in 0..<count where Int(views[index].count) > limit {
            let failure = FieldFailure(code: 1204, reason: "String length exceeds DDL length", position: limit)
            store(.failure(failure), UnsafeMutableRawPointer(views), index, text: views[index].bytes)
        }
    }

    private func hasFineCharacters(_ view: StringView, isChar: Bool) -> Bool {
        isChar ? isPlainASCII(view.pointer, Int(view.count)) : UTF8Text.isValid(view.pointer, Int(view.count))
    }

    private func endsInBlank(_ views: UnsafePointer<StringView>, _ count: Int) -> Bool {
        for index in 0..<count where views[index].endsWithBlank { return true }
        return false
    }

    private func uuidText(_ bytes: UnsafeBufferPointer<UInt8>, _ strings: StringArena) throws -> StringView {
        let out = try strings.allocate(36)
        var place = 0
        for (index, byte) in bytes.prefix(16).enumerated() {
            if [4, 6, 8, 10].contains(index) {
                out[place] = UInt8(ascii: "-")
                place += 1
            }
            for digit in [byte >> 4, byte & 15] {
                out[place] = digit < 10 ? 48 + digit : 87 + digit
                place += 1
            }
        }
        return StringView(out, count: place)
    }

    // MARK: One value

    private func storeEach(_ count: Int, _ target: UnsafeMutableRawPointer, _ value: (Int) -> FieldValue) {
        for index in 0..<count { store(value(index), target, index, text: nil) }
    }

    private func store(
        _ value: FieldValue, _ target: UnsafeMutableRawPointer, _ index: Int, text: UnsafeBufferPointer<UInt8>?
    ) {
        switch value {
        case .integer(let number):
            switch plan.type.physical {
            case .uint8: target.assumingMemoryBound(to: UInt8.self)[index] = UInt8(truncatingIfNeeded: number)
            case .uint16: target.assumingMemoryBound(to: UInt16.self)[index] = UInt16(truncatingIfNeeded: number)
            case .int32: target.assumingMemoryBound(to: Int32.self)[index] = Int32(truncatingIfNeeded: number)
            case .int64: target.assumingMemoryBound(to: Int64.self)[index] = Int64(truncatingIfNeeded: number)
            case .int128: target.assumingMemoryBound(to: Int128.self)[index] = number
            case .float64, .string: break
            }
        case .double(let number): target.assumingMemoryBound(to: Double.self)[index] = number
        case .string(let view): target.assumingMemoryBound(to: StringView.self)[index] = view
        // Columns of SUPER are refused before.
        case .null, .made: storeNothing(target, index)
        case .failure(var failure):
            storeNothing(target, index)
            if failure.code == 1204, let text, case .char(let limit) = plan.kind {
                failure.reason = tooLong(limit, text)
            } else if failure.code == 1204, let text, case .varchar(let limit) = plan.kind {
                failure.reason = tooLong(limit, text)
            }
            let shown = text.map { String(decoding: $0.prefix(LoadError.keptBytes), as: UTF8.self) } ?? ""
            failures.append(ParquetBadValue(index: index, failure: failure, text: shown))
        }
    }

    private func tooLong(_ limit: Int, _ text: UnsafeBufferPointer<UInt8>) -> String {
        "The length of the data column \(plan.name) is longer than the length defined in the table. "
            + "Table: \(limit), Data: \(text.count)"
    }

    private func storeNothing(_ target: UnsafeMutableRawPointer, _ index: Int) {
        let width = conversion.width
        memset(target + index * width, 0, width)
        if plan.type.physical == .string { target.assumingMemoryBound(to: StringView.self)[index] = .empty }
    }
}

/// Decimals of up to 8 bytes; false when there are longer ones. Reads up to 8 bytes from each.
func loadShortDecimals(
    _ views: UnsafePointer<StringView>, _ count: Int, _ out: UnsafeMutablePointer<Int64>
) -> Bool {
    var longest: UInt32 = 0
    for index in 0..<count {
        let view = views[index]
        longest = max(longest, view.count)
        let word = Int64(bigEndian: UnsafeRawPointer(view.pointer).loadUnaligned(as: Int64.self))
        let shift = 64 &- Int64(8 &* min(view.count, 8))
        out[index] = view.count == 0 ? 0 : word &>> shift
    }
    return longest <= 8
}

/// IEEE's 16 bits.
func halfFloat(_ bytes: UnsafeBufferPointer<UInt8>) -> Double? {
    guard bytes.count == 2 else { return nil }
    let bits = UInt32(bytes[0]) | UInt32(bytes[1]) << 8
    let exponent = Int(bits >> 10 & 31)
    let fraction = Double(bits & 1023)
    let magnitude: Double =
        exponent == 31
        ? (fraction == 0 ? .infinity : .nan)
        : exponent == 0
            ? scalbn(fraction, -24)
            : scalbn(fraction + 1024, Int32(truncatingIfNeeded: exponent - 25))
    return bits >> 15 == 1 ? -magnitude : magnitude
}
