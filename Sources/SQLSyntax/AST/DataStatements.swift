public struct InsertStatement: Sendable, Hashable {
    public enum Source: Sendable, Hashable {
        case defaultValues
        /// VALUES lists are ``QueryBody/values(_:)``.
        case query(Query)
    }
    public let table: ObjectName
    public let columns: [Identifier]
    public let source: Source
    public let position: SourcePosition
}

public struct ColumnAssignment: Sendable, Hashable {
    public let column: Identifier
    /// May be ``Expression/defaultKeyword(_:)``.
    public let value: Expression
}

public struct UpdateStatement: Sendable, Hashable {
    public let with: WithClause?
    public let table: ObjectName
    public let alias: Identifier?
    public let assignments: [ColumnAssignment]
    public let from: [TableReference]
    public let filter: Expression?
    public let position: SourcePosition
}

public struct DeleteStatement: Sendable, Hashable {
    public let with: WithClause?
    public let table: ObjectName
    public let alias: Identifier?
    public let using: [TableReference]
    public let filter: Expression?
    public let position: SourcePosition
}

public struct MergeStatement: Sendable, Hashable {
    public enum MatchedAction: Sendable, Hashable {
        case update([ColumnAssignment])
        case delete
    }
    public struct Insertion: Sendable, Hashable {
        public let columns: [Identifier]
        public let values: [Expression]
    }
    public enum Action: Sendable, Hashable {
        case clauses(matched: MatchedAction?, notMatched: Insertion?)
        case removeDuplicates
    }
    public let target: ObjectName
    public let targetAlias: Identifier?
    public let source: TableReference
    public let condition: Expression
    public let action: Action
    public let position: SourcePosition
}

public struct TruncateStatement: Sendable, Hashable {
    public let table: ObjectName
    public let position: SourcePosition
}

/// `COPY t (cols) FROM 's3://...' options`. Format words stand among the options (`CSV`, `PARQUET`, `JSON`), as does
/// the authorization (`IAM_ROLE`, `CREDENTIALS`, `ACCESS_KEY_ID`, `SECRET_ACCESS_KEY`, `SESSION_TOKEN`).
public struct CopyStatement: Sendable, Hashable {
    public let table: ObjectName
    public let columns: [Identifier]
    /// nil for STDIN: the client sends the rows.
    public let source: String?
    public let sourcePosition: SourcePosition
    public let options: [StatementOption]
    public let position: SourcePosition
}

/// `COPY (query) TO STDOUT`: rows to the client, in PostgreSQL's formats. `COPY table TO STDOUT` is the query that
/// selects its columns.
public struct CopyOutStatement: Sendable, Hashable {
    public let query: Query
    public let options: [StatementOption]
    public let position: SourcePosition
}

public struct UnloadStatement: Sendable, Hashable {
    /// The text inside the quotes.
    public let queryText: String
    public let queryPosition: SourcePosition
    public let target: String
    public let targetPosition: SourcePosition
    public let options: [StatementOption]
    public let position: SourcePosition
}
