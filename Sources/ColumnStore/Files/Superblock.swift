import Catalog
import SQLTypes

/// Everything that was committed up to a checkpoint. Replaced as a whole by rename, so it is always complete; later
/// commits are in the log.
struct Superblock {
    struct PartEntry: Equatable {
        var id: PartID
        var table: ObjectID
        var slice: Int
        var byteCount: Int
        /// Names the file of its deleted rows; 0: none are.
        var deletedFile: UInt64 = 0
    }

    static let magic: [UInt8] = Array("RBSUPER\n".utf8)
    /// 2: parts name the file of their deleted rows. 3: commits after `version` are in the log.
    /// 4: definitions name their owners by id. 5: several databases.
    static let formatVersion: UInt32 = 5

    /// What the file was written as.
    private(set) var format = Superblock.formatVersion
    /// The last commit that is in it.
    var version: UInt64
    var shape: ClusterShape
    var nextPartID: UInt64
    var catalog: CatalogSnapshot
    /// In commit order.
    var parts: [PartEntry]
    var identity: [IdentityKey: Int64]
    var columnDefaults: [IdentityKey: Datum]

    func encoded() -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(raw: Superblock.magic)
        writer.put(Superblock.formatVersion)
        writer.put(version)
        writer.put(UInt32(truncatingIfNeeded: shape.nodes))
        writer.put(UInt32(truncatingIfNeeded: shape.slicesPerNode))
        writer.put(nextPartID)
        CatalogCodec.write(catalog, &writer)
        writer.put(parts) { writer, part in
            writer.put(part.id.raw)
            writer.put(part.table.raw)
            writer.put(UInt32(truncatingIfNeeded: part.slice))
            writer.put(Int64(part.byteCount))
            writer.put(part.deletedFile)
        }
        writer.put(identity.sorted { $0.key < $1.key }) { writer, entry in
            entry.key.write(&writer)
            writer.put(entry.value)
        }
        writer.put(columnDefaults.sorted { $0.key < $1.key }) { writer, entry in
            entry.key.write(&writer)
            writer.put(entry.value)
        }
        writer.putChecksum()
        return writer.bytes
    }

    init(
        version: UInt64, shape: ClusterShape, nextPartID: UInt64, catalog: CatalogSnapshot, parts: [PartEntry],
        identity: [IdentityKey: Int64], columnDefaults: [IdentityKey: Datum]
    ) {
        self.version = version
        self.shape = shape
        self.nextPartID = nextPartID
        self.catalog = catalog
        self.parts = parts
        self.identity = identity
        self.columnDefaults = columnDefaults
    }

    init(_ bytes: [UInt8], file: String) throws {
        guard bytes.count >= 16, Array(bytes[..<8]) == Superblock.magic else {
            throw BinaryReader(bytes, file: file).corrupted("this is not a superblock")
        }
        var reader = try BinaryReader.verified(bytes, file: file)
        _ = try reader.take(8)
        let format = try reader.get(UInt32.self)
        guard (1...Superblock.formatVersion).contains(format) else {
            throw SQLError(
                .featureNotSupported,
                "warehouse file \"\(file)\" has format version \(format), this program reads version "
                    + "\(Superblock.formatVersion)",
                hint: "Open the warehouse with the version of the program that wrote it, or a newer one.")
        }
        self.format = format
        version = try reader.get()
        shape = ClusterShape(nodes: Int(try reader.get(UInt32.self)), slicesPerNode: Int(try reader.get(UInt32.self)))
        guard Superblock.isPlausible(shape) else { throw reader.corrupted("number of nodes and slices") }
        nextPartID = try reader.get()
        catalog = try CatalogCodec.read(&reader)
        parts = try reader.getList { reader in
            PartEntry(
                id: PartID(try reader.get()), table: ObjectID(try reader.get()),
                slice: Int(try reader.get(UInt32.self)), byteCount: try reader.getCount(upTo: 1 << 50, "part size"),
                deletedFile: format >= 2 ? try reader.get() : 0)
        }
        identity = [:]
        for (key, value) in try reader.getList({ (try IdentityKey(&$0), try $0.get(Int64.self)) }) {
            identity[key] = value
        }
        columnDefaults = [:]
        for (key, value) in try reader.getList({ (try IdentityKey(&$0), try $0.getDatum()) }) {
            columnDefaults[key] = value
        }
        let slices = shape.slices
        guard parts.allSatisfy({ $0.slice < slices }), Set(parts.map(\.id)).count == parts.count, reader.isAtEnd else {
            throw reader.corrupted("list of parts")
        }
    }

    static func isPlausible(_ shape: ClusterShape) -> Bool {
        (1...128).contains(shape.nodes) && (1...256).contains(shape.slicesPerNode)
    }
}

extension IdentityKey: Comparable {
    package static func < (left: IdentityKey, right: IdentityKey) -> Bool {
        (left.table, left.column) < (right.table, right.column)
    }
    func write(_ writer: inout BinaryWriter) {
        writer.put(table.raw)
        writer.put(column)
    }
    init(_ reader: inout BinaryReader) throws {
        self.init(table: ObjectID(try reader.get()), column: try reader.get())
    }
}
