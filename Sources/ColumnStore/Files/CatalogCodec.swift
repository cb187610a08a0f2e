import Catalog
import SQLTypes

/// The catalog's stored form. Tags are fixed for ever; new ones are added at the end.
enum CatalogCodec {
    /// Stands where the first format has the length of the database's name, which is never so long.
    private static let versionMarker: UInt32 = 0xFFFF_FFFE
    /// 2: accounts, privileges and the isolation level behind the relations. 3: owners by id. 4: databases.
    /// 5: quotas and comments of schemas, comments of constraints.
    private static let version: UInt32 = 5
    private static let firstWithOwnerIDs: UInt32 = 3
    private static let firstWithDatabases: UInt32 = 4

    static func write(_ catalog: CatalogSnapshot, _ writer: inout BinaryWriter) {
        writer.put(versionMarker)
        writer.put(version)
        writer.put(catalog.nextObjectID)
        writer.put(catalog.withinEach) { writer, inside in
            DatabaseCodec.write(inside.database, &writer)
            writer.put(inside.schemas.values.sorted { $0.name < $1.name }) { write($1, &$0) }
            writer.put(inside.allObjects) { write($1, &$0) }
        }
        AccountCodec.write(catalog.accounts, &writer)
    }

    /// Schemas with more than older versions knew of have the complement of their id.
    static func write(_ schema: SchemaDefinition, _ writer: inout BinaryWriter) {
        let isPlain = schema.quotaMegabytes == nil && schema.comment == nil
        writer.put(isPlain ? schema.id.raw : ~schema.id.raw)
        writer.put(schema.name)
        writer.put(Int64(schema.owner))
        if isPlain { return }
        writer.put(schema.quotaMegabytes) { $0.put($1) }
        writer.put(schema.comment) { $0.put($1) }
    }

