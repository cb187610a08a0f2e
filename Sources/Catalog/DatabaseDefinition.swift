import SQLTypes

/// How texts are compared: of a column, or of the literals and new columns of a database.
package enum Collation: String, Hashable, Sendable {
    case caseSensitive = "case_sensitive", caseInsensitive = "case_insensitive"
}

/// A database: what sessions connect to. It owns schemas; users, groups and roles are the warehouse's.
package struct DatabaseDefinition: Hashable, Sendable {
    package typealias Collation = Catalog.Collation

    package var id: ObjectID
    package var name: String
    /// A user's id.
    package var owner: Int
    /// Sessions of users who are no superusers; nil: any number.
    package var connectionLimit: Int?
    /// CREATE DATABASE ... COLLATE: of literals, and of new columns that say nothing else.
    package var collation: Collation
    /// What transactions have that choose nothing else.
    package var isolation: IsolationLevel
    package var comment: String?

    package init(
        id: ObjectID, name: String, owner: Int = UserDefinition.firstID, connectionLimit: Int? = nil,
        collation: Collation = .caseSensitive, isolation: IsolationLevel = .snapshot, comment: String? = nil
    ) {
        self.id = id
        self.name = name
        self.owner = owner
        self.connectionLimit = connectionLimit
        self.collation = collation
        self.isolation = isolation
        self.comment = comment
    }

    /// The one that comes with the warehouse, and all there is in warehouses from before there were more.
    package static let firstID = ObjectID(100)
    /// Redshift's limit of databases that users make in one cluster.
    package static let mostOfUsers = 60

    /// What every cluster has besides: nobody connects to them here.
    package static let systemNames: [(id: Int, name: String)] = [
        (1, "template1"), (2, "template0"), (3, "padb_harvest"),
    ]

    package static func isUnknown(_ name: String) -> SQLError {
        SQLError("3D000", "database \"\(name)\" does not exist")
    }
    package static func alreadyExists(_ name: String) -> SQLError {
        SQLError("42P04", "database \"\(name)\" already exists")
    }
    package var alreadyExists: SQLError { DatabaseDefinition.alreadyExists(name) }
    package var isInUse: SQLError {
        SQLError("55006", "database \"\(name)\" is being accessed by other users")
    }
}

/// What lives in one database.
package struct DatabaseContents: Hashable, Sendable {
    package var schemas: [String: SchemaDefinition] = [:]
    /// By schema, then by name.
    package var relations: [String: [String: Relation]] = [:]
    /// By schema, then by signature.
    package var functions: [String: [String: FunctionDefinition]] = [:]
    package var procedures: [String: [String: ProcedureDefinition]] = [:]
    package var copyJobs: [String: CopyJobDefinition] = [:]

    package init() {}

    package func relation(id: ObjectID) -> Relation? {
        for names in relations.values { for relation in names.values where relation.id == id { return relation } }
        return nil
    }
    package func object(id: ObjectID) -> CatalogObject? {
        relation(id: id).map { .relation($0) }
            ?? functions.values.lazy.flatMap(\.values).first { $0.id == id }.map { .function($0) }
            ?? procedures.values.lazy.flatMap(\.values).first { $0.id == id }.map { .procedure($0) }
            ?? copyJobs.values.first { $0.id == id }.map { .copyJob($0) }
    }
    package mutating func removeSchema(_ name: String) {
        schemas[name] = nil
        relations[name] = nil
        functions[name] = nil
        procedures[name] = nil
        for job in copyJobs.values where job.schema == name { copyJobs[job.name] = nil }
    }
    package func objectIDs(inSchema schema: String) -> [ObjectID] {
        (relations[schema] ?? [:]).values.map(\.id) + (functions[schema] ?? [:]).values.map(\.id)
            + (procedures[schema] ?? [:]).values.map(\.id)
            + copyJobs.values.filter { $0.schema == schema }.map(\.id)
    }
    func isOwner(_ user: Int) -> Bool {
        schemas.values.contains { $0.owner == user }
            || relations.values.contains { $0.values.contains { $0.owner == user } }
            || functions.values.contains { $0.values.contains { $0.owner == user } }
            || procedures.values.contains { $0.values.contains { $0.owner == user } }
            || copyJobs.values.contains { $0.owner == user }
    }
    /// Of schemas and of everything in them.
    var ids: Set<ObjectID> {
        var result = Set(relations.values.flatMap { $0.values.map(\.id) }).union(schemas.values.map(\.id))
        result.formUnion(functions.values.flatMap { $0.values.map(\.id) })
        result.formUnion(procedures.values.flatMap { $0.values.map(\.id) })
        result.formUnion(copyJobs.values.map(\.id))
        return result
    }
}
