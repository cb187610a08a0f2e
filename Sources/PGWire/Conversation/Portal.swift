import Warehouse

/// A prepared statement with its values, ready to run or partly read. Confined to the session's thread.
final class Portal {
    enum Progress {
        case ready
        /// Ran to its end; rows wait in the spool. The tag follows the last of them.
        case reading(ResultSpool)
        case done
    }
    let statement: PreparedStatement
    let parameters: [StatementParameter]
    let formats: FormatCodes
    var progress = Progress.ready

    init(statement: PreparedStatement, parameters: [StatementParameter], formats: FormatCodes) {
        self.statement = statement
        self.parameters = parameters
        self.formats = formats
    }
}
