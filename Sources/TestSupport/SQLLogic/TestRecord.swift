/// One step of a test script.
package struct TestRecord: Sendable {
    package enum Action: Sendable {
        case statement(sql: String, StatementExpectation)
        case query(sql: String, QueryExpectation)
        /// Begins a statement that must wait for a lock; other sessions go on.
        case start(sql: String)
        /// Waits for the end of the statement that the session has started.
        case finish(StatementExpectation)
        /// Writes a file into the scratch folder.
        case file(name: String, content: [UInt8])
        /// Closes the current session and opens a new one.
        case reconnect
        /// Closes the warehouse and opens its directory again.
        case restart
        /// Ends the script.
        case halt
        /// Ends the script unless the condition holds.
        case require(ScriptCondition)
    }
    package var action: Action
    /// One-based line of the record's first word.
    package var line: Int
    /// Which of the script's sessions runs it.
    package var session = ""
    /// All must hold, else the record is skipped.
    package var conditions: [ScriptCondition] = []
}

/// `slices=2`, `restart`, `redbarn`: what a record asks of the world it runs in.
package struct ScriptCondition: Sendable, Hashable {
    package var word: String
    /// `skipif` turns the meaning round.
    package var isNegated: Bool
}

/// How a statement without rows must end.
package enum StatementExpectation: Sendable {
    /// It succeeds; with a command tag when the script names one.
    case success(tag: String?)
    /// It fails, with this SQLSTATE and with a message that the regular expression finds, where given.
    case failure(state: String?, pattern: String?)
    /// It succeeds and one of its notices is found by the regular expression.
    case notice(pattern: String)
}

/// What rows a query must return.
package struct QueryExpectation: Sendable {
    package enum Sorting: String, Sendable {
        case nosort, rowsort, valuesort
    }
    /// One letter per column, see ``ResultText/letter(_:)``; `?` accepts any type.
    package var types: String
    package var sorting = Sorting.nosort
    /// The first expected line holds the column names.
    package var checksNames = false
    /// Expected lines are regular expressions that must be found in this order, other lines between them are free.
    package var isPattern = false
    /// Queries of one label must have equal results.
    package var label: String?
    package var lines: [String] = []
    /// Lines of the script that hold `lines`; nil where a loop has made several records of one.
    package var place: Range<Int>?
}

/// A script that cannot be read.
package struct ScriptError: Error, CustomStringConvertible {
    package var file: String
    package var line: Int
    package var message: String
    package var description: String { "\(file):\(line): \(message)" }
}
