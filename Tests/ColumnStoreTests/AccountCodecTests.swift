import Catalog
import Testing

@testable import ColumnStore

/// Accounts in the stored catalog.
struct AccountCodecTests {
    private func roundTrip(_ catalog: CatalogSnapshot) throws -> CatalogSnapshot {
        var writer = BinaryWriter()
        CatalogCodec.write(catalog, &writer)
        var reader = BinaryReader(writer.bytes, file: "test")
        let read = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd)
        return read
    }

    private var full: CatalogSnapshot {
        var catalog = CatalogSnapshot()
        var user = UserDefinition(
            id: catalog.accounts.makeID(), name: "ann", isSuperuser: true, canCreateDatabases: true,
            password: PasswordVerifier(stored: "md5x"), validUntilMicroseconds: -5, connectionLimit: 0,
            sessionTimeoutSeconds: 60, isSyslogUnrestricted: true, externalID: "e")
        user.settings = ["a": "b", "c": ""]
        catalog.accounts.users[user.id] = user
        let plain = UserDefinition(id: catalog.accounts.makeID(), name: "")
        catalog.accounts.users[plain.id] = plain
        catalog.accounts.groups[200] = GroupDefinition(id: 200, name: "g", members: [100, 101])
        catalog.accounts.roles[201] = RoleDefinition(
            id: 201, name: "r", owner: 100, externalID: "x", systemPrivileges: ["VACUUM", "ANALYZE"])
        for member in [PrivilegeHolder.user(100), .role(90)] {
            catalog.accounts.roleGrants[RoleMembership(role: 201, member: member)] = RoleGrant(
                adminOption: member == .user(100), grantor: 1)
        }
        let holders: [PrivilegeHolder] = [.everyone, .user(100), .group(200), .role(201)]
        let list = AccessList(
            holders.map { AccessEntry(holder: $0, privileges: [.select, .alter], grantable: .select, grantor: 100) })
        let id = ObjectID(5)
        let objects: [SecuredObject] = [
            .database(DatabaseDefinition.firstID), .database(id), .schema(id), .relation(id), .column(id, -1),
            .routine(id), .language("sql"),
            .scope(.tables, in: DatabaseDefinition.firstID), .scope(.languages, in: id),
        ]
        for object in objects { catalog.accounts.access[object] = list }
        for kind in DefaultPrivilegeKey.Kind.allCases {
            let first = DatabaseDefinition.firstID
            let (narrow, wide) = (
                DefaultPrivilegeKey(owner: 100, database: first, schema: id, kind: kind),
                DefaultPrivilegeKey(owner: 101, database: id, schema: nil, kind: kind)
            )
            catalog.accounts.defaultAccess[narrow] = list
            catalog.accounts.defaultAccess[wide] = AccessList()
        }
        return catalog
    }

    @Test func everythingComesBack() throws {
        #expect(try roundTrip(CatalogSnapshot()) == CatalogSnapshot())
        let catalog = full
        let read = try roundTrip(catalog)
        #expect(read == catalog)
        #expect(read.accounts.user(named: "ann")?.id == 100)
    }

    /// Catalogs from before there were accounts begin with the database's name.
    @Test func theFirstFormatIsRead() throws {
        var writer = BinaryWriter()
        writer.put("dev")
        writer.put(Int64(100_007))
        writer.put([(id: Int64(2200), name: "public", owner: "dev")]) { writer, schema in
            writer.put(schema.id)
            writer.put(schema.name)
            writer.put(schema.owner)
        }
        writer.put([Relation]()) { _, _ in }
        var reader = BinaryReader(writer.bytes, file: "test")
        let catalog = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd && catalog.nextObjectID == 100_007)
        #expect(catalog.accounts == .initial && catalog.schemas["public"]?.owner == 100)
    }

    /// Until the third format definitions named their owners.
    @Test func ownersByNameAreRead() throws {
        var catalog = CatalogSnapshot()
        for (id, name) in [(100, "dev"), (107, "ann")] {
            catalog.accounts.users[id] = UserDefinition(id: id, name: name)
        }
        var writer = BinaryWriter()
        writer.put(UInt32(0xFFFF_FFFE))
        writer.put(UInt32(2))
        writer.put("dev")
        writer.put(Int64(100_007))
        let schemas = [("public", "dev"), ("of_ann", "ann"), ("of_the_system", "rdsdb"), ("of_nobody", "gone")]
        writer.put(Array(schemas.enumerated())) { writer, entry in
            writer.put(Int64(2200 + entry.offset))
            writer.put(entry.element.0)
            writer.put(entry.element.1)
        }
        writer.put([Relation]()) { _, _ in }
        writer.put(raw: OlderForms.accounts(catalog.accounts, databaseOwner: 107))
        writer.put(IsolationLevel.serializable.rawValue)
        var reader = BinaryReader(writer.bytes, file: "test")
        let read = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd)
        #expect(schemas.map { read.schemas[$0.0]?.owner } == [100, 107, UserDefinition.bootstrapID, 100])
        #expect(read.database.owner == 107 && read.database.isolation == .serializable)
    }

    @Test func damageIsAnError() throws {
        var writer = BinaryWriter()
        CatalogCodec.write(full, &writer)
        for length in stride(from: 0, to: writer.bytes.count, by: 3) {
            var reader = BinaryReader(Array(writer.bytes[..<length]), file: "test")
            #expect(throws: (any Error).self) { try CatalogCodec.read(&reader) }
        }
        var bytes = writer.bytes
        bytes[4] = 77
        var reader = BinaryReader(bytes, file: "test")
        #expect(throws: (any Error).self) { try CatalogCodec.read(&reader) }
    }

    /// Two sessions' changes meet where they are about different things only.
    @Test func concurrentChangesMeet() throws {
        let base = full.accounts
        var mine = base, theirs = base
        mine.users[300] = UserDefinition(id: 300, name: "mine")
        theirs.access[.relation(ObjectID(9))] = AccessList()
        theirs.users[101]?.name = "theirs"
        let merged = try #require(mine.rebased(from: base, onto: theirs))
        #expect(merged.users[300]?.name == "mine" && merged.users[101]?.name == "theirs")
        #expect(merged.access[.relation(ObjectID(9))] != nil)
        mine.users[101]?.name = "mine too"
        #expect(mine.rebased(from: base, onto: theirs) == nil)
    }
}
