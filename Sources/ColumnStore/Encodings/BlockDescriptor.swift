import SQLTypes

/// What the footer records of one block: enough to decide about it, find it, and check it before use.
struct BlockDescriptor {
    var form = Block.Form.integer
    var outer = OuterEncoding.none
    var hasTrailingBlanks = false
    /// Bytes of a code; of a length for form text.
    var width = 0
    var rowCount = 0
    var nullCount = 0
    var base: Int64 = 0
    var minimum: Int64 = 0
    var maximum: Int64 = 0
    /// Bytes of all strings, form text.
    var heapLength = 0
    var offset = 0
    var storedLength = 0
    /// Of the stored bytes.
    var checksum: UInt32 = 0

    /// A bitmap follows the codes when some rows are NULL and some are not.
    var bitmapLength: Int { nullCount > 0 && nullCount < rowCount ? (rowCount + 7) / 8 : 0 }
    /// Bytes without the outer layer: heap, codes or lengths, bitmap.
    var rawLength: Int { heapLength + rowCount * width + bitmapLength }

    var zone: ZoneMap {
        ZoneMap(
            rowCount: Int32(truncatingIfNeeded: rowCount), nullCount: Int32(truncatingIfNeeded: nullCount),
            minimum: minimum, maximum: maximum, form: form,
            width: form == .text ? 0 : Int8(truncatingIfNeeded: width), hasTrailingBlanks: hasTrailingBlanks)
    }
}

extension BlockDescriptor {
    func write(_ writer: inout BinaryWriter) {
        writer.put(form.rawValue)
        writer.put(outer.rawValue)
        writer.put(hasTrailingBlanks)
        writer.put(UInt8(truncatingIfNeeded: width))
        writer.put(UInt32(truncatingIfNeeded: rowCount))
        writer.put(UInt32(truncatingIfNeeded: nullCount))
        writer.put(base)
        writer.put(minimum)
        writer.put(maximum)
        writer.put(Int64(heapLength))
        writer.put(Int64(offset))
        writer.put(Int64(storedLength))
        writer.put(checksum)
    }

    /// Reads and checks everything that does not need the block's bytes.
    init(_ reader: inout BinaryReader, dataEnd: Int, rows: Int, family: ColumnFamily) throws {
        guard let form = Block.Form(rawValue: try reader.get()), let outer = OuterEncoding(rawValue: try reader.get())
        else { throw reader.corrupted("unknown block form") }
        self.form = form
        self.outer = outer
        hasTrailingBlanks = try reader.getBool()
        width = Int(try reader.get(UInt8.self))
        rowCount = Int(try reader.get(UInt32.self))
        nullCount = Int(try reader.get(UInt32.self))
        base = try reader.get()
        minimum = try reader.get()
        maximum = try reader.get()
        heapLength = try reader.getCount(upTo: Int(UInt32.max), "heap length")
        offset = try reader.getCount(upTo: dataEnd, "block offset")
        storedLength = try reader.getCount(upTo: dataEnd, "block length")
        checksum = try reader.get()
        guard rowCount == rows, nullCount <= rowCount, storedLength <= dataEnd - offset, family.allows(form),
            storedLength <= rawLength, outer != .none || storedLength == rawLength, hasPlausibleCodes
        else { throw reader.corrupted("inconsistent block description") }
    }

    /// Widths and bounds that decoding relies on: base + code stays inside minimum ... maximum inside Int64.
    private var hasPlausibleCodes: Bool {
        switch form {
        case .wide: return width == 16 && heapLength == 0
        case .float: return width == 8 && heapLength == 0
        case .text: return width == 1 || width == 2 || width == 4
        case .integer, .dictionary:
            guard heapLength == 0, minimum <= maximum else { return false }
            let codes: Range<Int64> = 0..<Int64(StorageLimits.dictionaryEntries)
            if form == .dictionary && !(codes.contains(minimum) && codes.contains(maximum)) { return false }
            if width == 8 { return form == .integer && base == 0 }
            let (range, overflow) = maximum.subtractingReportingOverflow(base)
            guard !overflow, minimum >= base else { return false }
            switch width {
            case 0: return minimum == base && maximum == base
            case 1: return range <= 0xFF
            case 2: return range <= 0xFFFF
            case 4: return form == .integer && range <= 0xFFFF_FFFF
            default: return false
            }
        }
    }
}

/// Which block forms a column's values can have; decided by the type's physical form.
enum ColumnFamily: UInt8, Sendable {
    case integer = 0
    case wide = 1
    case float = 2
    case string = 3

    init(_ type: SQLType) {
        switch type.physical {
        case .uint8, .uint16, .int32, .int64: self = .integer
        case .int128: self = .wide
        case .float64: self = .float
        case .string: self = .string
        }
    }

    func allows(_ form: Block.Form) -> Bool {
        switch self {
        case .integer: form == .integer
        case .wide: form == .wide
        case .float: form == .float
        case .string: form == .text || form == .dictionary
        }
    }
}
