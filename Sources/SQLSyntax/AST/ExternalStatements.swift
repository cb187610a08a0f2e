package struct CreateExternalSchemaStatement: Sendable, Hashable {
    package let name: ObjectName
    package let ifNotExists: Bool
    /// `FROM` (values: the words, e.g. data catalog), `DATABASE`, `REGION`, `URI`, `IAM_ROLE`, ...
    package let options: [StatementOption]
    package let position: SourcePosition
}

package struct CreateExternalTableStatement: Sendable, Hashable {
    package let name: ObjectName
    package let columns: [ColumnDefinition]
    package let partitionColumns: [ColumnDefinition]
    /// Everything between the columns and the query, as written.
    package let storageText: String
    /// CREATE EXTERNAL TABLE ... AS.
    package let query: Query?
    package let position: SourcePosition
}
