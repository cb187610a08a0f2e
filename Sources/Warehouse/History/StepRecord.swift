/// One step of a finished query, as the STL tables and SYS_QUERY_DETAIL show it.
struct StepRecord: Sendable {
    /// The names of SYS_QUERY_DETAIL; ``label`` gives those of the SVL views.
    enum Kind: String, Sendable, CaseIterable {
        case scan, project, hash, hashjoin, mergejoin, nestloop, aggregate, unique, sort, window, limit, save
        case distribute, broadcast, insert, delete
        case result = "return"

        var label: String {
            switch self {
            case .hashjoin: "hjoin"
            case .mergejoin: "mjoin"
            case .nestloop: "nloop"
            case .aggregate: "aggr"
            case .distribute: "dist"
            case .broadcast: "bcast"
            default: rawValue
            }
        }
    }
    struct Slice: Sendable {
        var slice: Int
        var rows: Int64
        var bytes: Int64
        /// Rows of the blocks that a scan read, before its conditions.
        var rowsBeforeFilter: Int64 = 0
        /// All workers' time.
        var busyMicroseconds: Int64
        var startMicroseconds: Int64
        var endMicroseconds: Int64
    }
    var segment: Int
    var step: Int
    var kind: Kind
    /// Of the plan node in STL_EXPLAIN; 0 for none.
    var node: Int
    /// The table that is read or written, or the number of what a step keeps for another.
    var table: Int64 = 0
    var tableName = ""
    var isRangeRestricted = false
    var isDiskBased = false
    var blocks = 0
    /// `HASHED`, `PLAIN`, `SORTED` of aggregates; what kind of join for joins.
    var form = ""
    var slices: [Slice]

    var rows: Int64 { slices.reduce(0) { $0 + $1.rows } }
    var bytes: Int64 { slices.reduce(0) { $0 + $1.bytes } }
    var busyMicroseconds: Int64 { slices.reduce(0) { $0 + $1.busyMicroseconds } }
    var rowsBeforeFilter: Int64 { slices.reduce(0) { $0 + $1.rowsBeforeFilter } }

    /// As SVL_QUERY_SUMMARY shows it.
    var label: String {
        let name = kind.label + String(repeating: " ", count: max(0, 7 - kind.label.count))
        switch kind {
        case .scan, .insert, .delete, .hash, .hashjoin, .mergejoin, .nestloop, .aggregate, .sort, .save, .window:
            return name + "tbl=\(table)" + (tableName.isEmpty ? "" : " name=\(tableName)")
        default: return kind.label
        }
    }
}

/// What a query's steps did and the plan that they come from.
struct QueryDetail: Sendable {
    struct Node: Sendable {
        var parent: Int
        var text: String
        var info: String
        var startupCost: Double
        var totalCost: Double
        var rows: Double
        var width: Double
    }
    var query: Int
    /// Node k has number k + 1.
    var nodes: [Node]
    var steps: [StepRecord]
}
