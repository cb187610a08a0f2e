import SQLTypes

/// A named relation of the catalog.
package enum Relation: Hashable, Sendable {
    case table(TableDefinition)
    case view(ViewDefinition)

    package var id: ObjectID {
        switch self {
        case .table(let table): table.id
        case .view(let view): view.id
        }
    }
    package var schema: String {
        switch self {
        case .table(let table): table.schema
        case .view(let view): view.schema
        }
    }
    package var name: String {
        switch self {
        case .table(let table): table.name
        case .view(let view): view.name
        }
    }
}

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
    package mutating func put(_ schema: SchemaDefinition) { schemas[schema.name] = schema }
    package mutating func removeSchema(_ name: String) {
        schemas[name] = nil
        relations[name] = nil
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
    /// Whether the user owns a schema or a relation.
    package func isOwner(_ user: Int) -> Bool {
        schemas.values.contains { $0.owner == user }
            || relations.values.contains { $0.values.contains { $0.owner == user } }
    }

    /// Drops the privileges on what is no more.
    package mutating func forgetAccessOfDropped() {
        let ids = Set(relations.values.flatMap { $0.values.map(\.id) }).union(schemas.values.map(\.id))
        accounts.removeAccess { object in
            switch object {
            case .schema(let id), .relation(let id), .column(let id, _), .scope(_, .some(let id)): !ids.contains(id)
            case .database, .routine, .language, .scope(_, nil): false
            }
        }
        for key in Array(accounts.defaultAccess.keys) {
            if let schema = key.schema, !ids.contains(schema) { accounts.defaultAccess[key] = nil }
        }
    }

    /// Views that read the relation, directly.
    package func dependents(of id: ObjectID) -> [ViewDefinition] {
        allRelations.compactMap {
            if case .view(let view) = $0, view.dependencies.contains(id) { view } else { nil }
        }
    }
}
