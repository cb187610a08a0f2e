import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLTypes

/// A statement's way: a query whose result is kept is answered here, without a ticket and without a plan that runs. Its
/// rights have been checked as everybody's.
extension StatementExecution {
    /// - Returns: false when the query has to run; its result may then be kept.
    func answer(_ input: StatementInput, _ planned: PlannedStatement, _ snapshot: StoreSnapshot) throws -> Bool {
        resultPlace = nil
        guard planned.shape?.mayRepeat() ?? true, let place = place(input, planned, snapshot) else { return false }
        guard let result = warehouse.results.find(place) else {
            resultPlace = place
            planned.shape?.noteKept()
            return false
        }
        planned.shape?.noteFound()
        try cancellation.check()
        let transaction = self.transaction
        if transaction.isExplicit { transaction.settle(snapshot) }
        try begin(result.columns) { try handler.begin(columns: $0) }
        for batch in result.batches {
            try cancellation.check()
            try handler.rows(batch)
        }
        rowCount = result.rowCount
        resultBytes = result.byteCount
        sourceQuery = result.query
        try handler.end(tag: "SELECT \(rowCount)")
        return true
    }

    func keep(_ rows: KeptResult.Builder, at place: ResultCache.Place, _ plan: PhysicalQuery) {
        let result = rows.result(
            query: queryID, columns: plan.columns, rowCount: rowCount, byteCount: resultBytes)
        if let result { warehouse.results.put(result, at: place) }
    }

    /// nil for what is no repeatable query of stored tables, and where the session's own changes or its serializable
    /// transaction make its state one of its own.
    private func place(
        _ input: StatementInput, _ planned: PlannedStatement, _ snapshot: StoreSnapshot
    ) -> ResultCache.Place? {
        guard session.settings.derived.keepsResults, planned.approvals != nil, let query = planned.query,
            query.isRepeatable, !planned.scanned.isEmpty, planned.access.systemUses.isEmpty
        else { return nil }
        if transaction.hasChanges || transaction.isolation == .serializable { return nil }
        guard let (text, values) = input.textWithValues, let basis = ResultCache.Basis(planned, snapshot) else {
            return nil
        }
        let key = PlanKey(
            text: text, parameterTypes: values.map(\.type), user: PlanKey.everyone,
            settings: session.settings.planningKey, temporaryOwner: 0, database: snapshot.catalog.databaseID,
            connection: session.database)
        return ResultCache.Place(key: ResultCache.Key(statement: key, values: values), basis: basis)
    }
}

extension StatementInput {
    /// nil for what is no query by itself, or a text too long to be looked up.
    fileprivate var textWithValues: (String, [StatementParameter])? {
        let (text, values): (String, [StatementParameter])
        switch self {
        case .text: (text, values) = (loggedText, [])
        case .prepared(let prepared, _, let given): (text, values) = (prepared.text, given)
        case .parsed, .program: return nil
        }
        return text.utf8.count <= PlanCache.largestText ? (text, values) : nil
    }
}
