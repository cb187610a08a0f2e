import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization

extension QueryExecutor {
    /// Window functions: all rows are sorted by partition and order keys, partitions are computed in parallel, and the
    /// result is the sorted rows with one more column for each function.
    func openWindow(
        _ plan: PhysicalPlan, _ spec: LogicalWindowSpecification, filters: [RuntimeFilter]
    ) throws -> Pipeline {
        // A filter would take rows out of the frames of others.
        let child = try open(plan.children[0], filters: [])
        let made = Set(spec.functions.map(\.id))
        let kept = plan.outputs.filter { !made.contains($0.id) }
        let items =
            spec.partitionBy.map { SortItem(expression: $0, descending: false, nullsFirst: false) } + spec.orderBy
        var input = SortInput()
        for item in items { input.add(expression: try child.sortKey(item.expression)) }
        for function in spec.functions {
            for argument in function.call.arguments {
                input.add(expression: try child.canonical(try child.compile(argument)))
            }
        }
        for column in kept { input.add(output: try child.value(of: column.id)) }
        let collector = RowCollector(input.registers, context: context)
        child.emit(collector)
        try child.run(inOrder: items.isEmpty && plan.children[0].isOrdered)
        let collected = try collector.rows()
        let rows = try sort(
            collected, items, keys: Array(input.expressions.prefix(items.count)),
            outputs: Array(collected.columns.indices), skipping: 0, keeping: nil)
        let scratches = (0..<context.pool.workers).map { _ in WindowScratch(context) }
        let results = try compute(spec, rows, input: input, items: items, scratches)
        let byID = Dictionary(uniqueKeysWithValues: zip(spec.functions.map(\.id), results))
        var next = 0
        let columns = plan.outputs.map { output -> RowSet.Column in
            if let result = byID[output.id] { return result.column }
            defer { next += 1 }
            return rows.columns[input.outputs[next]]
        }
        let set = RowSet(columns: columns, count: rows.count, owners: [rows] + results + scratches.map(\.arena))
        return pipeline(over: set, columns: plan.outputs)
    }

    private func compute(
        _ spec: LogicalWindowSpecification, _ rows: RowSet, input: SortInput, items: [SortItem],
        _ scratches: [WindowScratch]
    ) throws -> [WindowResult] {
        let keys = zip(input.expressions, items).map { index, item in
            RowSortKey(column: rows.columns[index], descending: item.descending, nullsFirst: item.nullsFirst)
        }
        let borders = try WindowBorders(rows.count, keys: keys, partitionKeys: spec.partitionBy.count, context: context)
        var place = items.count
        var functions: [WindowFunctionRun] = []
        for function in spec.functions {
            let count = function.call.arguments.count
            let arguments = input.expressions[place..<place + count].map { rows.columns[$0] }
            place += count
            let result = try WindowResult(function.call.type, rows: rows.count, context: context)
            functions.append(
                try WindowFunctionRun(
                    function.call, arguments, orderKeys: Array(keys.dropFirst(spec.partitionBy.count)), result: result))
        }
        try run(functions, borders, scratches)
        for function in functions { function.result.finish() }
        return functions.map(\.result)
    }

    /// Workers take runs of partitions with some thousand rows each.
    private func run(
        _ functions: [WindowFunctionRun], _ borders: WindowBorders, _ scratches: [WindowScratch]
    ) throws {
        let partitions = borders.partitions
        guard partitions.count > 1 else { return }
        var tasks = [0]
        for index in 1..<partitions.count where partitions[index] - partitions[tasks[tasks.count - 1]] >= 8192 {
            tasks.append(index)
        }
        if tasks[tasks.count - 1] != partitions.count - 1 { tasks.append(partitions.count - 1) }
        let shares = tasks
        let next = Atomic<Int>(0)
        let work: (Int) throws -> Void = { [context] worker in
            let scratch = scratches[worker]
            while true {
                let task = next.add(1, ordering: .relaxed).oldValue
                if task >= shares.count - 1 { break }
                for index in shares[task]..<shares[task + 1] {
                    try context.cancellation.check()
                    let partition = WindowPartition(
                        start: partitions[index], end: partitions[index + 1], peers: borders.peers)
                    for function in functions { try function.evaluate(partition, scratch) }
                }
            }
        }
        do {
            if shares.count == 2 { try work(0) } else { try context.pool.runThrowing(work) }
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
    }
}

/// The result column of one function. Workers write to disjoint rows; ``finish()`` comes after them.
final class WindowResult: @unchecked Sendable {  // see above
    private(set) var column: RowSet.Column
    private let values: OwnedRegion
    private let validity: OwnedRegion
    private let count: Int
    /// Rows whose `valid` byte is 0 are NULL.
    let valid: UnsafeMutablePointer<UInt8>

    init(_ type: SQLType, rows: Int, context: ExecutionContext) throws {
        count = rows
        values = try OwnedRegion(bytes: rows * type.physical.byteWidth + 16, context: context)
        validity = try OwnedRegion(bytes: rows + 16, context: context)
        valid = validity.pointer(UInt8.self)
        valid.update(repeating: 1, count: rows)
        let maker = Pipeline(context: context, source: PipelineSource())
        let form = maker.makeRegister(type, type.physical, nullable: true)
        column = RowSet.Column(form: form, values: values.region.address, validity: nil)
    }

    func pointer<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> { values.pointer(Value.self) }

    /// Says whether there are NULLs, and makes their values harmless.
    func finish() {
        var all: UInt8 = 1
        for row in 0..<count { all &= valid[row] }
        if all == 1 { return }
        let width = column.form.physical.byteWidth
        for row in 0..<count where valid[row] == 0 {
            if column.form.physical == .string {
                pointer(StringView.self)[row] = .empty
            } else {
                (column.values + row * width).initializeMemory(as: UInt8.self, repeating: 0, count: width)
            }
        }
        column.validity = valid
    }
}

/// Where partitions and groups of peers begin in sorted rows.
final class WindowBorders: @unchecked Sendable {  // complete after init
    /// First row of every partition, then the number of rows.
    let partitions: [Int]
    /// 1 in the first row of every group of rows with equal order keys; also where a partition begins.
    let peers: UnsafeMutablePointer<UInt8>
    private let memory: OwnedRegion

    init(_ count: Int, keys: [RowSortKey], partitionKeys: Int, context: ExecutionContext) throws {
        memory = try OwnedRegion(bytes: count + 16, context: context)
        let peers = memory.pointer(UInt8.self)
        let partition = RowComparator(Array(keys.prefix(partitionKeys)))
        let order = RowComparator(Array(keys.dropFirst(partitionKeys)))
        // 2 marks the first row of a partition for the moment.
        let mark = { (first: Int, last: Int) in
            for row in first..<last {
                if row == 0 || partition.compare(row - 1, row) != 0 {
                    peers[row] = 2
                } else {
                    peers[row] = order.compare(row - 1, row) != 0 ? 1 : 0
                }
            }
        }
        let workers = context.pool.workers
        if count < 16_384 {
            mark(0, count)
        } else {
            context.pool.run { mark(count * $0 / workers, count * ($0 + 1) / workers) }
        }
        var starts: [Int] = []
        for row in 0..<count where peers[row] == 2 {
            starts.append(row)
            peers[row] = 1
        }
        if count > 0 { starts.append(count) }
        partitions = starts
        self.peers = peers
    }
}

/// Rows `start ..< end` of the sorted rows.
struct WindowPartition {
    let start: Int
    let end: Int
    let peers: UnsafeMutablePointer<UInt8>
    var count: Int { end - start }
}
