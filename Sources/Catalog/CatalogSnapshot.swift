import SQLTypes

package struct SchemaDefinition: Hashable, Sendable {
    package var id: ObjectID
    package var name: String
    /// A user's id.
    package var owner: Int
    package init(id: ObjectID, name: String, owner: Int) {
        self.id = id
        self.name = name
        self.owner = owner
    }
}

/// All definitions of one database at one moment: an immutable value, so that readers need no lock and DDL is a new
/// value.
package struct CatalogSnapshot: Hashable, Sendable {
    package var database: String
    package private(set) var schemas: [String: SchemaDefinition]
    /// By schema, then by name.
    package private(set) var relations: [String: [String: Relation]]
    /// By schema, then by signature.
    package private(set) var functions: [String: [String: FunctionDefinition]] = [:]
    package var nextObjectID: Int64
    /// What transactions have that choose nothing else.
    package var isolation = IsolationLevel.snapshot
    /// Users, groups, roles and privileges.
    package var accounts: AccountCatalog

    package init(database: String = "dev") {
        self.database = database
        schemas = ["public": SchemaDefinition(id: ObjectID(2200), name: "public", owner: UserDefinition.firstID)]
        relations = [:]
        nextObjectID = 100_000
        accounts = .initial
    }

    package mutating func makeObjectID() -> ObjectID {
        defer { nextObjectID += 1 }
        return ObjectID(nextObjectID)
    }
    package func relation(schema: String, name: String) -> Relation? { relations[schema]?[name] }
    package func relation(id: ObjectID) -> Relation? {
        for names in relations.values { for relation in names.values where relation.id == id { return relation } }
        return nil
    }
    package mutating func put(_ relation: Relation) {
        relations[relation.schema, default: [:]][relation.name] = relation
    }
    package mutating func removeRelation(schema: String, name: String) { relations[schema]?[name] = nil }

    // MARK: Objects of any kind

    package func object(id: ObjectID) -> CatalogObject? {
        relation(id: id).map { .relation($0) }
            ?? functions.values.lazy.flatMap(\.values).first { $0.id == id }.map { .function($0) }
    }
    package mutating func put(_ object: CatalogObject) {
        switch object {
        case .relation(let relation): put(relation)
        case .function(let function): functions[function.schema, default: [:]][function.signature] = function
        }
    }
    package mutating func remove(_ object: CatalogObject) {
        switch object {
        case .relation(let relation): removeRelation(schema: relation.schema, name: relation.name)
        case .function(let function): functions[function.schema]?[function.signature] = nil
        }
    }
    /// What has the object's place: its name in its schema, for routines with the types of its arguments.
    package func occupant(ofPlaceOf object: CatalogObject) -> CatalogObject? {
        switch object {
        case .relation(let relation):
            self.relation(schema: relation.schema, name: relation.name).map { .relation($0) }
        case .function(let function): functions[function.schema]?[function.signature].map { .function($0) }
        }
    }
    /// Functions of the name, whatever their arguments.
    package func functions(schema: String, name: String) -> [FunctionDefinition] {
        guard let candidates = functions[schema] else { return [] }
        return candidates.values.filter { $0.name == name }.sorted { $0.signature < $1.signature }
    }
    package func objects(inSchema schema: String) -> [CatalogObject] {
        relations(inSchema: schema).map { .relation($0) }
            + (functions[schema] ?? [:]).values.sorted { $0.signature < $1.signature }.map { .function($0) }
    }
    package var allObjects: [CatalogObject] {
        allRelations.map { .relation($0) } + allFunctions.map { .function($0) }
    }
    package var allFunctions: [FunctionDefinition] {
        functions.values.flatMap(\.values).sorted { ($0.schema, $0.signature) < ($1.schema, $1.signature) }
    }

    // MARK: Schemas

    package mutating func put(_ schema: SchemaDefinition) { schemas[schema.name] = schema }
    package mutating func removeSchema(_ name: String) {
        schemas[name] = nil
        relations[name] = nil
        functions[name] = nil
    }
    package func relations(inSchema schema: String) -> [Relation] {
        (relations[schema] ?? [:]).values.sorted { $0.name < $1.name }
    }
    package var allRelations: [Relation] {
        relations.values.flatMap(\.values).sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
    }
    /// A user's id.
    package var databaseOwner: Int { accounts.databaseOwner }
    /// For those who read; a user that is gone shows by its number.
    package func ownerName(_ id: Int) -> String { accounts.users[id]?.name ?? "unknown (OID=\(id))" }
    /// Whether the user owns a schema or anything in one.
    package func isOwner(_ user: Int) -> Bool {
        schemas.values.contains { $0.owner == user }
            || relations.values.contains { $0.values.contains { $0.owner == user } }
            || functions.values.contains { $0.values.contains { $0.owner == user } }
    }

    /// Drops the privileges on what is no more.
    package mutating func forgetAccessOfDropped() {
        var ids = Set(relations.values.flatMap { $0.values.map(\.id) }).union(schemas.values.map(\.id))
        ids.formUnion(functions.values.flatMap { $0.values.map(\.id) })
        accounts.removeAccess { object in
            switch object {
            case .schema(let id), .relation(let id), .routine(let id), .column(let id, _), .scope(_, .some(let id)):
                !ids.contains(id)
            case .database, .language, .scope(_, nil): false
            }
        }
        for key in Array(accounts.defaultAccess.keys) {
            if let schema = key.schema, !ids.contains(schema) { accounts.defaultAccess[key] = nil }
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
        for case .view(let view) in relations.values.lazy.flatMap(\.values)
        where view.references.contains(where: isNeeded) {
            found.append(view.object)
        }
        for function in functions.values.lazy.flatMap(\.values) where function.references.contains(where: isNeeded) {
            found.append(function.object)
        }
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
