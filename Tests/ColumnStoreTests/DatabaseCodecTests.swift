import Catalog
import Testing

@testable import ColumnStore

/// Forms in which older versions stored what is another one now.
enum OlderForms {
    /// Until the third format of catalogs, the database's owner stood behind the next id.
    static func accounts(_ accounts: AccountCatalog, databaseOwner: Int) -> [UInt8] {
        var writer = BinaryWriter()
        AccountCodec.write(accounts, &writer)
        let owner = withUnsafeBytes(of: Int64(databaseOwner).littleEndian) { Array($0) }
        return Array(writer.bytes[..<8]) + owner + Array(writer.bytes[8...])
    }

    /// With privileges on the database, on all tables of it, and of new tables anywhere in it; nobody else is there.
    static func privileges(databaseOwner: Int) -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(Int64(103))
        writer.put(Int64(databaseOwner))
        for _ in ["users", "groups", "roles", "role grants"] { writer.put(UInt32(0)) }
        writer.put(UInt32(2))
        writer.put(UInt8(0))
        writer.put(UInt32(0))
        writer.put(UInt8(6))
        writer.put(ObjectKindInScope.tables.rawValue)
        writer.put(false)
        writer.put(UInt32(0))
        writer.put(UInt32(1))
        writer.put(Int64(101))
        writer.put(false)
        writer.put(DefaultPrivilegeKey.Kind.relation.rawValue)
        writer.put(UInt32(0))
        return writer.bytes
    }
}

/// Databases in the stored catalog and in the log.
struct DatabaseCodecTests {
    private static let first = DatabaseDefinition.firstID

    private func table(_ id: Int64, _ name: String) -> TableDefinition {
        TableDefinition(
            id: ObjectID(id), schema: "public", name: name,
            columns: [ColumnDefinition(id: 1, name: "a", type: .integer)])
    }

