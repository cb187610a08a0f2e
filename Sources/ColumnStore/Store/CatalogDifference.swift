import Catalog
import SQLTypes

/// What a commit changes in the catalog: what the log holds instead of a whole catalog.
struct CatalogDifference {
    /// New, or changed in what is said of them.
    var databases: [DatabaseDefinition] = []
    var removedDatabases: [ObjectID] = []
    /// Of databases that there are already, or that are new.
    var contents: [ContentsDifference] = []
    var nextObjectID: Int64
    /// Users and privileges as a whole; nil: as before.
    var accounts: AccountCatalog?
    /// What older versions said of their only database.
    private var onlyDatabase: OnlyDatabase?
    /// Of the definitions that were read.
    private var owners = StoredOwners(areNames: false)

    private struct OnlyDatabase {
        var name: String
        var isolation: IsolationLevel?
        var owner: Int?
    }

    init(from old: CatalogSnapshot, to new: CatalogSnapshot) {
        nextObjectID = new.nextObjectID
        accounts = new.accounts != old.accounts ? new.accounts : nil
        removedDatabases = old.databases.keys.filter { new.databases[$0] == nil }.sorted()
        for database in new.sortedDatabases {
            if old.databases[database.id] != database { databases.append(database) }
            let (before, after) = (old.contents(of: database.id), new.contents(of: database.id))
            if before == after { continue }
            contents.append(ContentsDifference(of: database.id, from: before, to: after))
        }
    }

    /// Nothing but numbers that nobody has used.
    var isEmpty: Bool { databases.isEmpty && removedDatabases.isEmpty && contents.isEmpty && accounts == nil }

    /// What becomes of tables: ids that are gone, definitions that are new.
    struct Tables {
        var dropped: [ObjectID] = []
        var defined: [TableDefinition] = []
    }

    func apply(to catalog: inout CatalogSnapshot) -> Tables {
        var gone: Set<ObjectID> = []
        for id in removedDatabases {
            for relation in catalog.within(id)?.allRelations ?? [] { gone.insert(relation.id) }
            catalog.removeDatabase(id)
        }
        for database in databases { catalog.put(database) }
        if let onlyDatabase { apply(onlyDatabase, to: &catalog) }
        let users = accounts ?? catalog.accounts
        var result = Tables()
        let seen = catalog.databaseID
        for difference in contents {
            catalog.enter(difference.database)
            gone.formUnion(difference.apply(to: &catalog, owners, users))
            for case .relation(.table(let table)) in difference.objects.map({ owners.resolved($0, users) }) {
                result.defined.append(table)
            }
        }
        catalog.enter(seen)
        catalog.nextObjectID = nextObjectID
        if let accounts { catalog.accounts = accounts }
        let kept = Set(contents.flatMap { $0.objects.map(\.id) })
        result.dropped = gone.subtracting(kept).sorted()
        return result
    }

    private func apply(_ only: OnlyDatabase, to catalog: inout CatalogSnapshot) {
        var database = catalog.databases[DatabaseDefinition.firstID] ?? catalog.database
        database.name = only.name
        if let isolation = only.isolation { database.isolation = isolation }
        if let owner = only.owner { database.owner = owner }
        catalog.put(database)
    }

    func write(_ writer: inout BinaryWriter) {
        writer.put(databases) { DatabaseCodec.write($1, &$0) }
        writer.put(removedDatabases) { $0.put($1.raw) }
        writer.put(contents) { $1.write(&$0) }
        writer.put(nextObjectID)
        writer.put(accounts) { AccountCodec.write($1, &$0) }
    }

    init(_ reader: inout BinaryReader) throws {
        var owners = StoredOwners(areNames: false)
        databases = try reader.getList { try DatabaseCodec.read(&$0) }
        removedDatabases = try reader.getList { ObjectID(try $0.get()) }
        contents = try reader.getList { try ContentsDifference(&$0, &owners) }
        nextObjectID = try reader.get()
        accounts = try reader.getOptional { try AccountCodec.read(&$0).accounts }
    }

    /// As logs have it from before there were several databases.
    ///
    /// - Parameter ownersAreNames: as in logs of before owners had ids.
    init(ofOneDatabase reader: inout BinaryReader, ownersAreNames: Bool) throws {
        var owners = StoredOwners(areNames: ownersAreNames)
        var difference = try ContentsDifference(
            of: DatabaseDefinition.firstID, &reader, &owners, routines: false)
        self.owners = owners
        var only = OnlyDatabase(name: try reader.getString())
        nextObjectID = try reader.get()
        only.isolation = try reader.getOptional { try DatabaseCodec.readIsolation(&$0) }
        let stored = try reader.getOptional { try AccountCodec.read(&$0, ofOneDatabase: true) }
        accounts = stored?.accounts
        only.owner = stored?.databaseOwner
        if !reader.isAtEnd { difference.removedRoutines = try reader.getList { ObjectID(try $0.get()) } }
        onlyDatabase = only
        contents = [difference]
    }
}
