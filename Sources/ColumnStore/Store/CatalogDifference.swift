import Catalog
import SQLTypes

/// What a commit changes in the catalog: what the log holds instead of a whole catalog.
struct CatalogDifference {
    var removedSchemas: [String] = []
    var removedRelations: [(schema: String, name: String)] = []
    var schemas: [SchemaDefinition] = []
    var objects: [CatalogObject] = []
    /// Of what is no relation, the ids.
    var removedRoutines: [ObjectID] = []
    var database: String
    var nextObjectID: Int64
    /// nil: as before.
    var isolation: IsolationLevel?
    /// Users and privileges as a whole; nil: as before.
    var accounts: AccountCatalog?
    /// Of the definitions that were read.
    private var owners = StoredOwners(areNames: false)

    init(from old: CatalogSnapshot, to new: CatalogSnapshot) {
        database = new.database
        nextObjectID = new.nextObjectID
        isolation = new.isolation != old.isolation ? new.isolation : nil
        accounts = new.accounts != old.accounts ? new.accounts : nil
        for (name, schema) in old.schemas where new.schemas[name] != schema {
            if new.schemas[name] == nil { removedSchemas.append(name) }
        }
        for (name, schema) in new.schemas where old.schemas[name] != schema { schemas.append(schema) }
        for (schema, before) in old.relations {
            let after = new.relations[schema] ?? [:]
            if before == after { continue }
            for name in before.keys where after[name] == nil { removedRelations.append((schema, name)) }
        }
        for (schema, after) in new.relations {
            let before = old.relations[schema] ?? [:]
            if before == after { continue }
            for (name, relation) in after where before[name] != relation { objects.append(.relation(relation)) }
        }
        if old.functions != new.functions { compareFunctions(old, new) }
    }

    private mutating func compareFunctions(_ old: CatalogSnapshot, _ new: CatalogSnapshot) {
        let before = Dictionary(uniqueKeysWithValues: old.allFunctions.map { ($0.id, $0) })
        let after = Dictionary(uniqueKeysWithValues: new.allFunctions.map { ($0.id, $0) })
        removedRoutines = before.keys.filter { after[$0] == nil }.sorted()
        for function in new.allFunctions where before[function.id] != function { objects.append(.function(function)) }
    }

    /// Nothing but numbers that nobody has used.
    var isEmpty: Bool {
        removedSchemas.isEmpty && removedRelations.isEmpty && schemas.isEmpty && objects.isEmpty
            && removedRoutines.isEmpty && isolation == nil && accounts == nil
    }

    /// What becomes of tables: ids that are gone, definitions that are new.
    struct Tables {
        var dropped: [ObjectID] = []
        var defined: [TableDefinition] = []
    }

    func apply(to catalog: inout CatalogSnapshot) -> Tables {
        var gone: Set<ObjectID> = []
        for (schema, name) in removedRelations {
            if let relation = catalog.relation(schema: schema, name: name) { gone.insert(relation.id) }
            catalog.removeRelation(schema: schema, name: name)
        }
        for id in removedRoutines { if let object = catalog.object(id: id) { catalog.remove(object) } }
        for name in removedSchemas {
            for relation in catalog.relations(inSchema: name) { gone.insert(relation.id) }
            catalog.removeSchema(name)
        }
        let users = accounts ?? catalog.accounts
        for schema in schemas { catalog.put(owners.resolved(schema, users)) }
        var result = Tables()
        for object in objects.map({ owners.resolved($0, users) }) {
            // Another object may have had the name.
            if let before = catalog.occupant(ofPlaceOf: object) { gone.insert(before.id) }
            catalog.put(object)
            if case .relation(.table(let table)) = object { result.defined.append(table) }
        }
        catalog.database = database
        catalog.nextObjectID = nextObjectID
        if let isolation { catalog.isolation = isolation }
        if let accounts { catalog.accounts = accounts }
        let kept = Set(objects.map(\.id))
        result.dropped = gone.subtracting(kept).sorted()
        return result
    }

    func write(_ writer: inout BinaryWriter) {
        writer.put(removedSchemas) { $0.put($1) }
        writer.put(removedRelations) { writer, relation in
            writer.put(relation.schema)
            writer.put(relation.name)
        }
        writer.put(schemas) { CatalogCodec.write($1, &$0) }
        writer.put(objects) { CatalogCodec.write($1, &$0) }
        writer.put(database)
        writer.put(nextObjectID)
        writer.put(isolation) { $0.put($1.rawValue) }
        writer.put(accounts) { AccountCodec.write($1, &$0) }
        if !removedRoutines.isEmpty { writer.put(removedRoutines) { $0.put($1.raw) } }
    }

    /// - Parameter ownersAreNames: as in logs of before owners had ids.
    init(_ reader: inout BinaryReader, ownersAreNames: Bool) throws {
        var owners = StoredOwners(areNames: ownersAreNames)
        removedSchemas = try reader.getList { try $0.getString() }
        removedRelations = try reader.getList { (try $0.getString(), try $0.getString()) }
        schemas = try reader.getList { try CatalogCodec.readSchema(&$0, &owners) }
        objects = try reader.getList { try CatalogCodec.readObject(&$0, &owners) }
        self.owners = owners
        database = try reader.getString()
        nextObjectID = try reader.get()
        isolation = try reader.getOptional { reader in
            guard let level = IsolationLevel(rawValue: try reader.getString()) else {
                throw reader.corrupted("unknown isolation level")
            }
            return level
        }
        accounts = try reader.getOptional { try AccountCodec.read(&$0) }
        if !reader.isAtEnd { removedRoutines = try reader.getList { ObjectID(try $0.get()) } }
    }
}
