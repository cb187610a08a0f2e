import QueryPlan

/// Finds a column among many lists of columns: most lists have ids that follow one another, and later lists larger
/// ones. So a run is found by bisection, in statements of a thousand columns over hundreds of relations, too.
struct ColumnRuns {
    private struct Run {
        var first: Int32
        var count: Int
        var list: Int
    }
    /// Ascending, without overlaps.
    private var runs: [Run] = []
    /// Columns of all other lists.
    private var scattered: [ColumnID: (list: Int, place: Int)] = [:]

    mutating func add(_ columns: [OutputColumn], list: Int) {
        guard let first = columns.first?.id.raw else { return }
        let isRun = columns.indices.allSatisfy { Int(columns[$0].id.raw) == Int(first) + $0 }
        if isRun && first >= end {
            runs.append(Run(first: first, count: columns.count, list: list))
        } else {
            for (place, column) in columns.enumerated() where find(column.id) == nil {
                scattered[column.id] = (list, place)
            }
        }
    }

    private var end: Int { runs.last.map { Int($0.first) + $0.count } ?? .min }

    /// The list that has the column, and its place there.
    func find(_ id: ColumnID) -> (list: Int, place: Int)? {
        var low = 0
        var high = runs.count
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].first <= id.raw { low = middle + 1 } else { high = middle }
        }
        if low > 0 {
            let place = Int(id.raw) - Int(runs[low - 1].first)
            if place < runs[low - 1].count { return (runs[low - 1].list, place) }
        }
        return scattered.isEmpty ? nil : scattered[id]
    }
}
