public struct SetStatement: Sendable, Hashable {
    public enum Scope: Sendable, Hashable { case session, local }
    public enum Value: Sendable, Hashable {
        case defaultValue
        /// The list as written, words folded as identifiers: `SET search_path TO a, "B"`.
        case list([Literal])
        /// SET TIME ZONE INTERVAL '...' HOUR TO MINUTE.
        case interval(IntervalLiteral)
    }
    public let scope: Scope
    /// Lower case, dots kept. `SET TIME ZONE` is `timezone`, `SET SESSION AUTHORIZATION` is `session_authorization`,
    /// `SET SESSION CHARACTERISTICS` is `session_characteristics`, `SET NAMES` is `client_encoding`.
    public let name: String
    public let value: Value
    public let position: SourcePosition
}

public struct ResetStatement: Sendable, Hashable {
    /// nil: ALL.
    public let name: String?
    public let position: SourcePosition
}

public enum ShowStatement: Sendable, Hashable {
    /// SHOW ALL.
    case all(SourcePosition)
    /// Lower case; `SHOW TIME ZONE` is `timezone`, `SHOW TRANSACTION ISOLATION LEVEL` is `transaction_isolation`.
    case parameter(String, SourcePosition)
    case metadata(ShowMetadataStatement)
}

/// SHOW TABLES FROM SCHEMA d.s LIKE 'x' and its relatives.
public struct ShowMetadataStatement: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case databases = "DATABASES", schemas = "SCHEMAS", tables = "TABLES", columns = "COLUMNS", table = "TABLE"
        case view = "VIEW", externalTable = "EXTERNAL TABLE", procedure = "PROCEDURE", function = "FUNCTION"
        case procedures = "PROCEDURES", functions = "FUNCTIONS"
        case procedureParameters = "PARAMETERS OF PROCEDURE", functionParameters = "PARAMETERS OF FUNCTION"
        case primaryKeys = "CONSTRAINTS PRIMARY KEYS", foreignKeys = "CONSTRAINTS FOREIGN KEYS"
        case exportedForeignKeys = "CONSTRAINTS FOREIGN KEYS EXPORTED"
        case grants = "GRANTS", columnGrants = "COLUMN GRANTS", model = "MODEL", datashares = "DATASHARES"
    }
    public let kind: Kind
    public let name: ObjectName?
    /// Types behind PROCEDURE and FUNCTION.
    public let argumentTypes: [ParsedTypeName]?
    /// GRANTS ON <kind> / FOR <grantee>: the words before the name, upper case, e.g. `TABLE`, `SCHEMA`, `FOR ROLE`.
    public let objectWords: String?
    /// GRANTS ON x FOR y.
    public let grantee: Identifier?
    public let like: String?
    public let limit: Int64?
    public let position: SourcePosition
}

public struct UseStatement: Sendable, Hashable {
    public let database: Identifier
    public let position: SourcePosition
}

public struct CancelStatement: Sendable, Hashable {
    public let processID: Int64
    public let message: String?
    public let position: SourcePosition
}
