import Platform
import QueryPlan
import SQLTypes

/// Joins over blocks of inner rows, each small enough for memory: for joins without keys, NOT IN, and keys that most
/// rows have. Every block meets the outer rows again; those that have found their match already are left out where the
/// join's kind allows it.
extension QueryExecutor {
    /// A block's share of the memory: beside its rows there must be room for work on them and for writing.
    private static let blocksInMemory = 16

    func openBlockJoin(_ plan: PhysicalPlan, _ site: JoinSite, filters: [RuntimeFilter]) throws -> Pipeline {
        let routed = site.route(filters)
        let columns = site.columns(of: site.outer)
        let inner = try spill(site.inner, columns: site.columns(of: site.inner), filters: routed.inner)
        let outer = try spill(site.outer, columns: columns, filters: routed.outer)
        let job = BlockJoin(plan: plan, site: site, columns: columns, writer: try resultWriter(plan.outputs))
        var pending = inner.blocks(bytes: blockBytes())
        if pending.isEmpty { pending = [inner] }
        pending.reverse()
        var left = outer
        while let block = pending.popLast() {
            do {
                left = try join(left, block, job, isLast: pending.isEmpty)
            } catch let refusal as BlockRefused {
                guard block.chunks.count > 1 else { throw refusal.error }
                pending += block.halves.reversed()
            }
        }
        return pipeline(over: try job.writer.finish()[0], columns: plan.outputs)
    }

    func blockBytes() -> Int {
        min(context.temporary?.memoryBytes ?? .max, context.grant.limit) / QueryExecutor.blocksInMemory
    }

    /// Writes what one block gives. Returns the outer rows for the next one.
    private func join(
        _ outer: SpilledRows, _ block: SpilledRows, _ job: BlockJoin, isLast: Bool
    ) throws -> SpilledRows {
        switch job.site.join.kind {
        case .inner, .right, .rightSemi, .rightAnti:
            try job.add(try open(job, job.site.join.kind, outer, block, job.plan.outputs))
            return outer
        case .left, .full:
            // The rows without any match are the ones that are left at the end, and get their NULLs there. So each
            // outer row has to meet all blocks for its pairs, and they are looked for twice.
            return try joinKeepingOuter(outer, block, job, isLast: isLast)
        case .semi:
            let found = try open(job, .semi, outer, block, job.plan.outputs)
            let rest = isLast ? nil : try open(job, .anti, outer, block, job.columns)
            try job.add(found)
            return try rest.map { try spill($0.pipeline, columns: job.columns, inOrder: false) } ?? outer
        case .anti, .antiNullAware:
            let rest = try open(job, job.site.join.kind, outer, block, isLast ? job.plan.outputs : job.columns)
            if isLast {
                try job.add(rest)
                return outer
            }
            return try spill(rest.pipeline, columns: job.columns, inOrder: false)
        case .mark, .single: throw SQLError(.internalError, "a join of this kind has no blocks")
        }
    }

    private func joinKeepingOuter(
        _ outer: SpilledRows, _ block: SpilledRows, _ job: BlockJoin, isLast: Bool
    ) throws -> SpilledRows {
        let all = job.allOuter ?? outer
        job.allOuter = all
        let pairs = try open(job, job.site.join.kind == .full ? .right : .inner, all, block, job.plan.outputs)
        let rest = try open(job, .anti, outer, block, job.columns)
        try job.add(pairs)
        let unmatched = try spill(rest.pipeline, columns: job.columns, inOrder: false)
        if isLast {
            let none = SpilledRows(forms: block.forms, chunks: [], file: block.file)
            try job.add(try open(job, .left, unmatched, none, job.plan.outputs))
        }
        return unmatched
    }

    /// Opens the join in memory: nothing has been written when that is refused.
    private func open(
        _ job: BlockJoin, _ kind: PhysicalJoin.Kind, _ outer: SpilledRows, _ block: SpilledRows,
        _ outputs: [OutputColumn]
    ) throws -> BlockJoin.Opened {
        var join = job.site.join
        join.kind = kind
        let executor = partitionExecutor()
        let depth = QueryExecutor.deepestSpill + 1
        let leaves = [
            executor.leaf(outer, job.columns, replacing: job.site.outer, depth: depth),
            executor.leaf(block, job.site.columns(of: job.site.inner), replacing: job.site.inner, depth: depth),
        ]
        let plan = PhysicalPlan(
            step: job.plan.step, operation: .join(join), children: leaves, outputs: outputs,
            estimate: job.plan.estimate, distribution: job.plan.distribution)
        do {
            return BlockJoin.Opened(executor: executor, pipeline: try executor.open(plan, filters: []))
        } catch {
            if QueryExecutor.isRefusal(error) { throw BlockRefused(error: error) }
            throw error
        }
    }
}

/// A block was too large.
private struct BlockRefused: Error {
    var error: any Error
}

/// What the blocks of one join share. Confined to the query's thread.
private final class BlockJoin {
    struct Opened {
        var executor: QueryExecutor
        var pipeline: Pipeline
    }
    let plan: PhysicalPlan
    let site: JoinSite
    /// The outer side's.
    let columns: [OutputColumn]
    let writer: SpillWriter
    /// Joins that keep all outer rows: all of them, with and without matches so far.
    var allOuter: SpilledRows?

    init(plan: PhysicalPlan, site: JoinSite, columns: [OutputColumn], writer: SpillWriter) {
        self.plan = plan
        self.site = site
        self.columns = columns
        self.writer = writer
    }

    func add(_ opened: Opened) throws {
        try opened.executor.add(opened.pipeline, plan.outputs, to: writer)
    }
}

extension JoinSite {
    /// Blocks tell of each row whether it has matched; marks and single values would need more.
    var canBlock: Bool {
        switch join.kind {
        case .mark, .single: false
        default: true
        }
    }
}

extension SpilledRows {
    /// Runs of chunks of about so many bytes, at least one chunk each.
    func blocks(bytes: Int) -> [SpilledRows] {
        var result: [SpilledRows] = []
        var start = 0, size = 0
        for (index, chunk) in chunks.enumerated() {
            // What is made of narrow rows is wider than they are.
            let more = max(chunk.bytes, chunk.rows * 8)
            if size > 0 && size + more > bytes {
                result.append(part(start..<index))
                start = index
                size = 0
            }
            size += more
        }
        if start < chunks.count { result.append(part(start..<chunks.count)) }
        return result
    }
    var halves: [SpilledRows] {
        [part(0..<chunks.count / 2), part(chunks.count / 2..<chunks.count)]
    }
    private func part(_ range: Range<Int>) -> SpilledRows {
        SpilledRows(forms: forms, chunks: Array(chunks[range]), file: file)
    }
}
