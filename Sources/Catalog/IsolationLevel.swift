/// What concurrent transactions may do to each other. A database has one; sessions and blocks may choose another.
package enum IsolationLevel: String, Sendable, Hashable {
    /// Each block reads one state; two changes of the same rows conflict, write skew is possible.
    case snapshot
    /// In addition, blocks whose reads and writes of tables depend on each other in a circle cannot all commit.
    case serializable

    /// The level that a word of SQL asks for; nil for levels that Redshift accepts and ignores.
    package init?(words: String) {
        self.init(rawValue: words.lowercased())
    }

    /// The levels of the standard that are accepted without effect.
    package static let ignored: Set<String> = ["read uncommitted", "read committed", "repeatable read"]

    /// As STV_DB_ISOLATION_LEVEL has it.
    package var title: String {
        switch self {
        case .snapshot: "Snapshot Isolation"
        case .serializable: "Serializable"
        }
    }
}
