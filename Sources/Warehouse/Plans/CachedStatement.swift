import Catalog
import Optimizer
import Platform
import QueryPlan
import SQLTypes

/// What a query's text came to: parsed, described and, where one plan serves all values of its parameters, planned.
/// Immutable; shared by sessions.
final class CachedStatement: Sendable {
    let key: PlanKey
    /// The state of the store for which it holds, see ``PlanCache/epoch(_:)``. Statistics and bounds go into plans, so
    /// any commit ends it.
    let epoch: UInt64
    let prepared: PreparedStatement
    /// nil: every execution makes a plan for its values.
    let plan: PhysicalQuery?
    /// Stored tables that it scans.
    let scanned: Set<ObjectID>

    init(
        key: PlanKey, epoch: UInt64, prepared: PreparedStatement, plan: PhysicalQuery?,
        scanned: Set<ObjectID> = []
    ) {
        self.key = key
        self.epoch = epoch
        self.prepared = prepared
        self.plan = plan
        self.scanned = scanned
    }

    /// A guess: syntax tree, bound query and plan grow with the text.
    var estimatedBytes: Int { (8 << 10) + 64 * key.text.utf8.count }

    /// The plan to run with these values; nil when they need one of their own.
    func plan(with parameters: [StatementParameter]) -> PhysicalQuery? {
        guard let plan, parameters.count == prepared.parameterTypes.count else { return nil }
        if parameters.isEmpty { return plan }
        return ParameterSubstitution.substituted(plan, parameters.map { ($0.type, $0.value) })
    }
}

/// Everything but the store's state that decides how a text is understood and planned.
struct PlanKey: Hashable, Sendable {
    var text: String
    /// As the client gave them; ``SQLType/unknown`` where the context decides.
    var parameterTypes: [SQLType]
    var user: String
    /// See ``SessionSettings/planningKey``.
    var settings: String
    /// The session, once it has temporary tables; 0 for all others.
    var temporaryOwner: Int

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(parameterTypes.count)
    }
}

/// The newest cached form of one prepared statement, so that executions need not look for it. Safe from any thread.
final class PreparedSlot: Sendable {
    private let statement = Lock<CachedStatement?>(nil)
    var current: CachedStatement? {
        get { statement.withLock { $0 } }
        set { statement.withLock { $0 = newValue } }
    }
}
