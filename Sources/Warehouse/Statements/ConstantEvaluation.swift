import Cluster
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

extension StatementExecution {
    /// The value of an expression without columns: defaults, arguments of EXECUTE.
    func constant(_ expression: BoundExpression, _ snapshot: StoreSnapshot) throws -> Datum {
        if case .constant(let datum, _) = expression { return datum }
        let column = OutputColumn(id: ColumnID(0), name: "value", type: expression.type)
        let plan = PhysicalPlan(
            step: 0, operation: .values(LogicalValues(columns: [column], rows: [[expression]])), children: [],
            outputs: [column], estimate: Estimate(rows: 1, width: 8, startupCost: 0, totalCost: 0),
            distribution: .leader)
        let consumer = SingleValue(expression.type)
        try Leader(context: context(snapshot)).run(
            PhysicalQuery(plan: plan, outputs: [column]), consumer: consumer)
        return consumer.value
    }

    func position(of position: SourcePosition) -> Int? { position.offset }
}

private final class SingleValue: BatchConsumer {
    private(set) var value = Datum.null
    init(_ type: SQLType) {}
    func consume(worker: Int, _ batch: ColumnBatch) throws {
        if batch.rowCount > 0 { value = batch.datum(row: 0, column: 0) }
    }
}
