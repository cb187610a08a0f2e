public enum SchemaQuota: Sendable, Hashable {
    case unlimited
    case megabytes(Int64)
}

public struct CreateSchemaStatement: Sendable, Hashable {
    /// nil: named as its owner.
    public let name: ObjectName?
    public let ifNotExists: Bool
    public let owner: Identifier?
    public let quota: SchemaQuota?
    public let position: SourcePosition
}

public struct AlterSchemaStatement: Sendable, Hashable {
    public enum Action: Sendable, Hashable {
        case renameTo(Identifier)
        case ownerTo(Identifier)
        case quota(SchemaQuota)
    }
    public let name: ObjectName
    public let action: Action
    public let position: SourcePosition
}

public struct CreateDatabaseStatement: Sendable, Hashable {
    public let name: Identifier
    /// `OWNER`, `CONNECTION LIMIT`, `COLLATE`, `ISOLATION LEVEL`, `FROM ...`.
    public let options: [StatementOption]
    public let position: SourcePosition
}

public struct AlterDatabaseStatement: Sendable, Hashable {
    public let name: Identifier
    /// `RENAME TO`, `OWNER TO`, `CONNECTION LIMIT`, `COLLATE`, `ISOLATION LEVEL`.
    public let options: [StatementOption]
    public let position: SourcePosition
}

public enum ObjectKind: String, Sendable, Hashable {
    case table = "TABLE", view = "VIEW", materializedView = "MATERIALIZED VIEW", schema = "SCHEMA"
    case database = "DATABASE"
    case user = "USER", group = "GROUP", role = "ROLE", function = "FUNCTION", procedure = "PROCEDURE"
    case externalTable = "EXTERNAL TABLE", column = "COLUMN", constraint = "CONSTRAINT", language = "LANGUAGE"
    case model = "MODEL", library = "LIBRARY", datashare = "DATASHARE", aggregate = "AGGREGATE", index = "INDEX"
    case policy = "POLICY"
}

public struct DropStatement: Sendable, Hashable {
    public struct Target: Sendable, Hashable {
        public let name: ObjectName
        /// FUNCTION and PROCEDURE with a list of types.
        public let argumentTypes: [ParsedTypeName]?
    }
    public let kind: ObjectKind
    public let ifExists: Bool
    public let targets: [Target]
    public let cascade: Bool
    /// DROP ROLE ... FORCE.
    public let force: Bool
    /// DROP SCHEMA ... DROP EXTERNAL DATABASE.
    public let dropsExternalDatabase: Bool
    public let position: SourcePosition
}

public struct CommentStatement: Sendable, Hashable {
    public let kind: ObjectKind
    public let name: ObjectName
    /// COMMENT ON CONSTRAINT c ON t.
    public let table: ObjectName?
    /// nil: IS NULL.
    public let text: String?
    public let position: SourcePosition
}
