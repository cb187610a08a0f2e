import Catalog
import SQLTypes

/// How rows had been placed when a part was written.
enum PartPlacement: Equatable, Sendable {
    case even
    case all
    /// By hash of the column with this id.
    case key(Int32)
}

/// As files hold it; column ids are not negative.
extension PartPlacement {
    var stored: Int64 {
        switch self {
        case .even: -1
        case .all: -2
        case .key(let column): Int64(column)
        }
    }
    init?(stored: Int64) {
        switch stored {
        case -1: self = .even
        case -2: self = .all
        default:
            guard let id = Int32(exactly: stored), id >= 0 else { return nil }
            self = .key(id)
        }
    }
}

/// Where a column's ordered dictionary lies in the file. Raw form: all lengths (4 bytes each), then all bytes.
struct DictionaryDescriptor: Sendable {
    var count = 0
    var heapLength = 0
    var outer = OuterEncoding.none
    var offset = 0
    var storedLength = 0
    var checksum: UInt32 = 0
    var rawLength: Int { count * 4 + heapLength }
}

struct StoredColumn {
    /// ``ColumnDefinition/id``.
    var id: Int32
    var family: ColumnFamily
    /// The resolved encoding's name.
    var encoding: String
    var summary: ColumnSummary
    var dictionary: DictionaryDescriptor?
    var blocks: [BlockDescriptor]
}

/// The end of a part file: everything but the blocks and dictionaries themselves.
struct PartFooter {
    var id: PartID
    var table: ObjectID
    var slice: Int
    var placement: PartPlacement
    /// Ids of the compound sort key's columns that the rows are ordered by; empty when unsorted.
    var sortedBy: [Int32]
    var groupRows: [Int]
    var columns: [StoredColumn]

    var rowCount: Int { groupRows.reduce(0, +) }
}

/// Fixed bytes at both ends of a part file.
enum PartFormat {
    static let version: UInt32 = 1
    static let headMagic: [UInt8] = Array("RBPART1\n".utf8)
    static let tailMagic: [UInt8] = Array("RBPTEND\n".utf8)
    /// Magic, version, part id, checksum.
    static let headLength = 24
    /// Checksum and length of the footer, checksum of these two, magic.
    static let tailLength = 20
    static let largestFooter = 1 << 30

    static func head(_ id: PartID) -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(raw: headMagic)
        writer.put(version)
        writer.put(id.raw)
        writer.putChecksum()
        return writer.bytes
    }
}

extension PartFooter {
    func encoded() -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(id.raw)
        writer.put(table.raw)
        writer.put(UInt32(truncatingIfNeeded: slice))
        writer.put(placement.stored)
        writer.put(sortedBy) { $0.put($1) }
        writer.put(groupRows) { $0.put(UInt32(truncatingIfNeeded: $1)) }
        writer.put(columns) { writer, column in
            writer.put(column.id)
            writer.put(column.family.rawValue)
            writer.put(column.encoding)
            column.summary.write(&writer)
            writer.put(column.dictionary) { writer, dictionary in
                writer.put(Int64(dictionary.count))
                writer.put(Int64(dictionary.heapLength))
                writer.put(dictionary.outer.rawValue)
                writer.put(Int64(dictionary.offset))
                writer.put(Int64(dictionary.storedLength))
                writer.put(dictionary.checksum)
            }
            for block in column.blocks { block.write(&writer) }
        }
        return writer.bytes
    }

    /// - Parameter dataEnd: where the footer starts; no block may reach beyond.
    init(_ reader: inout BinaryReader, dataEnd: Int) throws {
        id = PartID(try reader.get())
        table = ObjectID(try reader.get())
        slice = Int(try reader.get(UInt32.self))
        guard let placement = PartPlacement(stored: try reader.get()) else { throw reader.corrupted("placement") }
        self.placement = placement
        sortedBy = try reader.getList { try $0.get() }
        let groups = try reader.getList { Int(try $0.get(UInt32.self)) }
        groupRows = groups
        guard groups.allSatisfy({ $0 > 0 && $0 <= StorageLimits.rowGroupRows }) else {
            throw reader.corrupted("rows of a row group")
        }
        columns = try reader.getList { try StoredColumn(&$0, dataEnd: dataEnd, groupRows: groups) }
        guard Set(columns.map(\.id)).count == columns.count, reader.isAtEnd else {
            throw reader.corrupted("columns of the footer")
        }
    }
}

extension StoredColumn {
    init(_ reader: inout BinaryReader, dataEnd: Int, groupRows: [Int]) throws {
        id = try reader.get()
        guard let family = ColumnFamily(rawValue: try reader.get()) else { throw reader.corrupted("kind of column") }
        self.family = family
        encoding = try reader.getString()
        summary = try ColumnSummary(&reader)
        dictionary = try reader.getOptional { reader in
            var dictionary = DictionaryDescriptor()
            dictionary.count = try reader.getCount(upTo: StorageLimits.dictionaryEntries, "dictionary entries")
            dictionary.heapLength = try reader.getCount(upTo: Int(UInt32.max), "dictionary bytes")
            guard let outer = OuterEncoding(rawValue: try reader.get()) else { throw reader.corrupted("dictionary") }
            dictionary.outer = outer
            dictionary.offset = try reader.getCount(upTo: dataEnd, "dictionary offset")
            dictionary.storedLength = try reader.getCount(upTo: dataEnd, "dictionary length")
            dictionary.checksum = try reader.get()
            guard dictionary.storedLength <= dataEnd - dictionary.offset,
                dictionary.storedLength <= dictionary.rawLength,
                outer != .none || dictionary.storedLength == dictionary.rawLength
            else { throw reader.corrupted("inconsistent dictionary") }
            return dictionary
        }
        blocks = []
        blocks.reserveCapacity(groupRows.count)
        for rows in groupRows {
            let block = try BlockDescriptor(&reader, dataEnd: dataEnd, rows: rows, family: family)
            if block.form == .dictionary {
                guard let dictionary, block.nullCount == rows || block.maximum < Int64(dictionary.count) else {
                    throw reader.corrupted("codes without a dictionary")
                }
            }
            blocks.append(block)
        }
        guard dictionary == nil || blocks.allSatisfy({ $0.form == .dictionary }) else {
            throw reader.corrupted("mixed forms of strings")
        }
    }
}