    static func readSchema(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> SchemaDefinition {
        let id = try reader.get(Int64.self)
        var schema = SchemaDefinition(
            id: ObjectID(id < 0 ? ~id : id), name: try reader.getString(), owner: try owners.read(&reader))
        if id >= 0 { return schema }
        schema.quotaMegabytes = try reader.getOptional { try $0.get(Int64.self) }
        schema.comment = try reader.getOptional { try $0.getString() }
        return schema
    }

    // MARK: Objects: a tag for the kind, and its form

    static func write(_ object: CatalogObject, _ writer: inout BinaryWriter) {
        switch object {
        case .relation(.table(let table)) where table.materialized != nil:
            writer.put(UInt8(8))
            writeCollated(table, &writer)
            if let query = table.materialized { MaterializedQueryCodec.write(query, &writer) }
        case .relation(.table(let table)) where table.hasCollations:
            writer.put(UInt8(6))
            writeCollated(table, &writer)
        case .relation(.table(let table)):
            writer.put(UInt8(0))
            write(table, &writer)
        case .relation(.view(let view)):
            writer.put(UInt8(3))
            ViewCodec.write(view, &writer)
        case .function(let function):
            writer.put(UInt8(4))
            FunctionCodec.write(function, &writer)
        case .copyJob(let job):
            writer.put(UInt8(5))
            CopyJobCodec.write(job, &writer)
        case .procedure(let procedure):
            writer.put(UInt8(7))
            ProcedureCodec.write(procedure, &writer)
        }
    }

    static func readObject(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> CatalogObject {
        switch try reader.get(UInt8.self) {
        case 0: try readTable(&reader, &owners).object
        case 1: try ViewCodec.readOlder(&reader, &owners, hasComments: false).object
        case 2: try ViewCodec.readOlder(&reader, &owners, hasComments: true).object
        case 3: try ViewCodec.read(&reader, &owners).object
        case 4: .function(try FunctionCodec.read(&reader, &owners))
        case 5: .copyJob(try CopyJobCodec.read(&reader, &owners))
        case 7: .procedure(try ProcedureCodec.read(&reader, &owners))
        case 6: try readCollatedTable(&reader, &owners).object
        case 8: try readMaterializedView(&reader, &owners).object
        default: throw reader.corrupted("unknown kind of object")
        }
    }

    private static func readVersion(_ reader: inout BinaryReader) throws -> UInt32 {
        var ahead = reader
        guard try ahead.get(UInt32.self) == versionMarker else { return 1 }
        let found = try ahead.get(UInt32.self)
        guard (2...version).contains(found) else { throw reader.corrupted("format version of the catalog") }
        reader = ahead
        return found
    }

    static func read(_ reader: inout BinaryReader) throws -> CatalogSnapshot {
        let version = try readVersion(&reader)
        if version < firstWithDatabases { return try readOneDatabase(&reader, version) }
        var catalog = CatalogSnapshot.empty
        catalog.nextObjectID = try reader.get()
        var owners = StoredOwners(areNames: false)
        for _ in 0..<Int(try reader.get(UInt32.self)) {
            let database = try DatabaseCodec.read(&reader)
            catalog.put(database)
            catalog.enter(database.id)
            for schema in try reader.getList({ try readSchema(&$0, &owners) }) { catalog.put(schema) }
            for object in try reader.getList({ try readObject(&$0, &owners) }) { catalog.put(object) }
        }
        catalog.enter(DatabaseDefinition.firstID)
        guard catalog.databases[DatabaseDefinition.firstID] != nil else { throw reader.corrupted("databases") }
        catalog.accounts = try AccountCodec.read(&reader).accounts
        return catalog
    }

    /// As it was before there were several.
    private static func readOneDatabase(_ reader: inout BinaryReader, _ version: UInt32) throws -> CatalogSnapshot {
        var catalog = CatalogSnapshot.empty
        var database = DatabaseDefinition(id: DatabaseDefinition.firstID, name: try reader.getString())
        catalog.put(database)
        catalog.nextObjectID = try reader.get()
        var owners = StoredOwners(areNames: version < firstWithOwnerIDs)
        let schemas = try reader.getList { try readSchema(&$0, &owners) }
        let objects = try reader.getList { try readObject(&$0, &owners) }
        if version >= 2 {
            let stored = try AccountCodec.read(&reader, ofOneDatabase: true)
            catalog.accounts = stored.accounts
            database.owner = stored.databaseOwner ?? database.owner
            database.isolation = try DatabaseCodec.readIsolation(&reader)
            catalog.put(database)
        }
        for schema in schemas { catalog.put(owners.resolved(schema, catalog.accounts)) }
        for object in objects { catalog.put(owners.resolved(object, catalog.accounts)) }
        return catalog
    }

    // MARK: Tables

    private static func write(_ table: TableDefinition, _ writer: inout BinaryWriter) {
        writer.put(table.id.raw)
        writer.put(table.schema)
        writer.put(table.name)
        writer.put(table.columns) { write($1, &$0) }
        switch table.distribution {
        case .auto: writer.put(Int32(-1))
        case .even: writer.put(Int32(-2))
        case .all: writer.put(Int32(-3))
        case .key(let column): writer.put(Int32(truncatingIfNeeded: column))
        }
        let (kind, columns): (UInt8, [Int]) =
            switch table.sortKey {
            case .none: (0, [])
            case .auto: (1, [])
            case .compound(let columns): (2, columns)
            case .interleaved(let columns): (3, columns)
            }
        writer.put(kind)
        put(columns, &writer)
        writer.put(table.constraints) { write($1, &$0) }
        writer.put(table.isTemporary)
        writer.put(table.encodeAuto)
        writer.put(Int64(table.owner))
        writer.put(table.comment) { $0.put($1) }
        writer.put(table.nextColumnID)
    }

    private static func readTable(
        _ reader: inout BinaryReader, _ owners: inout StoredOwners
    ) throws -> TableDefinition {
        let id = ObjectID(try reader.get())
        let schema = try reader.getString()
        let name = try reader.getString()
        let columns = try reader.getList { try readColumn(&$0) }
        let distribution: DistributionStyle
        switch try reader.get(Int32.self) {
        case -1: distribution = .auto
        case -2: distribution = .even
        case -3: distribution = .all
        case let column:
            guard column >= 0, Int(column) < columns.count else { throw reader.corrupted("distribution key") }
            distribution = .key(Int(column))
        }
        let kind = try reader.get(UInt8.self)
        let keys = try getColumns(&reader, columns.count)
        let sortKey: SortKey
        switch kind {
        case 0: sortKey = .none
        case 1: sortKey = .auto
        case 2: sortKey = .compound(keys)
        case 3: sortKey = .interleaved(keys)
        default: throw reader.corrupted("unknown sort key")
        }
        var table = TableDefinition(
            id: id, schema: schema, name: name, columns: columns, distribution: distribution, sortKey: sortKey,
            constraints: try reader.getList { try readConstraint(&$0, columns.count) },
            isTemporary: try reader.getBool(), encodeAuto: try reader.getBool(), owner: try owners.read(&reader),
            comment: try reader.getOptional { try $0.getString() })
        table.nextColumnID = try reader.get()
        return table
    }

    /// A table behind which the collations of its columns stand: older programs know no such object.
    private static func readCollatedTable(
        _ reader: inout BinaryReader, _ owners: inout StoredOwners
    ) throws -> TableDefinition {
        var table = try readTable(&reader, &owners)
        let collations = try reader.getList { reader in
            guard let collation = Collation(rawValue: try reader.getString()) else {
                throw reader.corrupted("unknown collation")
            }
            return collation
        }
        guard collations.count == table.columns.count else { throw reader.corrupted("collations") }
        for index in collations.indices { table.columns[index].collation = collations[index] }
        return table
    }

    private static func writeCollated(_ table: TableDefinition, _ writer: inout BinaryWriter) {
        write(table, &writer)
        writer.put(table.columns) { $0.put($1.collation.rawValue) }
    }

    private static func readMaterializedView(
        _ reader: inout BinaryReader, _ owners: inout StoredOwners
    ) throws -> TableDefinition {
        var table = try readCollatedTable(&reader, &owners)
        table.materialized = try MaterializedQueryCodec.read(&reader)
        return table
    }

    /// Without its collation, which no reader of rows needs.
    static func write(_ column: ColumnDefinition, _ writer: inout BinaryWriter) {
        writer.put(column.id)
        writer.put(column.name)
        TypeCodec.write(column.type, &writer)
        writer.put(column.notNull)
        writer.put(column.encoding.rawValue)
        writer.put(column.defaultExpression) { $0.put($1) }
        writer.put(column.identity) { writer, identity in
            writer.put(identity.seed)
            writer.put(identity.step)
            writer.put(identity.byDefault)
        }
        writer.put(column.comment) { $0.put($1) }
    }

    static func readColumn(_ reader: inout BinaryReader) throws -> ColumnDefinition {
        let id = try reader.get(Int32.self)
        let name = try reader.getString()
        let type = try TypeCodec.read(&reader)
        let notNull = try reader.getBool()
        guard let encoding = ColumnEncoding(rawValue: try reader.getString()) else {
            throw reader.corrupted("unknown encoding")
        }
        return ColumnDefinition(
            id: id, name: name, type: type, notNull: notNull, encoding: encoding,
            defaultExpression: try reader.getOptional { try $0.getString() },
            identity: try reader.getOptional {
                IdentityDefinition(seed: try $0.get(), step: try $0.get(), byDefault: try $0.getBool())
            },
            comment: try reader.getOptional { try $0.getString() })
    }

    /// One with a comment has it in front, behind a tag of its own.
    private static let commentedConstraint: UInt8 = 3

    private static func write(_ constraint: TableConstraint, _ writer: inout BinaryWriter) {
        writer.put(constraint.name)
        if let comment = constraint.comment {
            writer.put(commentedConstraint)
            writer.put(comment)
        }
        switch constraint.kind {
        case .primaryKey: writer.put(UInt8(0))
        case .unique: writer.put(UInt8(1))
        case .foreignKey(let table, let columns):
            writer.put(UInt8(2))
            writer.put(table.raw)
            put(columns, &writer)
        }
        put(constraint.columns, &writer)
    }

    private static func readConstraint(_ reader: inout BinaryReader, _ count: Int) throws -> TableConstraint {
        let name = try reader.getString()
        let kind: TableConstraint.Kind
        var tag = try reader.get(UInt8.self)
        var comment: String?
        if tag == commentedConstraint {
            comment = try reader.getString()
            tag = try reader.get(UInt8.self)
        }
        switch tag {
        case 0: kind = .primaryKey
        case 1: kind = .unique
        case 2: kind = .foreignKey(table: ObjectID(try reader.get()), columns: try getColumns(&reader, .max))
        default: throw reader.corrupted("unknown constraint")
        }
        return TableConstraint(name: name, kind: kind, columns: try getColumns(&reader, count), comment: comment)
    }

    private static func put(_ columns: [Int], _ writer: inout BinaryWriter) {
        writer.put(columns) { $0.put(UInt32(truncatingIfNeeded: $1)) }
    }
    private static func getColumns(_ reader: inout BinaryReader, _ count: Int) throws -> [Int] {
        let columns = try reader.getList { Int(try $0.get(UInt32.self)) }
        guard columns.allSatisfy({ $0 < count }) else { throw reader.corrupted("column index") }
        return columns
    }
}

/// Types by their descriptors' tags.
enum TypeCodec {
    static func write(_ type: SQLType, _ writer: inout BinaryWriter) {
        writer.put(type.descriptor.storedTag)
        writer.put(UInt32(truncatingIfNeeded: type.modifierPair.first))
        writer.put(UInt32(truncatingIfNeeded: type.modifierPair.second))
    }

    static func read(_ reader: inout BinaryReader) throws -> SQLType {
        let descriptor = TypeDescriptor.stored(try reader.get(UInt8.self))
        let first = Int(try reader.get(UInt32.self))
        let second = Int(try reader.get(UInt32.self))
        guard let descriptor else { throw reader.corrupted("unknown type") }
        guard let type = descriptor.type(first, second) else { throw reader.corrupted("type modifier") }
        return type
    }
}

extension TableDefinition {
    fileprivate var hasCollations: Bool { columns.contains { $0.collation != .caseSensitive } }
}
