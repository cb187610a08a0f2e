import Platform
import SQLTypes
import Workload

/// A statement's way, last stage: what it did is told to the session's activity, the history and the system tables,
/// also after errors.
extension Session {
    /// Of a statement's text in the log and in system tables; ten thousand statements are kept.
    private static let loggedBytes = 65_535

    func recorded(_ execution: StatementExecution, _ body: () throws -> Void) throws {
        let text = execution.text.cut(toBytes: Session.loggedBytes)
        var log = WarehouseLog.Query(
            id: execution.queryID, session: number, user: effectiveUser, text: text,
            startMicroseconds: execution.started, endMicroseconds: 0, rows: 0, errorMessage: nil)
        log.label = settings.queryGroup
        log.database = databaseName
        log.caller = procedure?.callers.last?.query
        slot?.setQuery(log.id)
        warehouse.sessions.begin(
            activity, .init(query: log.id, text: text, startMicroseconds: log.startMicroseconds))
        defer {
            warehouse.sessions.end(activity)
            let times = execution.admission.map {
                AdmissionTimes(
                    queueMicroseconds: $0.figures.queueMicroseconds, runMicroseconds: $0.figures.runMicroseconds)
            }
            lastAdmission.withLock { $0 = times }
        }
        do {
            try body()
        } catch {
            let failure = SQLError(error)
            log.errorMessage = failure.message
            log.errorState = failure.state.code
            // The log tells of what a limit has ended, not of what is no SQL.
            if execution.hasBeenParsed || execution.budget.isSpent { add(&log, execution) }
            throw failure
        }
        add(&log, execution)
    }

    private func add(_ log: inout WarehouseLog.Query, _ execution: StatementExecution) {
        log.rows = execution.rowCount
        log.resultBytes = execution.resultBytes
        log.transaction = execution.transactionNumber
        log.planningMicroseconds = execution.planningMicroseconds
        log.endMicroseconds = warehouse.time.wallMicroseconds()
        log.admission = execution.admission
        if let admission = execution.admission {
            warehouse.queueTimes.add(admission, isAborted: execution.cancellation.reason == .queryMonitoring)
        }
        log.sourceQuery = execution.sourceQuery
        log.isOfLeader = execution.isOfLeader
        if log.admission?.figures.isScaledOut == true || warehouse.scalingUsage.isDisabled,
            warehouse.scalingUsage.add(log, log.admission) != nil
        {
            warehouse.applyScalingClusters()
        }
        let inserted = log.errorMessage == nil ? execution.inserted : nil
        warehouse.log.add(log, runs: execution.runs, inserted: inserted)
    }
}

extension String {
    /// The longest beginning of whole characters that fits.
    fileprivate func cut(toBytes limit: Int) -> String {
        if utf8.count <= limit { return self }
        var end = utf8.index(utf8.startIndex, offsetBy: limit, limitedBy: utf8.endIndex) ?? utf8.endIndex
        while end > startIndex, end < utf8.endIndex, utf8[end] & 0xC0 == 0x80 { end = utf8.index(before: end) }
        return String(self[..<end])
    }
}