    @Test func quotasAndCommentsComeBack() throws {
        var catalog = CatalogSnapshot()
        catalog.put(SchemaDefinition(id: ObjectID(100_001), name: "small", owner: 100, quotaMegabytes: 5))
        catalog.put(SchemaDefinition(id: ObjectID(100_002), name: "empty", owner: 100, quotaMegabytes: 0, comment: "c"))
        catalog.put(SchemaDefinition(id: ObjectID(100_003), name: "plain", owner: 100))
        var keyed = table(100_004, "t")
        keyed.constraints = [
            TableConstraint(name: "k", kind: .primaryKey, columns: [0], comment: "the key"),
            TableConstraint(name: "u", kind: .unique, columns: [0]),
        ]
        catalog.put(.table(keyed))
        var writer = BinaryWriter()
        CatalogCodec.write(catalog, &writer)
        var reader = BinaryReader(writer.bytes, file: "test")
        let read = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd && read == catalog)
        // Cut anywhere, it is refused and nothing else.
        for length in 0..<writer.bytes.count {
            var short = BinaryReader(Array(writer.bytes.prefix(length)), file: "test")
            #expect(throws: (any Error).self) { try CatalogCodec.read(&short) }
        }
    }

    /// Two databases with a table of one name; one has a column that ignores the case.
    private var two: CatalogSnapshot {
        var catalog = CatalogSnapshot()
        catalog.put(.table(table(100_001, "t")))
        let other = DatabaseDefinition(
            id: ObjectID(100_002), name: "other", owner: 105, connectionLimit: 3, collation: .caseInsensitive,
            isolation: .serializable, comment: "c")
        catalog.put(other)
        catalog.enter(other.id)
        catalog.put(SchemaDefinition(id: ObjectID(100_003), name: "public", owner: 100))
        var collated = table(100_004, "t")
        collated.columns.append(ColumnDefinition(id: 2, name: "b", type: .varchar(20)))
        collated.columns[1].collation = .caseInsensitive
        catalog.put(.table(collated))
        catalog.enter(DatabaseCodecTests.first)
        return catalog
    }

    private func written(_ difference: CatalogDifference) throws -> CatalogDifference {
        var writer = BinaryWriter()
        difference.write(&writer)
        var reader = BinaryReader(writer.bytes, file: "test")
        let read = try CatalogDifference(&reader)
        #expect(reader.isAtEnd)
        return read
    }

    @Test func catalogsComeBack() throws {
        var writer = BinaryWriter()
        CatalogCodec.write(two, &writer)
        var reader = BinaryReader(writer.bytes, file: "test")
        #expect(try CatalogCodec.read(&reader) == two && reader.isAtEnd)
        for length in 0..<writer.bytes.count {
            var reader = BinaryReader(Array(writer.bytes[..<length]), file: "test")
            #expect(throws: (any Error).self) { try CatalogCodec.read(&reader) }
        }
    }

    @Test func differencesComeBack() throws {
        var catalog = CatalogSnapshot()
        let made = try written(CatalogDifference(from: catalog, to: two)).apply(to: &catalog)
        #expect(catalog == two && made.dropped.isEmpty && made.defined.map(\.id.raw).sorted() == [100_001, 100_004])
        let dropped = try written(CatalogDifference(from: two, to: CatalogSnapshot())).apply(to: &catalog)
        #expect(catalog.databases.count == 1 && catalog.allRelations.isEmpty && catalog.tablesOfAllDatabases.isEmpty)
        #expect(dropped.dropped.map(\.raw) == [100_001, 100_004])
    }

    /// From where a catalog is seen is no difference.
    @Test func pointsOfViewAreNoDifference() throws {
        let seen = try #require(two.within(ObjectID(100_002)))
        #expect(CatalogDifference(from: two, to: seen).isEmpty)
        let unchanged = try CatalogRebase(base: two, mine: seen).onto(two)
        #expect(unchanged == two)
    }

    @Test func changesOfTwoDatabasesMeet() throws {
        var mine = try #require(two.within(ObjectID(100_002))), theirs = two
        mine.put(.table(table(100_010, "mine")))
        theirs.put(.table(table(100_011, "mine")))
        let merged = try CatalogRebase(base: two, mine: mine).onto(theirs)
        #expect(merged.relation(schema: "public", name: "mine")?.id.raw == 100_011)
        #expect(merged.within(ObjectID(100_002))?.relation(schema: "public", name: "mine")?.id.raw == 100_010)
    }

    @Test func dropOfWhatOthersChangeFails() throws {
        var mine = two
        mine.removeDatabase(ObjectID(100_002))
        var theirs = try #require(two.within(ObjectID(100_002)))
        theirs.put(.table(table(100_012, "late")))
        #expect(throws: (any Error).self) { try CatalogRebase(base: two, mine: mine).onto(theirs) }
        #expect(throws: (any Error).self) { try CatalogRebase(base: two, mine: theirs).onto(mine) }
        var sameName = CatalogSnapshot()
        sameName.put(DatabaseDefinition(id: ObjectID(100_020), name: "other"))
        #expect(throws: (any Error).self) {
            try CatalogRebase(base: CatalogSnapshot(), mine: sameName).onto(two)
        }
    }

    // MARK: Of before there were several

    @Test func catalogsOfOneDatabaseAreRead() throws {
        var writer = BinaryWriter()
        writer.put(UInt32(0xFFFF_FFFE))
        writer.put(UInt32(3))
        writer.put("dev")
        writer.put(Int64(100_050))
        writer.put([SchemaDefinition(id: ObjectID(2200), name: "public", owner: 100)]) { CatalogCodec.write($1, &$0) }
        writer.put([table(100_001, "t").object]) { CatalogCodec.write($1, &$0) }
        writer.put(raw: OlderForms.privileges(databaseOwner: 102))
        writer.put("serializable")
        var reader = BinaryReader(writer.bytes, file: "test")
        let catalog = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd && catalog.databases.count == 1 && catalog.nextObjectID == 100_050)
        let (database, first) = (catalog.database, DatabaseCodecTests.first)
        #expect(database.id == first && database.name == "dev" && database.owner == 102)
        #expect(database.isolation == .serializable && database.connectionLimit == nil)
        #expect(catalog.relation(schema: "public", name: "t")?.id.raw == 100_001)
        #expect(Set(catalog.accounts.access.keys) == [.database(first), .scope(.tables, in: first)])
        let key = DefaultPrivilegeKey(owner: 101, database: first, schema: nil, kind: .relation)
        #expect(Array(catalog.accounts.defaultAccess.keys) == [key])
    }

    @Test func logsOfOneDatabaseAreRead() throws {
        var writer = BinaryWriter()
        writer.put(["gone"]) { $0.put($1) }
        writer.put([("public", "t")]) { writer, relation in
            writer.put(relation.0)
            writer.put(relation.1)
        }
        writer.put([SchemaDefinition(id: ObjectID(100_060), name: "new", owner: 100)]) { CatalogCodec.write($1, &$0) }
        writer.put([table(100_061, "u").object]) { CatalogCodec.write($1, &$0) }
        writer.put("dev")
        writer.put(Int64(100_070))
        writer.put(IsolationLevel?.some(.serializable)) { $0.put($1.rawValue) }
        writer.put(Bool?.some(true)) { writer, _ in writer.put(raw: OlderForms.privileges(databaseOwner: 104)) }
        var reader = BinaryReader(writer.bytes, file: "test")
        let difference = try CatalogDifference(ofOneDatabase: &reader, ownersAreNames: false)
        #expect(reader.isAtEnd)
        var catalog = CatalogSnapshot()
        catalog.put(SchemaDefinition(id: ObjectID(9), name: "gone", owner: 100))
        catalog.put(.table(table(100_001, "t")))
        let tables = difference.apply(to: &catalog)
        #expect(tables.dropped.map(\.raw) == [100_001] && tables.defined.map(\.name) == ["u"])
        #expect(Set(catalog.schemas.keys) == ["public", "new"] && catalog.nextObjectID == 100_070)
        #expect(catalog.database.owner == 104 && catalog.database.isolation == .serializable)
    }
}
