import Catalog
import ColumnStore

/// A statement's way: what the statement reads and does against the rights of its user. Superusers may do all.
extension StatementExecution {
    func authorise(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) throws {
        if user.isSuperuser || isApproved(planned, snapshot) { return }
        let rights = statementRights(snapshot)
        try planned.program.check(rights)
        try rights.check(planned.access)
        approve(planned, snapshot)
    }

    func statementRights(_ snapshot: StoreSnapshot) -> StatementRights {
        StatementRights(session: rights, catalog: snapshot.catalog)
    }

    // MARK: Kept plans

    /// Whether a kept plan means the same to this user as to the one that it was made for.
    func isMine(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) -> Bool {
        if isApproved(planned, snapshot) { return true }
        guard planned.access.meansTheSame(to: statementRights(snapshot)) else { return false }
        if user.isSuperuser { approve(planned, snapshot) }
        return true
    }

    private func isApproved(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) -> Bool {
        guard let approvals = planned.approvals, store.snapshot().version == snapshot.version else { return false }
        return approvals.contains(session.effectiveUser)
    }

    /// A plan is kept for one state of the store, and so are its users' rights.
    private func approve(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) {
        guard let approvals = planned.approvals, store.snapshot().version == snapshot.version else { return }
        approvals.insert(session.effectiveUser)
    }
}
