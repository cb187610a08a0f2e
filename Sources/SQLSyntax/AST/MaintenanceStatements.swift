public struct AnalyzeStatement: Sendable, Hashable {
    public enum Columns: Sendable, Hashable {
        case all
        case predicate
        case list([Identifier])
    }
    public let isVerbose: Bool
    /// ANALYZE COMPRESSION.
    public let compression: Bool
    /// nil: every table.
    public let table: ObjectName?
    public let columns: Columns
    public let sampleRows: Int64?
    public let position: SourcePosition
}

public struct VacuumStatement: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case full = "FULL", sortOnly = "SORT ONLY", deleteOnly = "DELETE ONLY", reindex = "REINDEX"
        case recluster = "RECLUSTER"
    }
    public let kind: Kind
    public let table: ObjectName?
    public let thresholdPercent: Int?
    public let boost: Bool
    public let position: SourcePosition
}

public struct ExplainStatement: Sendable, Hashable {
    public let verbose: Bool
    public let analyze: Bool
    /// `(FORMAT json, COSTS off)`.
    public let options: [StatementOption]
    public let statement: Statement
    public let position: SourcePosition
}
