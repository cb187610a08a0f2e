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
    /// What came of the text.
    struct Content: Sendable {
        /// nil where other texts have a plan each.
        var prepared: PreparedStatement?
        var planned: PlannedStatement
        /// The plan serves all values of the parameters; otherwise every execution makes one for its own.
        var servesAllValues: Bool
        /// What planning has counted: about what the plan takes.
        var byteCount: Int
    }
    let content: Content

    init(_ key: PlanKey, epoch: UInt64, _ content: Content) {
        self.key = key
        self.epoch = epoch
        self.content = content
    }

    var prepared: PreparedStatement? { content.prepared }
    var byteCount: Int { content.byteCount }
    /// What planning counted; at least a guess, since syntax tree, bound query and plan grow with the text.
    var estimatedBytes: Int { max(byteCount, (8 << 10) + 64 * key.text.utf8.count) }

    /// The statement to run with these values; nil when they need a plan of their own.
    func planned(with parameters: [StatementParameter]) -> PlannedStatement? {
        guard content.servesAllValues, parameters.count == prepared?.parameterTypes.count else { return nil }
        if parameters.isEmpty { return content.planned }
        guard let plan = content.planned.query,
            let own = ParameterSubstitution.substituted(plan, parameters.map { ($0.type, $0.value) })
        else { return nil }
        return content.planned.replacing(own)
    }
}

/// Everything but the store's state that decides how a text is understood and planned.
struct PlanKey: Hashable, Sendable {
    var text: String
    /// As the client gave them; ``SQLType/unknown`` where the context decides.
    var parameterTypes: [SQLType]
    /// ``everyone``, or the one user for whom names mean something else than for others.
    var user: Int
    /// See ``SessionSettings/planningKey``.
    var settings: String
    /// The session, once it has temporary tables; 0 for all others.
    var temporaryOwner: Int
    /// Where names are looked up, and where the session is connected.
    var database: ObjectID
    var connection: ObjectID

    static let everyone = 0

    func hash(into hasher: inout Hasher) {
        hasher.combine(text)
        hasher.combine(parameterTypes.count)
    }

    /// Texts are the same by their bytes: for String two forms of an accented letter are equal, for SQL two values.
    static func == (left: PlanKey, right: PlanKey) -> Bool {
        left.temporaryOwner == right.temporaryOwner && left.database == right.database
            && left.connection == right.connection && left.parameterTypes == right.parameterTypes
            && left.user == right.user
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
