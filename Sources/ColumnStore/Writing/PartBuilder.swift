import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Turns collected chunks into part files: dictionaries per slice and column, sort order per slice, then all blocks of
/// all parts as independent tasks, then the footers.
struct PartBuilder {
    let store: Store
    let plan: WritePlan
    /// nil: everything on the calling thread.
    let workers: StatementWorkers?

    /// - Parameter chunks: by slice.
    func build(_ chunks: [[RowChunk]]) throws -> [PartFile] { try buildParts(chunks).map(\.file) }

    /// A part, and the rows of its slice of which it holds some.
    struct BuiltPart {
        var file: PartFile
        var rows: SliceRows
        /// In the order of the slice.
        var start: Int
        var count: Int
    }

    func buildParts(_ chunks: [[RowChunk]]) throws -> [BuiltPart] {
        if !chunks.contains(where: { $0.contains { $0.count > 0 } }) { return [] }
        return try store.buildDesk.seated { try buildSeated(chunks) }
    }

    private func buildSeated(_ chunks: [[RowChunk]]) throws -> [BuiltPart] {
        var slices: [SliceRows] = []
        for (slice, chunks) in chunks.enumerated() where chunks.contains(where: { $0.count > 0 }) {
            slices.append(try SliceRows(slice: slice, chunks: chunks, plan.physicals))
        }
        if slices.isEmpty { return [] }
        try chooseDictionaries(slices)
        try forEach(slices.count, having: {}) { index, _ in try RowOrder.sort(slices[index], plan) }
        let choices = plan.definition.columns.map { OuterChoice($0.encoding) }
        let jobs = try slices.flatMap { try partJobs($0, choices) }
        try encode(jobs)
        try forEach(jobs.count, having: makeScratch) { index, scratch in try jobs[index].finish(scratch) }
        return jobs.compactMap { job in
            job.file.map { BuiltPart(file: $0, rows: job.rows, start: job.start, count: job.count) }
        }
    }

    private func chooseDictionaries(_ slices: [SliceRows]) throws {
        let strings = plan.physicals.indices.filter { plan.physicals[$0] == .string }
        if strings.isEmpty { return }
        let made = Lock<[(Int, Int, CodedColumn?)]>([])
        try forEach(slices.count * strings.count, having: {}) { task, _ in
            let slice = task / strings.count
            let column = strings[task % strings.count]
            let coded = CodedColumn(slices[slice], column: column)
            made.withLock { $0.append((slice, column, coded)) }
        }
        for (slice, column, coded) in made.withLock({ $0 }) { slices[slice].coded[column] = coded }
    }

    private func partJobs(_ rows: SliceRows, _ choices: [OuterChoice]) throws -> [PartJob] {
        let groupRows = groupRows(rows)
        let partRows = max(store.options.partRows / groupRows, 1) * groupRows
        var jobs: [PartJob] = []
        var start = 0
        while start < rows.rowCount {
            let count = min(partRows, rows.rowCount - start)
            jobs.append(
                try PartJob(
                    store: store, plan: plan, rows: rows, start: start, count: count, groupRows: groupRows,
                    choices: choices))
            start += count
        }
        return jobs
    }

    /// 65,536, less only where strings are so long that a block would exceed 256 MB.
    private func groupRows(_ rows: SliceRows) -> Int {
        let heaps = plan.physicals.indices.map { column in
            rows.chunks.reduce(0) { $0 + $1.columns[column].heapCount }
        }
        let widest = (heaps.max() ?? 0) / max(rows.rowCount, 1)
        var groupRows = StorageLimits.rowGroupRows
        while groupRows > 1_024 && groupRows * widest > 256 << 20 { groupRows /= 2 }
        return groupRows
    }

    private func encode(_ jobs: [PartJob]) throws {
        // Wide columns first within a group keeps the last tasks small; groups in order keeps reads of chunks close.
        var tasks: [(job: Int, group: Int, column: Int)] = []
        let columns = plan.physicals.indices.sorted { plan.physicals[$0].byteWidth > plan.physicals[$1].byteWidth }
        for (job, part) in jobs.enumerated() {
            for group in 0..<part.groupCount { for column in columns { tasks.append((job, group, column)) } }
        }
        let list = tasks
        try forEach(list.count, having: makeScratch) { index, scratch in
            let task = list[index]
            try jobs[task.job].encode(group: task.group, column: task.column, scratch)
        }
    }

    private func makeScratch() throws -> EncodeScratch { try EncodeScratch(store.cache.budget) }

    /// Runs tasks on all workers, each with what it needs for them; stops handing out tasks after an error.
    private func forEach<Means>(
        _ count: Int, having makeMeans: () throws -> Means, _ body: (Int, Means) throws -> Void
    ) throws {
        if let workers { return try workers.runTasks(count, having: makeMeans, body) }
        let means = try makeMeans()
        for index in 0..<count { try body(index, means) }
    }
}
