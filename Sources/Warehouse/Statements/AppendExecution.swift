import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization

/// ALTER TABLE APPEND: the source's rows become rows of the target and the source is empty afterwards, in one commit.
extension StatementExecution {
    func append(_ append: BoundAppend, to target: TableDefinition, _ snapshot: StoreSnapshot) throws {
        var change = StoreChange()
        if let data = snapshot.table(append.source.id), data.rowCount > 0 {
            change.emptied = [append.source.id]
            change.added = [try move(data, append, to: target, snapshot)]
            rowCount = data.rowCount
            try apply(change, on: snapshot)
        }
        try handler.end(tag: "ALTER TABLE")
    }

    private func move(
        _ data: TableSnapshot, _ append: BoundAppend, to target: TableDefinition, _ snapshot: StoreSnapshot
    ) throws -> WrittenParts {
        let values: [Datum] = try append.columns.map { column in
            if case .fill(let expression) = column { try constant(expression, snapshot) } else { .null }
        }
        let writer = try store.writer(for: target, view: snapshot, narrows: narrowsLoads)
        let groups = try data.parts.flatMap { part in (0..<part.rowGroupCount).map { (part, $0) } }
        let next = Atomic<Int>(0)
        let sourceTypes = data.definition.columns.map(\.type), targetTypes = target.columns.map(\.type)
        let cancellation = self.cancellation
        do {
            try workers.run { _, turn in
                let lane = writer.makeLane()
                while true {
                    let index = next.add(1, ordering: .relaxed).oldValue
                    if index >= groups.count { return true }
                    try cancellation.check()
                    let rows = ColumnBatch(types: sourceTypes)
                    try groups[index].0.decodeLive(group: groups[index].1, into: rows)
                    let count = rows.rowCount
                    var columns: [ColumnBuffer] = []
                    for (place, column) in append.columns.enumerated() {
                        switch column {
                        case .source(let source): columns.append(rows.columns[source])
                        case .fill: columns.append(try filled(values[place], targetTypes[place], count))
                        }
                    }
                    try lane.append(ColumnBatch(types: targetTypes, columns: columns, rowCount: count))
                    turn.pay()
                }
            }
            return try writer.finish(workers)
        } catch {
            writer.abort()
            throw error
        }
    }
}

/// So many rows of one value.
private func filled(_ value: Datum, _ type: SQLType, _ count: Int) throws -> ColumnBuffer {
    let batch = ColumnBatch(types: [type])
    for _ in 0..<count { try batch.append([value]) }
    return batch.columns[0]
}
