package enum SchemaQuota: Sendable, Hashable {
    case unlimited
    case megabytes(Int64)
}

package struct CreateSchemaStatement: Sendable, Hashable {
    /// nil: named as its owner.
    package let name: ObjectName?
    package let ifNotExists: Bool
    package let owner: Identifier?
    package let quota: SchemaQuota?
    /// CREATE TABLE, CREATE VIEW and GRANT statements of what is to be in it.
    package let elements: [Statement]
    package let position: SourcePosition
}

package struct AlterSchemaStatement: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case renameTo(Identifier)
        case ownerTo(Identifier)
        case quota(SchemaQuota)
    }
    package let name: ObjectName
    package let action: Action
    package let position: SourcePosition
}

package struct CreateDatabaseStatement: Sendable, Hashable {
    package let name: Identifier
    /// `OWNER`, `CONNECTION LIMIT`, `COLLATE`, `ISOLATION LEVEL`, `FROM ...`.
    package let options: [StatementOption]
    package let position: SourcePosition
}

package struct AlterDatabaseStatement: Sendable, Hashable {
    package let name: Identifier
    /// `RENAME TO`, `OWNER TO`, `CONNECTION LIMIT`, `COLLATE`, `ISOLATION LEVEL`.
    package let options: [StatementOption]
    package let position: SourcePosition
}

package enum ObjectNoun: String, Sendable, Hashable {
    case table = "TABLE", view = "VIEW", materializedView = "MATERIALIZED VIEW", schema = "SCHEMA"
    case database = "DATABASE"
    case user = "USER", group = "GROUP", role = "ROLE", function = "FUNCTION", procedure = "PROCEDURE"
    case externalTable = "EXTERNAL TABLE", column = "COLUMN", constraint = "CONSTRAINT", language = "LANGUAGE"
    case model = "MODEL", library = "LIBRARY", datashare = "DATASHARE", aggregate = "AGGREGATE", index = "INDEX"
    case policy = "POLICY"
}

package struct DropStatement: Sendable, Hashable {
    package struct Target: Sendable, Hashable {
        package let name: ObjectName
        /// FUNCTION and PROCEDURE with a list of types.
        package let argumentTypes: [ParsedTypeName]?
    }
    package let kind: ObjectNoun
    package let ifExists: Bool
    package let targets: [Target]
    package let cascade: Bool
    /// DROP ROLE ... FORCE.
    package let force: Bool
    /// DROP SCHEMA ... DROP EXTERNAL DATABASE.
    package let dropsExternalDatabase: Bool
    package let position: SourcePosition
}

package struct CommentStatement: Sendable, Hashable {
    package let kind: ObjectNoun
    package let name: ObjectName
    /// FUNCTION and PROCEDURE with a list of types.
    package let argumentTypes: [ParsedTypeName]?
    /// COMMENT ON CONSTRAINT c ON t.
    package let table: ObjectName?
    /// nil: IS NULL.
    package let text: String?
    package let position: SourcePosition
}
