import ColumnVectors
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// ORDER BY by ranges of the keys: the input is written while its keys are measured, a sample gives borders, and
    /// the ranges are sorted one after the other. A range that is too large is divided again, by the bits in which
    /// its keys differ.
    func openSpilledSort(_ plan: PhysicalPlan, _ items: [SortItem], filters: [RuntimeFilter]) throws -> Pipeline {
        let child = plan.children[0]
        let depth = spillDepth(plan)
        let input = try open(child, filters: filters)
        let keys = try items.map { try input.sortKey($0.expression) }
        let survey = SortKeySurvey(keys)
        input.emit(survey)
        let registers = try child.outputs.map { try input.value(of: $0.id) } + keys
        let writer = try SpillWriter(registers, partitions: 1, context: context)
        input.emit(PartitionSink(registers, .one, writer: writer))
        try input.run(inOrder: child.isOrdered)
        let rows = try writer.finish()[0]
        let ranges = try partition(rows, keys: items.count, survey.layout(items), inOrder: child.isOrdered)
        let result = try resultWriter(plan.outputs)
        for range in ranges where range.count > 0 {
            let executor = partitionExecutor()
            let leaf = executor.leaf(range, child.outputs, replacing: child, depth: depth + 1)
            let sorted = try executor.open(plan.over([leaf], operation: .sort(items)), filters: [])
            try executor.add(sorted, plan.outputs, to: result, inOrder: true)
        }
        return pipeline(over: try result.finish()[0], columns: plan.outputs)
    }

    /// Divides rows, whose last columns are the keys, by ranges of the keys' first bits; the keys are left out.
    private func partition(
        _ rows: SpilledRows, keys: Int, _ layout: SortKeyLayout, inOrder: Bool
    ) throws -> [SpilledRows] {
        let step = max(rows.chunks.count / 64, 1)
        let some = SpilledRows(
            forms: rows.forms, chunks: stride(from: 0, to: rows.chunks.count, by: step).map { rows.chunks[$0] },
            file: rows.file)
        let (sampled, sampleWord) = words(some, keys: keys, layout)
        let sample = WordSample(sampleWord)
        sampled.emit(sample)
        try sampled.run()
        let (pipeline, word) = words(rows, keys: keys, layout)
        guard let source = pipeline.source as? SpilledSource else { return [rows] }
        let registers = rows.forms.indices.dropLast(keys).map { source.fetch($0, in: pipeline) }
        let writer = try SpillWriter(registers, partitions: QueryExecutor.spillPartitions, context: context)
        let rule = PartitionRule.range(word, borders: sample.borders(QueryExecutor.spillPartitions))
        pipeline.emit(PartitionSink(registers, rule, writer: writer))
        try pipeline.run(inOrder: inOrder)
        return try writer.finish()
    }

    private func words(
        _ rows: SpilledRows, keys: Int, _ layout: SortKeyLayout
    ) -> (pipeline: Pipeline, word: Register) {
        let source = SpilledSource(rows, context: context)
        let pipeline = Pipeline(context: context, source: source)
        let registers = rows.forms.indices.suffix(keys).map { source.fetch($0, in: pipeline) }
        let word = pipeline.makeRegister(.bigint, .int64, nullable: false)
        pipeline.emit(SortWord(registers, layout, word: word))
        return (pipeline, word)
    }

    /// ORDER BY with LIMIT for more rows than fit: everything in order, then the wanted places.
    func openSpilledTopN(
        _ plan: PhysicalPlan, _ items: [SortItem], count: Int64, offset: Int64
    ) throws -> Pipeline {
        let sorted = try openSpilledSort(plan, items, filters: [])
        return try spilledPlaces(sorted, plan.outputs, skipped: Int(max(offset, 0)), most: Int(max(count, 0)))
    }

    /// LIMIT over ordered rows.
    func openSpilledLimit(_ plan: PhysicalPlan, count: Int64?, offset: Int64) throws -> Pipeline {
        let ordered = try open(plan.children[0], filters: [])
        return try spilledPlaces(
            ordered, plan.outputs, skipped: Int(max(offset, 0)), most: count.map { Int(max($0, 0)) })
    }

    /// Consecutive rows of an ordered pipeline.
    private func spilledPlaces(
        _ ordered: Pipeline, _ columns: [OutputColumn], skipped: Int, most: Int?
    ) throws -> Pipeline {
        ordered.emit(LimitStep(skipped, most, source: ordered.source))
        return pipeline(over: try spill(ordered, columns: columns, inOrder: true), columns: columns)
    }

    /// Window functions by partitions of their PARTITION BY.
    func openSpilledWindow(_ plan: PhysicalPlan, _ spec: LogicalWindowSpecification) throws -> Pipeline {
        if spec.isStreamable && !spec.hasPartitions { return try openStreamedWindow(plan, spec) }
        let child = plan.children[0]
        let keys = spec.partitionBy.filter(\.canPartition)
        let parts = try partition(child, columns: child.outputs, keys: keys, seed: spillSeed(plan))
        let writer = try resultWriter(plan.outputs)
        for part in parts where part.count > 0 {
            let executor = partitionExecutor()
            let leaf = executor.leaf(part, child.outputs, replacing: child, depth: spillDepth(plan) + 1)
            try executor.add(
                executor.open(plan.over([leaf]), filters: []), plan.outputs, to: writer, inOrder: true)
        }
        return pipeline(over: try writer.finish()[0], columns: plan.outputs)
    }

    /// INTERSECT and EXCEPT by partitions of whole rows.
    func openSpilledSetOperation(_ plan: PhysicalPlan, left: [ColumnID], right: [ColumnID]) throws -> Pipeline {
        let depth = spillDepth(plan), seed = spillSeed(plan)
        let sides = try zip(plan.children, [left, right]).map { child, ids in
            let columns = ids.compactMap { id in child.outputs.first { $0.id == id } }
            let keys = columns.map { BoundExpression.column($0.id, $0.type) }.filter(\.canPartition)
            return (columns, try partition(child, columns: columns, keys: keys, seed: seed))
        }
        let writer = try resultWriter(plan.outputs)
        for number in 0..<QueryExecutor.spillPartitions {
            if sides.allSatisfy({ $0.1[number].count == 0 }) { continue }
            let executor = partitionExecutor()
            let leaves = zip(sides, plan.children).map { side, child in
                executor.leaf(side.1[number], side.0, replacing: child, depth: depth + 1)
            }
            try executor.add(executor.open(plan.over(leaves), filters: []), plan.outputs, to: writer)
        }
        return pipeline(over: try writer.finish()[0], columns: plan.outputs)
    }
}

extension LogicalWindowSpecification {
    /// Whether there is a form for rows that do not fit, after so many cuts of the input.
    func canSpill(_ depth: Int) -> Bool {
        hasPartitions ? depth < QueryExecutor.deepestSpill : isStreamable && depth <= QueryExecutor.deepestSpill
    }
    fileprivate var hasPartitions: Bool { partitionBy.contains(where: \.canPartition) }
}
