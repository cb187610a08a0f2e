import Catalog
import Glibc
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
    /// What planning has counted: about what the plan takes.
    let byteCount: Int

    init(
        key: PlanKey, epoch: UInt64, prepared: PreparedStatement, plan: PhysicalQuery?,
        scanned: Set<ObjectID> = [], byteCount: Int = 0
    ) {
        self.byteCount = byteCount
        self.key = key
        self.epoch = epoch
        self.prepared = prepared
        self.plan = plan
        self.scanned = scanned
    }

    /// What planning counted; at least a guess, since syntax tree, bound query and plan grow with the text.
    var estimatedBytes: Int { max(byteCount, (8 << 10) + 64 * key.text.utf8.count) }

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
    var user: Int
    /// It may be in the plan, and it may change.
    var userName: String
    /// See ``SessionSettings/planningKey``.
    var settings: String
    /// The session, once it has temporary tables; 0 for all others.
    var temporaryOwner: Int

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(parameterTypes.count)
    }

    /// Texts are the same by their bytes: for String two forms of an accented letter are equal, for SQL two values.
    static func == (left: PlanKey, right: PlanKey) -> Bool {
        left.temporaryOwner == right.temporaryOwner && left.parameterTypes == right.parameterTypes
            && left.user == right.user && left.userName == right.userName
            && left.settings == right.settings && haveSameBytes(left.text, right.text)
    }

    private static func haveSameBytes(_ left: String, _ right: String) -> Bool {
        let compared = left.utf8.withContiguousStorageIfAvailable { first in
            right.utf8.withContiguousStorageIfAvailable { second in
                guard first.count == second.count else { return false }
                guard let one = first.baseAddress, let other = second.baseAddress else { return true }
                return memcmp(one, other, first.count) == 0
            }
        }
        return (compared ?? nil) ?? left.utf8.elementsEqual(right.utf8)
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
