import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// Operations that need no state of their own.
extension QueryExecutor {
    func openProject(_ plan: PhysicalPlan, _ columns: [ProjectedColumn], filters: [RuntimeFilter]) throws -> Pipeline {
        // A filter on a column that is only renamed holds below as well.
        var below: [RuntimeFilter] = []
        for filter in filters {
            guard let projected = columns.first(where: { $0.id == filter.column }) else {
                below.append(filter)
                continue
            }
            if case .column(let source, _) = projected.expression { below.append(filter.renamed(source)) }
        }
        let pipeline = try open(plan.children[0], filters: below)
        for column in columns {
            if case .column(let source, _) = column.expression, source == column.id { continue }
            pipeline.bind(column.id, .expression(column.expression))
        }
        return pipeline
    }

    /// Rows of constant expressions: each row is computed by its own one-row pipeline, then all are one row set.
    func openValues(_ values: LogicalValues) throws -> Pipeline {
        if values.columns.isEmpty {
            return Pipeline(
                context: context, source: RowSetSource(RowSet(columns: [], count: values.rows.count, owners: [])))
        }
        let batch = ColumnBatch(types: values.columns.map(\.type))
        for row in values.rows {
            let constants = row.compactMap { expression -> Datum? in
                if case .constant(let datum, _) = expression { datum } else { nil }
            }
            if constants.count == row.count {
                try batch.append(constants)
            } else {
                try appendComputed(row, to: batch)
            }
        }
        return pipeline(over: RowSet(batch, context: context), columns: values.columns)
    }

    private func appendComputed(_ row: [BoundExpression], to batch: ColumnBatch) throws {
        try context.cancellation.check()
        let one = Pipeline(context: context, source: RowSetSource(RowSet(columns: [], count: 1, owners: [])))
        let registers = try row.map { try one.canonical(one.compile($0)) }
        let collector = RowCollector(registers, context: context)
        one.emit(collector)
        try one.run()
        let rows = try collector.rows()
        for (target, column) in zip(batch.columns, rows.columns) {
            try target.append(
                values: UnsafeRawPointer(column.values), as: column.form.physical,
                validity: column.validity.map { UnsafePointer($0) }, selection: nil, count: 1)
        }
    }

    func openSystemScan(_ scan: LogicalSystemScan) throws -> Pipeline {
        // Without columns it is the number of rows that counts: one column tells it.
        let wanted = scan.indexes.isEmpty ? [0] : scan.indexes
        let relations = context.relations
        let all =
            try scan.arguments.map { try relations.functionRows(scan.relation, $0) }
            ?? relations.systemRows(scan.relation, columns: wanted)
        let columns = scan.indexes.map { all.columns[$0] }
        let batch = ColumnBatch(
            types: scan.columns.map(\.type), columns: columns, rowCount: all.columns[wanted[0]].count)
        return pipeline(over: RowSet(batch, context: context), columns: scan.columns)
    }

    /// A common table expression that is used several times: computed once, before its first use.
    func openWith(_ plan: PhysicalPlan, _ id: Int, filters: [RuntimeFilter]) throws -> Pipeline {
        let definition = plan.children[0]
        withResults[id] = (definition.outputs, try store(definition))
        return try open(plan.children[1], filters: filters)
    }

    func openWithReference(_ plan: PhysicalPlan, _ id: Int, _ sources: [ColumnID]) throws -> Pipeline {
        if let working, working.id == id {
            let pipeline = Pipeline(context: context, source: working.rows)
            working.rows.bind(plan.outputs, try places(of: sources, in: working.columns, id), in: pipeline)
            return pipeline
        }
        guard let result = withResults[id] else {
            throw SQLError(.internalError, "common table expression \(id) has not been computed")
        }
        let places = try places(of: sources, in: result.columns, id)
        switch result.rows {
        case .memory(let kept):
            let rows = RowSet(columns: places.map { kept.columns[$0] }, count: kept.count, owners: [kept])
            return pipeline(over: rows, columns: plan.outputs)
        case .spilled(let kept):
            let source = SpilledSource(kept, context: context)
            let pipeline = Pipeline(context: context, source: source)
            source.bind(zip(plan.outputs, places).map { ($0.id, $1) }, in: pipeline)
            return pipeline
        }
    }

    private func places(of sources: [ColumnID], in columns: [OutputColumn], _ id: Int) throws -> [Int] {
        try sources.map { source in
            guard let index = columns.firstIndex(where: { $0.id == source }) else {
                throw SQLError(.internalError, "common table expression \(id) does not keep column \(source)")
            }
            return index
        }
    }
}

extension RowSet {
    /// Takes over a batch of canonical columns.
    convenience init(_ batch: ColumnBatch, context: ExecutionContext) {
        let maker = Pipeline(context: context, source: PipelineSource())
        var columns: [Column] = []
        for (type, buffer) in zip(batch.types, batch.columns) {
            let form = maker.makeRegister(type, buffer.physical, nullable: buffer.validity != nil)
            columns.append(Column(form: form, values: buffer.values, validity: buffer.validity))
        }
        self.init(columns: columns, count: batch.rowCount, owners: batch.columns)
    }
}
