import ColumnVectors
import QueryPlan
import SQLTypes
import Synchronization

extension QueryExecutor {
    /// ORDER BY by ranges of the keys: the input is written with the first 64 bits of its normalised keys, a sample of them
    /// gives borders, and the ranges are sorted one after the other.
    func openSpilledSort(_ plan: PhysicalPlan, _ items: [SortItem], filters: [RuntimeFilter]) throws -> Pipeline {
        let child = plan.children[0]
        let depth = spillDepth(plan)
        let input = try open(child, filters: filters)
        let keys = try items.map { try input.sortKey($0.expression) }
        let word = input.makeRegister(.bigint, .int64, nullable: false)
        input.emit(TopNFilter(keys, items, word: word, boundary: TopNBoundary()))
        let sample = WordSample(word)
        input.emit(sample)
        let registers = try child.outputs.map { try input.value(of: $0.id) } + [word]
        let writer = try SpillWriter(registers, partitions: 1, context: context)
        input.emit(PartitionSink(registers, .one, writer: writer))
        try input.run(inOrder: child.isOrdered)
        let ranges = try partition(
            writer.finish()[0], borders: sample.borders(QueryExecutor.spillPartitions), inOrder: child.isOrdered)
        let result = try resultWriter(plan.outputs)
        for range in ranges where range.count > 0 {
            let executor = partitionExecutor()
            let leaf = executor.leaf(range, child.outputs, replacing: child, depth: depth + 1)
            try executor.add(executor.open(plan.over([leaf], operation: .sort(items)), filters: []), plan.outputs,
                to: result, inOrder: true)
        }
        return pipeline(over: try result.finish()[0], columns: plan.outputs)
    }

    /// Divides rows by the word in their last column.
    private func partition(_ rows: SpilledRows, borders: [UInt64], inOrder: Bool) throws -> [SpilledRows] {
        let source = SpilledSource(rows, context: context)
        let pipeline = Pipeline(context: context, source: source)
        let registers = rows.forms.indices.dropLast().map { source.fetch($0, in: pipeline) }
        let word = source.fetch(rows.forms.count - 1, in: pipeline)
        let writer = try SpillWriter(registers, partitions: QueryExecutor.spillPartitions, context: context)
        pipeline.emit(PartitionSink(registers, .range(word, borders: borders), writer: writer))
        try pipeline.run(inOrder: inOrder)
        return try writer.finish()
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
    private func spilledPlaces(_ ordered: Pipeline, _ columns: [OutputColumn], skipped: Int, most: Int?) throws -> Pipeline {
        ordered.emit(LimitStep(skipped, most, source: ordered.source))
        return pipeline(over: try spill(ordered, columns: columns, inOrder: true), columns: columns)
    }

    /// Window functions by partitions of their PARTITION BY.
    func openSpilledWindow(_ plan: PhysicalPlan, _ spec: LogicalWindowSpecification) throws -> Pipeline {
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

/// Remembers some words of every batch.
private final class WordSample: Step {
    private let word: Register
    private static let perBatch = 8
    private static let most = 1 << 16

    init(_ word: Register) {
        self.word = word
        super.init(inputs: [word.index], outputs: [])
    }

    override func prepare(workers: Int) throws { words = (0..<workers).map { _ in Words() } }
    private var words: [Words] = []
    private final class Words { var values: [UInt64] = [] }

    override func run(_ batch: Batch) throws {
        let from = batch.values(word.index, UInt64.self)
        let state = words[batch.worker]
        let stride = max(batch.count / WordSample.perBatch, 1)
        // Late rows take the place of early ones, so that all of the input counts.
        for i in Swift.stride(from: 0, to: batch.count, by: stride) {
            if state.values.count < WordSample.most {
                state.values.append(from[i])
            } else {
                state.values[Int(truncatingIfNeeded: StringHash.mix(from[i] ^ UInt64(batch.window), 0x9E37_79B9_7F4A_7C15))
                    & (WordSample.most - 1)] = from[i]
            }
        }
    }

    /// Ascending words that cut the rows into about equal parts.
    func borders(_ partitions: Int) -> [UInt64] {
        let sorted = words.flatMap(\.values).sorted()
        var borders: [UInt64] = []
        for index in 1..<partitions where !sorted.isEmpty {
            let border = sorted[sorted.count * index / partitions]
            if borders.last != border { borders.append(border) }
        }
        return borders
    }
}
