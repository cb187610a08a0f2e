public struct TransactionStatement: Sendable, Hashable {
    public enum Command: Sendable, Hashable {
        /// BEGIN, START TRANSACTION.
        case begin
        /// COMMIT, END.
        case commit
        /// ROLLBACK, ABORT.
        case rollback
    }
    public let command: Command
    /// SERIALIZABLE, READ COMMITTED, ... upper case; accepted and ignored by Redshift.
    public let isolationLevel: String?
    public let readOnly: Bool?
    public let position: SourcePosition
}

public struct LockStatement: Sendable, Hashable {
    public let tables: [ObjectName]
    /// `IN ... MODE`, upper case words.
    public let mode: String?
    public let position: SourcePosition
}

public struct PrepareStatement: Sendable, Hashable {
    public let name: Identifier
    public let parameterTypes: [ParsedTypeName]
    public let statement: Statement
    /// The statement as written.
    public let statementText: String
    public let position: SourcePosition
}

public struct ExecuteStatement: Sendable, Hashable {
    public let name: Identifier
    public let arguments: [Expression]
    public let position: SourcePosition
}

public struct DeallocateStatement: Sendable, Hashable {
    /// nil: ALL.
    public let name: Identifier?
    public let position: SourcePosition
}

public struct DeclareCursorStatement: Sendable, Hashable {
    public let name: Identifier
    /// BINARY, SCROLL, NO SCROLL, INSENSITIVE, WITH HOLD, ... upper case.
    public let options: [String]
    public let query: Query
    public let queryText: String
    public let position: SourcePosition
}

public struct FetchStatement: Sendable, Hashable {
    public enum Amount: Sendable, Hashable {
        case all
        case rows(Int64)
    }
    public enum Direction: String, Sendable, Hashable {
        case forward = "FORWARD", backward = "BACKWARD", absolute = "ABSOLUTE", relative = "RELATIVE"
        case first = "FIRST", last = "LAST", prior = "PRIOR"
    }
    public let direction: Direction
    public let amount: Amount
    public let cursor: Identifier
    public let position: SourcePosition
}

public struct CloseCursorStatement: Sendable, Hashable {
    /// nil: ALL.
    public let name: Identifier?
    public let position: SourcePosition
}
