import Catalog
import Platform

/// What REFRESH MATERIALIZED VIEW did since the start.
final class RefreshLog: Sendable {
    enum Outcome: Sendable {
        case unchanged
        case recomputed

        /// As the notice says it, behind the view's name.
        var notice: String {
            switch self {
            case .unchanged: "is already up to date."
            case .recomputed: "was recomputed successfully."
            }
        }
        /// As SVL_MV_REFRESH_STATUS says it.
        var status: String {
            switch self {
            case .unchanged: "MV was already updated"
            case .recomputed: "Refresh successfully recomputed MV from scratch"
            }
        }
    }

    struct Entry: Sendable {
        var user: Int
        var session: Int
        var transaction: Int64
        var view: ObjectID
        var schema: String
        var name: String
        var startMicroseconds: Int64
        var endMicroseconds: Int64
        var outcome: Outcome
        var isChange: Bool { outcome == .recomputed }
    }

    private let list = Lock(RecentList<Entry>(keeping: 10_000))

    func add(_ entry: Entry) { list.withLock { $0.append(entry) } }
    var entries: [Entry] { list.withLock { $0.elements } }
}
