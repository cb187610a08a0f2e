import SQLTypes

/// A named relation of the catalog.
public enum Relation: Hashable, Sendable {
    case table(TableDefinition)
    case view(ViewDefinition)

    public var id: ObjectID {
        switch self {
        case .table(let table): table.id
        case .view(let view): view.id
        }
    }
    public var schema: String {
        switch self {
        case .table(let table): table.schema
        case .view(let view): view.schema
        }
    }
    public var name: String {
        switch self {
        case .table(let table): table.name
        case .view(let view): view.name
        }
    }
}

public struct SchemaDefinition: Hashable, Sendable {
    public var id: ObjectID
    public var name: String
    /// A user's id.
    public var owner: Int
    public init(id: ObjectID, name: String, owner: Int) {
        self.id = id
        self.name = name
        self.owner = owner
    }
}

/// All definitions of one database at one moment: an immutable value, so that readers need no lock and DDL is a new
/// value.
public struct CatalogSnapshot: Hashable, Sendable {
    public var database: String
    public private(set) var schemas: [String: SchemaDefinition]
    /// By schema, then by name.
    public private(set) var relations: [String: [String: Relation]]
    public var nextObjectID: Int64
    /// What transactions have that choose nothing else.
    public var isolation = IsolationLevel.snapshot
    /// Users, groups, roles and privileges.
    public var accounts: AccountCatalog

    public init(database: String = "dev") {
        self.database = database
        schemas = ["public": SchemaDefinition(id: ObjectID(2200), name: "public", owner: UserDefinition.firstID)]
        relations = [:]
        nextObjectID = 100_000
        accounts = .initial
    }

    public mutating func makeObjectID() -> ObjectID {
        defer { nextObjectID += 1 }
        return ObjectID(nextObjectID)
    }
    public func relation(schema: String, name: String) -> Relation? { relations[schema]?[name] }
    public func relation(id: ObjectID) -> Relation? {
        for names in relations.values { for relation in names.values where relation.id == id { return relation } }
        return nil
    }
    public mutating func put(_ relation: Relation) {
        relations[relation.schema, default: [:]][relation.name] = relation
    }
    public mutating func removeRelation(schema: String, name: String) { relations[schema]?[name] = nil }
    public mutating func put(_ schema: SchemaDefinition) { schemas[schema.name] = schema }
    public mutating func removeSchema(_ name: String) {
        schemas[name] = nil
        relations[name] = nil
    }
    public func relations(inSchema schema: String) -> [Relation] {
        (relations[schema] ?? [:]).values.sorted { $0.name < $1.name }
    }
    public var allRelations: [Relation] {
        relations.values.flatMap(\.values).sorted { ($0.schema, $0.name) < ($1.schema, $1.name) }
    }
    /// A user's id.
    public var databaseOwner: Int { accounts.databaseOwner }
    /// For those who read; a user that is gone shows by its number.
    public func ownerName(_ id: Int) -> String { accounts.users[id]?.name ?? "unknown (OID=\(id))" }
    /// Whether the user owns a schema or a relation.
    public func isOwner(_ user: Int) -> Bool {
        schemas.values.contains { $0.owner == user }
            || relations.values.contains { $0.values.contains { $0.owner == user } }
    }

    /// Drops the privileges on what is no more.
    public mutating func forgetAccessOfDropped() {
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
    public func dependents(of id: ObjectID) -> [ViewDefinition] {
        allRelations.compactMap {
            if case .view(let view) = $0, view.dependencies.contains(id) { view } else { nil }
        }
    }
}
