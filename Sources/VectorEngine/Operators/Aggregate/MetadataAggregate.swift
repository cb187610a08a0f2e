import Catalog
import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// COUNT(*), COUNT(column), MIN and MAX of a whole table without reading it: part footers have exact row counts,
    /// NULL counts and bounds. nil when something else is asked; where rows are deleted, only row counts are exact.
    func metadataAggregate(_ plan: PhysicalPlan, _ aggregate: PhysicalAggregate) throws -> Pipeline? {
        guard context.takes(.metadataAggregates), aggregate.groups.isEmpty, aggregate.groupingSets == nil,
            !aggregate.aggregates.isEmpty,
            case .tableScan(let scan) = plan.children[0].operation, scan.conjuncts.isEmpty
        else { return nil }
        let snapshot = try context.relations.table(scan.table.id)
        let answer = MetadataAnswer(snapshot: snapshot, scan: scan)
        var values: [Datum] = []
        for item in aggregate.aggregates {
            guard let value = answer.value(of: item.call) else { return nil }
            values.append(value)
        }
        let columns = aggregate.aggregates.map {
            OutputColumn(id: $0.id, name: $0.call.function.rawValue, type: $0.call.type)
        }
        let batch = ColumnBatch(types: columns.map(\.type))
        try batch.append(values)
        return pipeline(over: RowSet(batch, context: context), columns: columns)
    }
}

private struct MetadataAnswer {
    let snapshot: TableSnapshot
    let scan: PhysicalTableScan

    func value(of call: AggregateCall) -> Datum? {
        guard call.filter == nil else { return nil }
        let rows = snapshot.statistics.rowCount
        if call.function == .countRows { return .integer(Int128(rows)) }
        guard !call.distinct || call.function == .minimum || call.function == .maximum,
            case .column(let id, let type)? = call.arguments.first,
            let column = scan.columns.first(where: { $0.id == id && !$0.isHidden })
        else { return nil }
        let statistics = snapshot.statistics.columns[column.index]
        if snapshot.deletedRowCount > 0 {
            return call.function == .count && statistics.nullCount == 0 ? .integer(Int128(rows)) : nil
        }
        switch call.function {
        case .count: return .integer(Int128(rows - statistics.nullCount))
        case .minimum: return bound(statistics.minimum, type, allNull: statistics.nullCount == rows)
        case .maximum: return bound(statistics.maximum, type, allNull: statistics.nullCount == rows)
        default: return nil
        }
    }

    /// Bounds of strings are cut, those of floats know no NaN: only integers are exact.
    private func bound(_ bound: Datum, _ type: SQLType, allNull: Bool) -> Datum? {
        guard type.physical.isInteger, type != .interval else { return nil }
        if allNull { return .null }
        if case .integer = bound { return bound }
        return nil
    }
}
