import SQLTypes

package struct SchemaDefinition: Hashable, Sendable {
    package var id: ObjectID
    package var name: String
    /// A user's id.
    package var owner: Int
    /// What its permanent tables may take; nil: as much as there is.
    package var quotaMegabytes: Int64?
    package var comment: String?
    package init(
        id: ObjectID, name: String, owner: Int, quotaMegabytes: Int64? = nil, comment: String? = nil
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.quotaMegabytes = quotaMegabytes
        self.comment = comment
    }
}

/// All definitions of a warehouse at one moment, seen from one of its databases: names are looked up in that one, and
/// new objects go there; ids are known in all. An immutable value, so that readers need no lock and DDL is a new value.
package struct CatalogSnapshot: Hashable, Sendable {
    package private(set) var databases: [ObjectID: DatabaseDefinition]
    /// The database that the warehouse is seen from.
    package private(set) var databaseID: ObjectID
    private var contents: [ObjectID: DatabaseContents]
    package var nextObjectID: Int64
    /// Users, groups, roles and privileges.
    package var accounts: AccountCatalog

    package init(database: String = "dev") {
        databaseID = DatabaseDefinition.firstID
        databases = [databaseID: DatabaseDefinition(id: databaseID, name: database)]
        contents = [databaseID: DatabaseContents()]
        nextObjectID = 100_000
        accounts = .initial
        put(SchemaDefinition(id: AccountCatalog.publicSchema, name: "public", owner: UserDefinition.firstID))
    }

    /// Without any database: to be filled from its stored form.
    package static let empty: CatalogSnapshot = {
        var catalog = CatalogSnapshot()
        catalog.databases = [:]
        catalog.contents = [:]
        return catalog
    }()

    package mutating func makeObjectID() -> ObjectID {
        defer { nextObjectID += 1 }
        return ObjectID(nextObjectID)
    }

    // MARK: Databases

    package var database: DatabaseDefinition {
        databases[databaseID] ?? DatabaseDefinition(id: databaseID, name: "")
    }
    package func database(named name: String) -> DatabaseDefinition? { databases.values.first { $0.name == name } }
    package var sortedDatabases: [DatabaseDefinition] { databases.values.sorted { $0.id < $1.id } }

    /// The same seen from another database; nil when there is none of that id.
    package func within(_ database: ObjectID) -> CatalogSnapshot? {
        guard databases[database] != nil else { return nil }
        var result = self
        result.databaseID = database
        return result
    }
    /// Looks from another database from now on, which there should be.
    package mutating func enter(_ database: ObjectID) { databaseID = database }
    /// Each database's point of view, in the order of ids.
    package var withinEach: [CatalogSnapshot] { databases.keys.sorted().compactMap { within($0) } }

    /// A new one is empty.
    package mutating func put(_ database: DatabaseDefinition) {
        databases[database.id] = database
        if contents[database.id] == nil { contents[database.id] = DatabaseContents() }
    }
    /// With everything in it. The first one stays.
    package mutating func removeDatabase(_ id: ObjectID) {
        guard id != DatabaseDefinition.firstID else { return }
        databases[id] = nil
        contents[id] = nil
        if databaseID == id { databaseID = DatabaseDefinition.firstID }
    }

    package func contents(of database: ObjectID) -> DatabaseContents { contents[database] ?? DatabaseContents() }

    /// Temporary schemas have names that no other database has, and are found from everywhere.
    private func place(ofSchema name: String) -> ObjectID {
        if contents.count == 1 || !name.hasPrefix("pg_temp_") || contents[databaseID]?.schemas[name] != nil {
            return databaseID
        }
        return contents.first { $0.value.schemas[name] != nil }?.key ?? databaseID
    }

    package var tablesOfAllDatabases: [TableDefinition] {
        contents.sorted { $0.key < $1.key }.flatMap { $0.value.relations.values.flatMap(\.values) }.compactMap {
            if case .table(let table) = $0 { table } else { nil }
        }
    }

    /// The database of an object of any kind.
    package func database(of id: ObjectID) -> ObjectID? {
        if contents[databaseID]?.object(id: id) != nil { return databaseID }
        return contents.first { $0.value.object(id: id) != nil }?.key
    }

    package func within(databaseOf relation: Relation) -> CatalogSnapshot {
        if databases.count == 1 || self.relation(schema: relation.schema, name: relation.name)?.id == relation.id {
            return self
        }
        return database(of: relation.id).flatMap { within($0) } ?? self
    }

    // MARK: Relations

    package var schemas: [String: SchemaDefinition] { contents[databaseID]?.schemas ?? [:] }
    package func schema(named name: String) -> SchemaDefinition? { contents[place(ofSchema: name)]?.schemas[name] }
    /// By schema, then by name.
    package var relations: [String: [String: Relation]] { contents[databaseID]?.relations ?? [:] }
    package var functions: [String: [String: FunctionDefinition]] { contents[databaseID]?.functions ?? [:] }
    package var procedures: [String: [String: ProcedureDefinition]] { contents[databaseID]?.procedures ?? [:] }

    package var copyJobs: [String: CopyJobDefinition] { contents[databaseID]?.copyJobs ?? [:] }

    package func relation(schema: String, name: String) -> Relation? {
        contents[place(ofSchema: schema)]?.relations[schema]?[name]
    }
    package func relation(id: ObjectID) -> Relation? {
        if let found = contents[databaseID]?.relation(id: id) { return found }
        for (database, inside) in contents where database != databaseID {
            if let found = inside.relation(id: id) { return found }
        }
        return nil
    }
    package mutating func put(_ relation: Relation) {
        let place = place(ofSchema: relation.schema)
        contents[place]?.relations[relation.schema, default: [:]][relation.name] = relation
    }
    package mutating func removeRelation(schema: String, name: String) {
        contents[place(ofSchema: schema)]?.relations[schema]?[name] = nil
    }

    // MARK: Objects of any kind

    package func object(id: ObjectID) -> CatalogObject? {
        if let found = contents[databaseID]?.object(id: id) { return found }
        for (database, inside) in contents where database != databaseID {
            if let found = inside.object(id: id) { return found }
        }
        return nil
    }
    package mutating func put(_ object: CatalogObject) {
        switch object {
        case .relation(let relation): put(relation)
        case .function(let function):
            let place = place(ofSchema: function.schema)
            contents[place]?.functions[function.schema, default: [:]][function.signature] = function
        case .procedure(let procedure):
            let place = place(ofSchema: procedure.schema)
            contents[place]?.procedures[procedure.schema, default: [:]][procedure.signature] = procedure
        case .copyJob(let job): contents[databaseID]?.copyJobs[job.name] = job
        }
    }
    package mutating func remove(_ object: CatalogObject) {
        switch object {
        case .relation(let relation): removeRelation(schema: relation.schema, name: relation.name)
        case .function(let function):
            contents[place(ofSchema: function.schema)]?.functions[function.schema]?[function.signature] = nil
        case .procedure(let procedure):
            contents[place(ofSchema: procedure.schema)]?.procedures[procedure.schema]?[procedure.signature] = nil
        case .copyJob(let job): contents[databaseID]?.copyJobs[job.name] = nil
        }
    }
    /// What has the object's place: its name in its schema, for routines with the types of its arguments.
    package func occupant(ofPlaceOf object: CatalogObject) -> CatalogObject? {
        switch object {
        case .relation(let relation):
            self.relation(schema: relation.schema, name: relation.name).map { .relation($0) }
        case .function(let function): functions[function.schema]?[function.signature].map { .function($0) }
        case .procedure(let procedure): procedures[procedure.schema]?[procedure.signature].map { .procedure($0) }
        case .copyJob(let job): copyJobs[job.name].map { .copyJob($0) }
        }
    }
    /// Functions of the name, whatever their arguments.
    package func functions(schema: String, name: String) -> [FunctionDefinition] {
        guard let candidates = contents[databaseID]?.functions[schema] else { return [] }
        return candidates.values.filter { $0.name == name }.sorted { $0.signature < $1.signature }
    }
    /// Procedures of the name, whatever their arguments.
    package func procedures(schema: String, name: String) -> [ProcedureDefinition] {
        guard let candidates = contents[databaseID]?.procedures[schema] else { return [] }
        return candidates.values.filter { $0.name == name }.sorted { $0.signature < $1.signature }
    }
    package func objects(inSchema schema: String) -> [CatalogObject] {
        let functions = contents[place(ofSchema: schema)]?.functions[schema] ?? [:]
        let procedures = contents[place(ofSchema: schema)]?.procedures[schema] ?? [:]
        return relations(inSchema: schema).map { .relation($0) }
            + functions.values.sorted { $0.signature < $1.signature }.map { .function($0) }
            + procedures.values.sorted { $0.signature < $1.signature }.map { .procedure($0) }
            + allCopyJobs.filter { $0.schema == schema }.map { .copyJob($0) }
    }
    package var allObjects: [CatalogObject] {
        allRelations.map { .relation($0) } + allFunctions.map { .function($0) }
            + allProcedures.map { .procedure($0) } + allCopyJobs.map { .copyJob($0) }
    }
    package var allCopyJobs: [CopyJobDefinition] { copyJobs.values.sorted { $0.name < $1.name } }
    package var allFunctions: [FunctionDefinition] {
        functions.values.flatMap(\.values).sorted { ($0.schema, $0.signature) < ($1.schema, $1.signature) }
    }

    package var allProcedures: [ProcedureDefinition] {
        procedures.values.flatMap(\.values).sorted { ($0.schema, $0.signature) < ($1.schema, $1.signature) }
    }

    // MARK: Schemas

    package mutating func put(_ schema: SchemaDefinition) {
        contents[place(ofSchema: schema.name)]?.schemas[schema.name] = schema
    }
    package mutating func removeSchema(_ name: String) { contents[place(ofSchema: name)]?.removeSchema(name) }
    package func relations(inSchema schema: String) -> [Relation] {
        (contents[place(ofSchema: schema)]?.relations[schema] ?? [:]).values.sorted { $0.name < $1.name }
    }
    package var allRelations: [Relation] {
        relations.values.flatMap(\.values).sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
    }
    /// For those who read; a user that is gone shows by its number.
    package func ownerName(_ id: Int) -> String { accounts.users[id]?.name ?? "unknown (OID=\(id))" }
    /// Whether the user owns a database, a schema or anything in one.
    package func isOwner(_ user: Int) -> Bool {
        databases.values.contains { $0.owner == user } || contents.values.contains { $0.isOwner(user) }
    }

    /// Drops the privileges on what is no more.
    package mutating func forgetAccessOfDropped() {
        let ids = contents.values.reduce(into: Set(databases.keys)) { $0.formUnion($1.ids) }
        accounts.removeAccess { object in
            switch object {
            case .database(let id), .schema(let id), .relation(let id), .routine(let id), .procedure(let id),
                .column(let id, _),
                .scope(_, let id):
                !ids.contains(id)
            case .language: false
            }
        }
        for key in Array(accounts.defaultAccess.keys)
        where !ids.contains(key.database) || !(key.schema.map(ids.contains) ?? true) {
            accounts.defaultAccess[key] = nil
        }
    }

    // MARK: Dependencies

    /// What names the object, directly.
    package func dependents(of id: ObjectID) -> [CatalogObject] {
        dependents { $0.object == id }
    }
    /// What uses the column of the object, directly.
    package func dependents(of id: ObjectID, column: Int32) -> [CatalogObject] {
        dependents { $0.object == id && $0.uses(column: column) }
    }
    private func dependents(where isNeeded: (ObjectReference) -> Bool) -> [CatalogObject] {
        var found: [CatalogObject] = []
        for relation in relations.values.lazy.flatMap(\.values) {
            switch relation {
            case .view(let view) where view.references.contains(where: isNeeded): found.append(view.object)
            case .table(let table) where table.materialized?.references.contains(where: isNeeded) == true:
                found.append(table.object)
            case .view, .table: continue
            }
        }
        for function in functions.values.lazy.flatMap(\.values) where function.references.contains(where: isNeeded) {
            found.append(function.object)
        }
        for job in copyJobs.values where job.references.contains(where: isNeeded) { found.append(job.object) }
        return found.sorted { ($0.schema, $0.title) < ($1.schema, $1.title) }
    }
    /// Foreign keys that refer to the table, with the tables that have them.
    package func foreignKeys(to id: ObjectID) -> [(table: TableDefinition, constraint: TableConstraint)] {
        var found: [(table: TableDefinition, constraint: TableConstraint)] = []
        for case .table(let table) in relations.values.lazy.flatMap(\.values) where table.id != id {
            for constraint in table.constraints where constraint.refers(to: id) { found.append((table, constraint)) }
        }
        return found.sorted { ($0.table.schema, $0.table.name) < ($1.table.schema, $1.table.name) }
    }
}
