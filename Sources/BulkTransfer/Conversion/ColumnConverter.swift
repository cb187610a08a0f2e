import ColumnVectors
import Glibc
import SQLTypes

/// A field that could not be converted.
struct BadField {
    var row: Int
    var column: Int
    var start: Int
    var end: Int
    var failure: FieldFailure
}

/// Converts one column of a field table into a buffer: the typed loop first, then what it left. One per worker.
final class ColumnConverter {
    private let converter: FieldConverter
    private let odd: UnsafeMutablePointer<UInt32>
    /// Fields of the last call that failed; rows count from the table's first.
    private(set) var failures: [BadField] = []

    init(_ options: CopyOptions, _ context: DatetimeContext) {
        converter = FieldConverter(options, context)
        odd = .allocate(capacity: FieldTable.maximumRows)
    }
    deinit { odd.deallocate() }

    /// Appends all rows of the table. Rows in ``failures`` get some value.
    func convert(
        _ table: FieldTable, field: Int, _ plan: ColumnPlan, _ chunk: ChunkBuffer, _ content: TextContent,
        into buffer: ColumnBuffer
    ) throws {
        failures.removeAll(keepingCapacity: true)
        let rows = table.rowCount
        try buffer.reserve(additional: rows)
        let slots = table.slots(field)
        let oddCount = runLoop(chunk.text, slots, rows, plan, content, buffer)
        let first = buffer.count
        buffer.advance(rows)
        for index in 0..<oddCount {
            let row = Int(odd[index])
            let (start, end) = slots.range(row)
            let value = converter.convert(chunk.text + start, end - start, plan)
            try store(
                value, plan, buffer, first + row,
                BadField(
                    row: row, column: field, start: start, end: end, failure: .missingData))
        }
    }

    private func runLoop(
        _ text: UnsafePointer<UInt8>, _ slots: FieldSlots, _ rows: Int, _ plan: ColumnPlan, _ content: TextContent,
        _ buffer: ColumnBuffer
    ) -> Int {
        let from = buffer.count
        switch plan.kind {
        case .integer(let lowest, let highest):
            if buffer.physical == .int32 {
                return parseIntegers32(
                    text, slots, rows, lowest, highest, buffer.values(as: Int32.self) + from, odd)
            }
            return parseIntegers64(text, slots, rows, buffer.values(as: Int64.self) + from, odd)
        case .decimal(let precision, let scale, let wide):
            if scale < 1 || scale > 8 { break }
            let upper = DecimalArithmetic.range(precision: precision).upper
            let limit = UInt64(exactly: upper).map { $0 + 1 } ?? UInt64.max
            if wide {
                return parseDecimals128(text, slots, rows, scale, limit, buffer.values(as: Int128.self) + from, odd)
            }
            return parseDecimals64(text, slots, rows, scale, limit, buffer.values(as: Int64.self) + from, odd)
        case .date:
            if !converter.usesISODates { break }
            return parseDates(text, slots, rows, buffer.values(as: Int32.self) + from, odd)
        case .timestamp(withZone: false):
            if !converter.usesISOTimestamps { break }
            return parseTimestamps(text, slots, rows, buffer.values(as: Int64.self) + from, odd)
        case .char, .varchar:
            if case .char = plan.kind, content != .ascii { break }
            if content == .dirty { break }
            return viewStrings(text, slots, rows, plan.strings, buffer.values(as: StringView.self) + from, odd)
        default: break
        }
        for row in 0..<rows { odd[row] = UInt32(truncatingIfNeeded: row) }
        return rows
    }

    private func store(
        _ value: FieldValue, _ plan: ColumnPlan, _ buffer: ColumnBuffer, _ row: Int, _ place: BadField
    ) throws {
        switch value {
        case .integer(let number): storeInteger(number, buffer, row)
        case .double(let number): buffer.values(as: Double.self)[row] = number
        case .made(let bytes): buffer.values(as: StringView.self)[row] = try buffer.arena.copy(bytes)
        case .string(let view): buffer.values(as: StringView.self)[row] = view
        case .null, .failure:
            memset(buffer.values + row * buffer.physical.byteWidth, 0, buffer.physical.byteWidth)
            if buffer.physical == .string { buffer.values(as: StringView.self)[row] = .empty }
            var bad = place
            if case .failure(let failure) = value {
                bad.failure = plan.isIdentity ? .identity : failure
                failures.append(bad)
            } else if plan.notNull {
                failures.append(bad)
            } else {
                try buffer.useValidity()
                buffer.validity?[row] = ValidityBytes.null
            }
        }
    }

    private func storeInteger(_ number: Int128, _ buffer: ColumnBuffer, _ row: Int) {
        switch buffer.physical {
        case .uint8: buffer.values(as: UInt8.self)[row] = UInt8(truncatingIfNeeded: number)
        case .uint16: buffer.values(as: UInt16.self)[row] = UInt16(truncatingIfNeeded: number)
        case .int32: buffer.values(as: Int32.self)[row] = Int32(truncatingIfNeeded: number)
        case .int64: buffer.values(as: Int64.self)[row] = Int64(truncatingIfNeeded: number)
        default: buffer.values(as: Int128.self)[row] = number
        }
    }
}
