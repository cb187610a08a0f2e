package struct SetStatement: Sendable, Hashable {
    package enum Scope: Sendable, Hashable { case session, local }
    package enum Value: Sendable, Hashable {
        case defaultValue
        /// The list as written, words folded as identifiers: `SET search_path TO a, "B"`.
        case list([Literal])
        /// SET TIME ZONE INTERVAL '...' HOUR TO MINUTE.
        case interval(IntervalLiteral)
    }
    package let scope: Scope
    /// Lower case, dots kept. `SET TIME ZONE` is `timezone`, `SET SESSION AUTHORIZATION` is `session_authorization`,
    /// `SET SESSION CHARACTERISTICS` is `session_characteristics`, `SET NAMES` is `client_encoding`.
    package let name: String
    package let value: Value
    package let position: SourcePosition
}

package struct ResetStatement: Sendable, Hashable {
    /// nil: ALL.
    package let name: String?
    package let position: SourcePosition
}

package enum ShowStatement: Sendable, Hashable {
    /// SHOW ALL.
    case all(SourcePosition)
    /// Lower case; `SHOW TIME ZONE` is `timezone`, `SHOW TRANSACTION ISOLATION LEVEL` is `transaction_isolation`.
    case parameter(String, SourcePosition)
    case metadata(ShowMetadataStatement)
}

/// SHOW TABLES FROM SCHEMA d.s LIKE 'x' and its relatives.
package struct ShowMetadataStatement: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case databases = "DATABASES", schemas = "SCHEMAS", tables = "TABLES", columns = "COLUMNS", table = "TABLE"
        case view = "VIEW", externalTable = "EXTERNAL TABLE", procedure = "PROCEDURE", function = "FUNCTION"
        case procedures = "PROCEDURES", functions = "FUNCTIONS"
        case procedureParameters = "PARAMETERS OF PROCEDURE", functionParameters = "PARAMETERS OF FUNCTION"
        case primaryKeys = "CONSTRAINTS PRIMARY KEYS", foreignKeys = "CONSTRAINTS FOREIGN KEYS"
        case exportedForeignKeys = "CONSTRAINTS FOREIGN KEYS EXPORTED"
        case grants = "GRANTS", columnGrants = "COLUMN GRANTS", model = "MODEL", datashares = "DATASHARES"
    }
    package let kind: Kind
    package let name: ObjectName?
    /// Types behind PROCEDURE and FUNCTION.
    package let argumentTypes: [ParsedTypeName]?
    /// GRANTS ON <kind> / FOR <grantee>: the words before the name, upper case, e.g. `TABLE`, `SCHEMA`, `FOR ROLE`.
    package let objectWords: String?
    /// GRANTS ON x FOR y.
    package let grantee: Identifier?
    package let like: String?
    package let limit: Int64?
    package let position: SourcePosition
}

package struct UseStatement: Sendable, Hashable {
    package let database: Identifier
    package let position: SourcePosition
}

/// ALTER SYSTEM: a parameter of the whole warehouse, kept over restarts.
package struct AlterSystemStatement: Sendable, Hashable {
    package let name: String
    /// nil: back to the default.
    package let value: String?
    package let position: SourcePosition
}

package struct CancelStatement: Sendable, Hashable {
    package let processID: Int64
    package let message: String?
    package let position: SourcePosition
}
