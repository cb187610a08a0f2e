import ColumnVectors
import SQLTypes

/// The loops that turn columns into DataRow messages.
enum RowEncoding {
    /// Encodes rows from `first` on until the buffer holds `limit` bytes; the result is the first row not encoded.
    /// - Parameter type: of the messages; those of binary COPY have the same body.
    static func encode(
        _ columns: UnsafeBufferPointer<ColumnEncoder>, rows: Range<Int>, limit: Int, style: TextStyle,
        type: UInt8 = UInt8(ascii: "D"), into buffer: TextBuffer
    ) -> Int {
        var row = rows.lowerBound
        while row < rows.upperBound && buffer.count < limit {
            let start = buffer.count
            buffer.append(type)
            buffer.append(int32: 0)
            buffer.append(int16: Int16(truncatingIfNeeded: columns.count))
            for index in 0..<columns.count {
                let column = columns.baseAddress.unsafelyUnwrapped + index
                if let validity = column.pointee.validity, validity[row] == 0 {
                    buffer.append(int32: -1)
                    continue
                }
                value(column, row, style, buffer)
            }
            buffer.set(int32: buffer.count - start - 1, at: start + 1)
            row &+= 1
        }
        return row
    }

    @inline(__always)
    private static func value(
        _ column: UnsafePointer<ColumnEncoder>, _ row: Int, _ style: TextStyle, _ buffer: TextBuffer
    ) {
        switch column.pointee.form {
        case .int32Binary:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(truncatingIfNeeded: integer(column, row)))
        case .int64Binary:
            buffer.append(int32: 8)
            buffer.append(int64: integer(column, row))
        case .int16Binary:
            buffer.append(int32: 2)
            buffer.append(int16: Int16(truncatingIfNeeded: integer(column, row)))
        case .float64Binary:
            buffer.append(int32: 8)
            buffer.append(int64: Int64(bitPattern: float(column, row).bitPattern))
        case .float32Binary:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(bitPattern: Float(float(column, row)).bitPattern))
        case .string:
            let view = column.pointee.values.assumingMemoryBound(to: StringView.self)[row]
            buffer.append(int32: Int32(bitPattern: view.count))
            buffer.append(view.pointer, Int(view.count))
        case .booleanBinary:
            buffer.append(int32: 1)
            buffer.append(integer(column, row) != 0 ? 1 : 0 as UInt8)
        case .dateBinary:
            buffer.append(int32: 4)
            buffer.append(int32: Int32(truncatingIfNeeded: integer(column, row) &- WireEpoch.days))
        case .timestampBinary:
            buffer.append(int32: 8)
            buffer.append(int64: integer(column, row) &- WireEpoch.microseconds)
        default: rarer(column, row, style, buffer)
        }
    }

    private static func rarer(
        _ column: UnsafePointer<ColumnEncoder>, _ row: Int, _ style: TextStyle, _ buffer: TextBuffer
    ) {
        let start = buffer.count
        buffer.append(int32: 0)
        switch column.pointee.form {
        case .booleanText: buffer.append(integer(column, row) != 0 ? UInt8(ascii: "t") : UInt8(ascii: "f"))
        case .integerText: IntegerText.append(integer(column, row), to: buffer)
        case .otherText:
            ValueText.append(
                integer: integer(column, row), type: column.pointee.type, zone: style.zone, intervals: style.intervals,
                to: buffer)
        case .wideText:
            ValueText.append(
                wide: wide(column, row), type: column.pointee.type, zone: style.zone, intervals: style.intervals,
                to: buffer)
        case .floatText:
            ValueText.append(
                double: float(column, row), type: column.pointee.type, extraDigits: style.extraDigits, to: buffer)
        case .paddedString:
            let view = column.pointee.values.assumingMemoryBound(to: StringView.self)[row]
            buffer.append(view.bytes)
            buffer.append(repeating: 0x20, column.pointee.length - Int(view.count))
        case .hexadecimal:
            HexadecimalText.append(
                column.pointee.values.assumingMemoryBound(to: StringView.self)[row].bytes, to: buffer)
        case .numericInteger:
            if case .decimal(let precision, _) = column.pointee.type, precision > 18 {
                buffer.append(int64: Int64(truncatingIfNeeded: wide(column, row) >> 64))
            }
            buffer.append(int64: Int64(truncatingIfNeeded: wide(column, row)))
        case .arrayBinary:
            ArrayBinary.append(
                column.pointee.values.assumingMemoryBound(to: StringView.self)[row].bytes, array: column.pointee.array,
                to: buffer)
        case .document:
            SuperText.appendShown(
                column.pointee.values.assumingMemoryBound(to: StringView.self)[row].bytes, to: buffer)
        case .sketch:
            HLLText.appendShown(
                column.pointee.values.assumingMemoryBound(to: StringView.self)[row].bytes, to: buffer)
        case .numericBinary:
            NumericBinary.append(wide(column, row), scale: column.pointee.type.scale, to: buffer)
        case .timeZoneBinary:
            let value = TimeWithZone(packed: integer(column, row))
            buffer.append(int64: value.local)
            buffer.append(int32: Int32(truncatingIfNeeded: value.offsetMinutes * -60))
        case .intervalBinary: interval(Interval(packed: wide(column, row)), buffer)
        default: break
        }
        buffer.set(int32: buffer.count - start - 4, at: start)
    }

    private static func interval(_ value: Interval, _ buffer: TextBuffer) {
        buffer.append(int64: value.microseconds % Calendar.microsecondsPerDay)
        buffer.append(int32: Int32(clamping: value.microseconds / Calendar.microsecondsPerDay))
        buffer.append(int32: Int32(clamping: value.months))
    }

    // MARK: Values

    @inline(__always)
    private static func integer(_ column: UnsafePointer<ColumnEncoder>, _ row: Int) -> Int64 {
        let values = column.pointee.values
        switch column.pointee.physical {
        case .int64: return values.assumingMemoryBound(to: Int64.self)[row]
        case .int32: return Int64(values.assumingMemoryBound(to: Int32.self)[row])
        case .uint8: return Int64(values.assumingMemoryBound(to: UInt8.self)[row])
        case .uint16: return Int64(values.assumingMemoryBound(to: UInt16.self)[row])
        case .int128: return Int64(truncatingIfNeeded: values.assumingMemoryBound(to: Int128.self)[row])
        case .float64, .string: return 0
        }
    }

    private static func wide(_ column: UnsafePointer<ColumnEncoder>, _ row: Int) -> Int128 {
        column.pointee.physical == .int128
            ? column.pointee.values.assumingMemoryBound(to: Int128.self)[row] : Int128(integer(column, row))
    }

    @inline(__always)
    private static func float(_ column: UnsafePointer<ColumnEncoder>, _ row: Int) -> Double {
        column.pointee.physical == .float64
            ? column.pointee.values.assumingMemoryBound(to: Double.self)[row] : Double(integer(column, row))
    }
}
