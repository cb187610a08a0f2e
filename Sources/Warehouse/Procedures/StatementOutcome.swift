import ColumnVectors
import SQLTypes
import VectorEngine

/// Takes what a statement of a procedure returns. Messages go on to the client.
final class StatementOutcome: ResultHandler {
    enum Purpose {
        /// Rows have nowhere to go: an error.
        case none
        case discard
        case firstRow
        case allRows
    }
    private let context: ProcedureContext
    private let purpose: Purpose
    private(set) var names: [String] = []
    private(set) var types: [SQLType] = []
    private(set) var first: [Datum]?
    private(set) var rows: WaitingRows?
    private(set) var rowsSeen = 0
    private(set) var tag = ""
    /// Of CALL: values for the arguments that take one, by their numbers in the list as written.
    var outputs: [(argument: Int, value: Datum, type: SQLType)] = []

    init(_ context: ProcedureContext, _ purpose: Purpose) {
        self.context = context
        self.purpose = purpose
    }

    func begin(columns: [ResultColumn]) throws {
        if purpose == .none {
            throw SQLError(
                .syntaxError, "query has no destination for result data",
                hint: "If you want to discard the results of a SELECT, use PERFORM instead.")
        }
        names = columns.map(\.name)
        types = columns.map(\.type)
        first = nil
        rowsSeen = 0
        if purpose == .allRows {
            let warehouse = context.session.warehouse
            rows = WaitingRows(types: types, area: warehouse.temporary, budget: warehouse.budget)
        }
    }

    func rows(_ batch: ColumnBatch) throws {
        rowsSeen += batch.rowCount
        if purpose == .firstRow, first == nil, batch.rowCount > 0 { first = batch.row(0) }
        try rows?.append(batch)
    }

    func end(tag: String) throws {
        self.tag = tag
        try rows?.finish()
    }

    func notice(_ message: String) { context.handler.notice(message) }
    func progress(_ fraction: Double?, _ activity: String) { context.handler.progress(fraction, activity) }

    /// How many rows the statement changed or returned: the tag's last number.
    var count: Int { tag.split(separator: " ").last.flatMap { Int($0) } ?? 0 }
}
