import ColumnStore
import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// GROUP BY, aggregates without groups, and grouping sets.
extension QueryExecutor {
    func openAggregate(_ plan: PhysicalPlan, _ aggregate: PhysicalAggregate, filters: [RuntimeFilter]) throws
        -> Pipeline
    {
        if let known = try metadataAggregate(plan, aggregate) { return known }
        let pipeline = try open(plan.children[0], filters: aggregate.passable(filters))
        let compiler = AggregateCompiler(aggregate, estimate: plan.children[0].estimate.rows, pipeline: pipeline)
        let rows = try compiler.run()
        let source = RowSetSource(rows)
        let result = Pipeline(context: context, source: source)
        source.bind(compiler.columns, in: result)
        return result
    }
}

extension PhysicalAggregate {
    /// Filters on group columns hold for the rows of the groups as well; not with grouping sets, which have NULLs
    /// there.
    func passable(_ filters: [RuntimeFilter]) -> [RuntimeFilter] {
        guard groupingSets == nil else { return [] }
        return filters.compactMap { filter in
            guard let group = groups.first(where: { $0.id == filter.column }),
                case .column(let source, _) = group.expression
            else { return nil }
            return filter.renamed(source)
        }
    }
}

/// Compiles the sinks of an aggregation, runs the pipeline and makes rows of the groups.
struct AggregateCompiler {
    private let aggregate: PhysicalAggregate
    private let estimate: Double
    private let pipeline: Pipeline
    private var context: ExecutionContext { pipeline.context }

    init(_ aggregate: PhysicalAggregate, estimate: Double, pipeline: Pipeline) {
        self.aggregate = aggregate
        self.estimate = estimate
        self.pipeline = pipeline
    }

    /// The columns of the result.
    var columns: [ColumnID] {
        aggregate.groups.map(\.id) + aggregate.aggregates.map(\.id) + (aggregate.groupingColumn.map { [$0] } ?? [])
    }

    func run() throws -> RowSet {
        let groups = try aggregate.groups.map { try pipeline.compile($0.expression) }
        let sets = aggregate.groupingSets ?? [Array(groups.indices)]
        let sinks = try sets.map { try makeSink($0.map { groups[$0] }) }
        for sink in sinks { pipeline.emit(sink) }
        try pipeline.run()
        let maker = Pipeline(context: context, source: PipelineSource())
        var results: [RowSet] = []
        for sink in sinks {
            try context.cancellation.check()
            let merged = try GroupMerge(sink, context: context).merged()
            results.append(try AggregateResult(sink, merged, pipeline: maker).rows())
        }
        if aggregate.groupingSets == nil { return results[0] }
        return try GroupingSetUnion(aggregate, groups: groups, sets: sets, maker: maker).union(results)
    }

    private func makeSink(_ registers: [Register]) throws -> AggregateSink {
        // The states' width depends on the form, and the form on the states' width: the form is chosen by the narrow
        // one.
        let layout = try AggregateLayout(aggregate.aggregates, pipeline: pipeline, narrow: true)
        let keys = GroupKeys(
            registers, rowBound: pipeline.rowBound, estimate: estimate, bytes: max(layout.bytesPerGroup, 1),
            context: context)
        guard case .dense(let domain) = keys.form else {
            let wide = try AggregateLayout(aggregate.aggregates, pipeline: pipeline, narrow: false)
            if keys.isSingle { wide.requireCounts() }
            return AggregateSink(keys, wide, context: context)
        }
        let large = domain > 65_536
        let chosen = large ? layout : try AggregateLayout(aggregate.aggregates, pipeline: pipeline, narrow: false)
        chosen.requirePresence()
        return AggregateSink(keys, chosen, context: context)
    }
}

/// Puts the results of all grouping sets under each other, with NULL for groups outside of a set.
struct GroupingSetUnion {
    private let aggregate: PhysicalAggregate
    private let groups: [Register]
    private let sets: [[Int]]
    private let maker: Pipeline
    private let reservation: Reservation

    init(_ aggregate: PhysicalAggregate, groups: [Register], sets: [[Int]], maker: Pipeline) {
        reservation = Reservation(maker.context)
        self.aggregate = aggregate
        self.groups = groups
        self.sets = sets
        self.maker = maker
    }

    func union(_ results: [RowSet]) throws -> RowSet {
        let total = results.reduce(0) { $0 + $1.count }
        var columns: [RowSet.Column] = []
        var owners: [AnyObject] = results + [reservation]
        for index in groups.indices {
            let buffer = ColumnBuffer(groups[index].physical)
            for (set, result) in zip(sets, results) {
                if let place = set.firstIndex(of: index) {
                    try append(result.columns[place], result.count, to: buffer)
                } else if result.count > 0 {
                    try buffer.append(.null, repeated: result.count)
                }
            }
            columns.append(column(buffer, maker.makeRegister(like: groups[index], nullable: true), &owners))
        }
        for index in aggregate.aggregates.indices {
            columns.append(try aggregateColumn(index, results, &owners))
        }
        if aggregate.groupingColumn != nil { columns.append(try groupingColumn(results, &owners)) }
        return RowSet(columns: columns, count: total, owners: owners)
    }

    private func column(_ buffer: ColumnBuffer, _ form: Register, _ owners: inout [AnyObject]) -> RowSet.Column {
        owners.append(buffer)
        return RowSet.Column(form: form, values: buffer.values, validity: buffer.validity)
    }

    /// The sets' results may have different widths.
    private func aggregateColumn(_ index: Int, _ results: [RowSet], _ owners: inout [AnyObject]) throws
        -> RowSet.Column
    {
        let parts = zip(sets, results).map { $1.columns[$0.count + index] }
        let widest = parts.max { $0.form.physical.byteWidth < $1.form.physical.byteWidth } ?? parts[0]
        let buffer = ColumnBuffer(widest.form.physical)
        for (part, result) in zip(parts, results) { try append(part, result.count, to: buffer) }
        let form = maker.makeRegister(
            widest.form.type, widest.form.physical, lower: parts.map(\.form.lower).min(),
            upper: parts.map(\.form.upper).max(), nullable: buffer.validity != nil,
            dictionary: widest.form.dictionary, trailingBlanks: parts.contains { $0.form.trailingBlanks })
        return column(buffer, form, &owners)
    }

    private func append(_ from: RowSet.Column, _ rows: Int, to buffer: ColumnBuffer) throws {
        let width = from.form.physical.byteWidth
        try reservation.raise(by: rows * (width + 1))
        var done = 0
        while done < rows {
            let step = min(rows - done, 1 << 20)
            try buffer.append(
                values: UnsafeRawPointer(from.values + done * width), as: from.form.physical,
                validity: from.validity.map { UnsafePointer($0 + done) }, selection: nil, count: step)
            done += step
        }
    }

    /// Bit i is 1 where group i is not in the set.
    private func groupingColumn(_ results: [RowSet], _ owners: inout [AnyObject]) throws -> RowSet.Column {
        let buffer = ColumnBuffer(PhysicalType.int32)
        for (set, result) in zip(sets, results) where result.count > 0 {
            var bits: Int128 = 0
            for index in groups.indices.prefix(31) where !set.contains(index) { bits |= 1 << index }
            try buffer.append(.integer(bits), repeated: result.count)
        }
        return column(buffer, maker.makeRegister(.integer, .int32, nullable: false), &owners)
    }
}
