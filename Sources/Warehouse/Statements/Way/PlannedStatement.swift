import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan

/// A statement that is ready to run: for any user, once its access has been compared with the user's rights. Immutable;
/// those of queries are kept in the ``PlanCache``.
struct PlannedStatement: Sendable {
    let kind: StatementKind
    let effects: StatementEffects
    let program: any StatementProgram
    /// What it reads, and in whose name.
    let access: ReadAccess
    /// Stored tables that it scans.
    let scanned: Set<ObjectID>
    /// Of a kept one: who has been found to have all rights that it needs.
    let approvals: Approvals?
    /// Of a kept one: how long statements of its kind take.
    let shape: StatementShape?

    init(
        _ program: any StatementProgram, access: ReadAccess, scanned: Set<ObjectID>, approvals: Approvals? = nil,
        shape: StatementShape? = nil
    ) {
        kind = program.kind
        effects = program.effects
        self.program = program
        self.access = access
        self.scanned = scanned
        self.approvals = approvals
        self.shape = shape
    }

    /// To be kept.
    func kept(_ shape: StatementShape) -> PlannedStatement {
        PlannedStatement(program, access: access, scanned: scanned, approvals: Approvals(), shape: shape)
    }

    /// The plan of a query.
    var query: PhysicalQuery? { (program as? QueryProgram)?.plan }

    /// The same with another plan of its query.
    func replacing(_ plan: PhysicalQuery) -> PlannedStatement {
        PlannedStatement(
            QueryProgram(plan: plan), access: access, scanned: scanned, approvals: approvals, shape: shape)
    }
}

/// Ids of users. Safe from any thread.
final class Approvals: Sendable {
    private let users = Lock<Set<Int>>([])
    func contains(_ user: Int) -> Bool { users.withLock { $0.contains(user) } }
    func insert(_ user: Int) { users.withLock { _ = $0.insert(user) } }
}
