package struct TransactionStatement: Sendable, Hashable {
    package enum Command: Sendable, Hashable {
        /// BEGIN, START TRANSACTION.
        case begin
        /// COMMIT, END.
        case commit
        /// ROLLBACK, ABORT.
        case rollback
    }
    package let command: Command
    /// SERIALIZABLE, READ COMMITTED, ... upper case; accepted and ignored by Redshift.
    package let isolationLevel: String?
    package let readOnly: Bool?
    package let position: SourcePosition
}

package struct LockStatement: Sendable, Hashable {
    package let tables: [ObjectName]
    /// `IN ... MODE`, upper case words.
    package let mode: String?
    package let position: SourcePosition
}

package struct PrepareStatement: Sendable, Hashable {
    package let name: Identifier
    package let parameterTypes: [ParsedTypeName]
    package let statement: Statement
    /// The statement as written.
    package let statementText: String
    package let position: SourcePosition
}

package struct ExecuteStatement: Sendable, Hashable {
    package let name: Identifier
    package let arguments: [Expression]
    package let position: SourcePosition
}

package struct DeallocateStatement: Sendable, Hashable {
    /// nil: ALL.
    package let name: Identifier?
    package let position: SourcePosition
}

package struct DeclareCursorStatement: Sendable, Hashable {
    package let name: Identifier
    /// BINARY, SCROLL, NO SCROLL, INSENSITIVE, WITH HOLD, ... upper case.
    package let options: [String]
    package let query: Query
    package let queryText: String
    package let position: SourcePosition
}

package struct FetchStatement: Sendable, Hashable {
    package enum Amount: Sendable, Hashable {
        case all
        case rows(Int64)
    }
    package enum Direction: String, Sendable, Hashable {
        case forward = "FORWARD", backward = "BACKWARD", absolute = "ABSOLUTE", relative = "RELATIVE"
        case first = "FIRST", last = "LAST", prior = "PRIOR"
    }
    package let direction: Direction
    package let amount: Amount
    package let cursor: Identifier
    package let position: SourcePosition
}

package struct CloseCursorStatement: Sendable, Hashable {
    /// nil: ALL.
    package let name: Identifier?
    package let position: SourcePosition
}
