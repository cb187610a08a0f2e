import Catalog
import SQLTypes

/// What a commit changes inside of one database.
struct ContentsDifference {
    let database: ObjectID
    var removedSchemas: [String] = []
    var removedRelations: [(schema: String, name: String)] = []
    var schemas: [SchemaDefinition] = []
    var objects: [CatalogObject] = []
    /// Of what is no relation, the ids.
    var removedRoutines: [ObjectID] = []

    init(of database: ObjectID, from old: DatabaseContents, to new: DatabaseContents) {
        self.database = database
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
        if old.functions != new.functions { compareFunctions(old.functions, new.functions) }
        if old.procedures != new.procedures { compareProcedures(old.procedures, new.procedures) }
        if old.copyJobs != new.copyJobs { compareCopyJobs(old.copyJobs, new.copyJobs) }
    }

    private mutating func compareCopyJobs(
        _ old: [String: CopyJobDefinition], _ new: [String: CopyJobDefinition]
    ) {
        let kept = Set(new.values.map(\.id))
        removedRoutines += old.values.map(\.id).filter { !kept.contains($0) }.sorted()
        for (name, job) in new.sorted(by: { $0.key < $1.key }) where old[name] != job { objects.append(.copyJob(job)) }
    }

    private mutating func compareFunctions(
        _ old: [String: [String: FunctionDefinition]], _ new: [String: [String: FunctionDefinition]]
    ) {
        func byID(_ functions: [String: [String: FunctionDefinition]]) -> [ObjectID: FunctionDefinition] {
            Dictionary(uniqueKeysWithValues: functions.values.flatMap(\.values).map { ($0.id, $0) })
        }
        let (before, after) = (byID(old), byID(new))
        removedRoutines += before.keys.filter { after[$0] == nil }.sorted()
        for (id, function) in after.sorted(by: { $0.key < $1.key }) where before[id] != function {
            objects.append(.function(function))
        }
    }

    private mutating func compareProcedures(
        _ old: [String: [String: ProcedureDefinition]], _ new: [String: [String: ProcedureDefinition]]
    ) {
        func byID(_ procedures: [String: [String: ProcedureDefinition]]) -> [ObjectID: ProcedureDefinition] {
            Dictionary(uniqueKeysWithValues: procedures.values.flatMap(\.values).map { ($0.id, $0) })
        }
        let (before, after) = (byID(old), byID(new))
        removedRoutines += before.keys.filter { after[$0] == nil }.sorted()
        for (id, procedure) in after.sorted(by: { $0.key < $1.key }) where before[id] != procedure {
            objects.append(.procedure(procedure))
        }
    }

    /// - Parameter catalog: seen from the database.
    /// - Returns: relations that are gone from their places.
    func apply(
        to catalog: inout CatalogSnapshot, _ owners: StoredOwners, _ users: AccountCatalog
    ) -> Set<ObjectID> {
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
        for schema in schemas { catalog.put(owners.resolved(schema, users)) }
        // A procedure may have another name or schema now.
        for case .procedure(let procedure) in objects {
            if let before = catalog.object(id: procedure.id) { catalog.remove(before) }
        }
        for object in objects.map({ owners.resolved($0, users) }) {
            // Another object may have had the name.
            if let before = catalog.occupant(ofPlaceOf: object) { gone.insert(before.id) }
            catalog.put(object)
        }
        return gone
    }

    func write(_ writer: inout BinaryWriter) {
        writer.put(database.raw)
        writer.put(removedSchemas) { $0.put($1) }
        writer.put(removedRelations) { writer, relation in
            writer.put(relation.schema)
            writer.put(relation.name)
        }
        writer.put(schemas) { CatalogCodec.write($1, &$0) }
        writer.put(objects) { CatalogCodec.write($1, &$0) }
        writer.put(removedRoutines) { $0.put($1.raw) }
    }

    init(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws {
        try self.init(of: ObjectID(try reader.get()), &reader, &owners, routines: true)
    }

    /// - Parameter routines: removed ones stand behind the objects.
    init(
        of database: ObjectID, _ reader: inout BinaryReader, _ owners: inout StoredOwners, routines: Bool
    ) throws {
        self.database = database
        removedSchemas = try reader.getList { try $0.getString() }
        removedRelations = try reader.getList { (try $0.getString(), try $0.getString()) }
        schemas = try reader.getList { try CatalogCodec.readSchema(&$0, &owners) }
        objects = try reader.getList { try CatalogCodec.readObject(&$0, &owners) }
        if routines { removedRoutines = try reader.getList { ObjectID(try $0.get()) } }
    }
}
