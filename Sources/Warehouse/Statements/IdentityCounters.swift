import BulkTransfer
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import SQLTypes

/// The next values of a table's IDENTITY columns during one statement. Workers take turns.
final class IdentityCounters: @unchecked Sendable {  // guarded by `lock`
    let columns: [Int]
    private let table: TableDefinition
    private let lock = Lock(())
    private var values: [Int: Int64] = [:]

    /// - Parameter snapshots: what the statement sees, and the newest commit in the order: the furthest value counts,
    /// so that no value is given out twice.
    init(_ table: TableDefinition, _ columns: [Int], _ snapshots: @autoclosure () -> [StoreSnapshot]) {
        self.table = table
        self.columns = columns
        if columns.isEmpty { return }
        let snapshots = snapshots()
        for index in columns {
            let column = table.columns[index]
            let key = IdentityKey(table: table.id, column: column.id)
            let known = snapshots.compactMap { $0.nextIdentity(key) }
            let furthest = (column.identity?.step ?? 1) < 0 ? known.min() : known.max()
            values[index] = furthest ?? column.identity?.seed ?? 1
        }
    }

    /// What the commit records.
    var next: [IdentityKey: Int64] {
        lock.withLock {
            Dictionary(
                uniqueKeysWithValues: values.map {
                    (IdentityKey(table: table.id, column: table.columns[$0.key].id), $0.value)
                })
        }
    }

    /// The first of `count` values.
    func reserve(_ count: Int, _ column: Int) throws -> (first: Int64, step: Int64) {
        try lock.withLock {
            let step = table.columns[column].identity?.step ?? 1
            let first = values[column] ?? 1
            let (span, tooWide) = step.multipliedReportingOverflow(by: Int64(count))
            let (after, overflow) = first.addingReportingOverflow(span)
            if tooWide || overflow {
                throw SQLError(
                    .numericOutOfRange, "identity column \"\(table.columns[column].name)\" has no values left")
            }
            values[column] = after
            return (first, step)
        }
    }

    /// The column with generated values where it has none.
    func filled(_ column: ColumnBuffer, _ index: Int) throws -> ColumnBuffer {
        let (first, step) = try reserve(column.count, index)
        let byDefault = table.columns[index].identity?.byDefault ?? false
        let result = ColumnBuffer(table.columns[index].type)
        for row in 0..<column.count {
            if byDefault, column.validity.map({ $0[row] != 0 }) ?? true {
                try result.append(column.datum(row: row, type: table.columns[index].type))
            } else {
                try result.append(integer: Int128(first + Int64(row) * step))
            }
        }
        return result
    }

    /// One column's generator, for COPY.
    struct Generator: IdentityGenerator {
        let counters: IdentityCounters
        let column: Int
        func reserve(_ count: Int) throws -> (first: Int64, step: Int64) { try counters.reserve(count, column) }
    }
}
