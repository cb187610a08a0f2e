public struct CreateExternalSchemaStatement: Sendable, Hashable {
    public let name: ObjectName
    public let ifNotExists: Bool
    /// `FROM` (values: the words, e.g. data catalog), `DATABASE`, `REGION`, `URI`, `IAM_ROLE`, ...
    public let options: [StatementOption]
    public let position: SourcePosition
}

public struct CreateExternalTableStatement: Sendable, Hashable {
    public let name: ObjectName
    public let columns: [ColumnDefinition]
    public let partitionColumns: [ColumnDefinition]
    /// Everything between the columns and the query, as written.
    public let storageText: String
    /// CREATE EXTERNAL TABLE ... AS.
    public let query: Query?
    public let position: SourcePosition
}
