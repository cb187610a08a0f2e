import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization

@testable import VectorEngine

/// Plans over literal rows, run with any batch size and number of workers.
struct PlanFixture {
    var batchRows = 2048
    var workers = 2

    struct NoRelations: RelationProvider {
        func table(_ id: ObjectID) throws -> TableSnapshot { throw SQLError(.undefinedTable, "no tables") }
        func systemRows(_ relation: String, columns: [Int]) throws -> ColumnBatch {
            throw SQLError(.undefinedTable, "no relations")
        }
        func functionRows(_ name: String, _ arguments: [Datum]) throws -> ColumnBatch {
            throw SQLError(.undefinedTable, "no relations")
        }
    }
    final class Rows: BatchConsumer {
        let rows = Mutex<[[Datum]]>([])
        func consume(worker: Int, _ batch: ColumnBatch) throws {
            let part = (0..<batch.rowCount).map { batch.row($0) }
            rows.withLock { $0 += part }
        }
    }

    static func column(_ id: Int32, _ type: SQLType) -> OutputColumn {
        OutputColumn(id: ColumnID(id), name: "c\(id)", type: type)
    }
    static func plan(
        _ operation: PhysicalOperation, _ children: [PhysicalPlan], _ outputs: [OutputColumn], rows: Double = 1000
    ) -> PhysicalPlan {
        PhysicalPlan(
            step: 0, operation: operation, children: children, outputs: outputs,
            estimate: Estimate(rows: rows, width: 8, startupCost: 0, totalCost: 0), distribution: .arbitrary)
    }
    static func values(_ columns: [OutputColumn], _ rows: [[Datum]]) -> PhysicalPlan {
        let constants = rows.map { row in zip(row, columns).map { BoundExpression.constant($0, $1.type) } }
        return plan(
            .values(LogicalValues(columns: columns, rows: constants)), [], columns, rows: Double(rows.count))
    }

    var memoryLimit = 1 << 30
    var temporary: TemporaryArea?
    var profile: ExecutionProfile?
    var options = ExecutionOptions()

    func run(_ plan: PhysicalPlan) throws -> [[Datum]] {
        let context = ExecutionContext(
            pool: WorkerPool(workers: workers), grant: MemoryGrant(MemoryBudget(limit: 1 << 30), limit: memoryLimit),
            cancellation: CancellationToken(), relations: NoRelations(),
            shape: ClusterShape(nodes: 1, slicesPerNode: 2), batchRows: batchRows, profile: profile,
            datetime: DatetimeContext(), temporary: temporary, options: options, random: SharedRandom(),
            time: SystemTime())
        let rows = Rows()
        try QueryExecutor(context: context).run(
            PhysicalQuery(plan: plan, outputs: plan.outputs), consumer: rows)
        return rows.rows.withLock { $0 }
    }
}

/// A repeatable stream of numbers.
struct Numbers {
    var state: UInt64
    mutating func next(_ below: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(below))
    }
}

/// Rows without their order.
func counted(_ rows: [[Datum]]) -> [[Datum]: Int] { rows.reduce(into: [:]) { $0[$1, default: 0] += 1 } }
