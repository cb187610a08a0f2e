import ColumnVectors
import Glibc
import SQLTypes

/// What fills one column of a batch from one row group.
protocol ParquetFieldReader: AnyObject {
    /// Appends rows to the column; rows of bad values are listed.
    func read(_ rows: Int, into buffer: ColumnBuffer, _ bad: inout [ParquetBadValue]) throws
    /// Nothing points to texts of this column any more.
    func releaseStrings()
}

/// Reads one flat column of one row group into a column of a batch. Confined to its worker.
final class ParquetColumnReader: ParquetFieldReader {
    private let values: ParquetChunkReader
    private let scratch: ParquetScratch
    private var conversion: ParquetConversion { values.conversion }

    init(_ values: ParquetChunkReader, _ scratch: ParquetScratch) {
        self.values = values
        self.scratch = scratch
    }

    func releaseStrings() { values.releaseStrings() }

    func read(_ rows: Int, into buffer: ColumnBuffer, _ bad: inout [ParquetBadValue]) throws {
        try buffer.reserve(additional: rows)
        var done = 0
        while done < rows {
            if values.left == 0 { try values.nextPage() }
            let some = min(values.left, rows - done, ParquetScratch.rows)
            if some == 0 { continue }
            let known = bad.count
            try readRun(some, into: buffer, &bad)
            for index in known..<bad.count { bad[index].index += done }
            done += some
        }
    }

    private func readRun(_ rows: Int, into buffer: ColumnBuffer, _ bad: inout [ParquetBadValue]) throws {
        let present = try values.decodeValidity(rows, scratch.validity)
        let start = buffer.count
        let target = buffer.values + start * conversion.width
        let known = bad.count
        if present > 0 { try values.decode(present, target, &bad) }
        if present == rows {
            buffer.advance(rows)
            return
        }
        spreadValues(target, scratch.validity, rows, present, buffer.physical)
        if bad.count > known { placeBadValues(&bad, from: known, rows) }
        try buffer.useValidity()
        buffer.advance(rows)
        if let validity = buffer.validity { memcpy(validity + start, scratch.validity, rows) }
        if !conversion.plan.notNull { return }
        for row in 0..<rows where scratch.validity[row] == ValidityBytes.null {
            bad.append(ParquetBadValue(index: row, failure: .missingData, text: ""))
        }
    }

    /// From places among values to places among rows.
    private func placeBadValues(_ bad: inout [ParquetBadValue], from first: Int, _ rows: Int) {
        var next = first
        var value = 0
        for row in 0..<rows where scratch.validity[row] != ValidityBytes.null {
            while next < bad.count && bad[next].index == value {
                bad[next].index = row
                next += 1
            }
            value += 1
        }
    }
}

/// Moves values that stand one behind the other to their rows, from the last one on.
private func spreadValues(
    _ target: UnsafeMutableRawPointer, _ validity: UnsafePointer<UInt8>, _ rows: Int, _ present: Int,
    _ physical: PhysicalType
) {
    switch physical {
    case .uint8: spread(target, validity, rows, present, UInt8(0))
    case .uint16: spread(target, validity, rows, present, UInt16(0))
    case .int32: spread(target, validity, rows, present, Int32(0))
    case .int64, .float64: spread(target, validity, rows, present, UInt64(0))
    case .int128: spread(target, validity, rows, present, Int128(0))
    case .string: spread(target, validity, rows, present, StringView.empty)
    }
}

@inline(__always)
private func spread<Value>(
    _ target: UnsafeMutableRawPointer, _ validity: UnsafePointer<UInt8>, _ rows: Int, _ present: Int, _ none: Value
) {
    let values = target.assumingMemoryBound(to: Value.self)
    var from = present
    var row = rows
    while row > 0 {
        row &-= 1
        if validity[row] != ValidityBytes.null {
            from &-= 1
            values[row] = values[from]
        } else {
            values[row] = none
        }
    }
}
