package struct AnalyzeStatement: Sendable, Hashable {
    package enum Columns: Sendable, Hashable {
        case all
        case predicate
        case list([Identifier])
    }
    package let isVerbose: Bool
    /// ANALYZE COMPRESSION.
    package let compression: Bool
    /// nil: every table.
    package let table: ObjectName?
    package let columns: Columns
    package let sampleRows: Int64?
    package let position: SourcePosition
}

package struct VacuumStatement: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case full = "FULL", sortOnly = "SORT ONLY", deleteOnly = "DELETE ONLY", reindex = "REINDEX"
        case recluster = "RECLUSTER"
    }
    package let kind: Kind
    package let table: ObjectName?
    package let thresholdPercent: Int?
    package let boost: Bool
    package let position: SourcePosition
}

package struct ExplainStatement: Sendable, Hashable {
    package let verbose: Bool
    package let analyze: Bool
    /// `(FORMAT json, COSTS off)`.
    package let options: [StatementOption]
    package let statement: Statement
    package let position: SourcePosition
}
