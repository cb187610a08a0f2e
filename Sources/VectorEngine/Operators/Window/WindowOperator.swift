import ColumnVectors
import Glibc
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
            functions.append(
                try WindowFunctionRun(
                    function.call, arguments, orderKeys: Array(keys.dropFirst(spec.partitionBy.count)),
                    rows: rows.count, context: context))
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
                try context.cancellation.check()
                for function in functions {
                    try function.evaluate(borders, shares[task]..<shares[task + 1], scratch)
                }
            }
        }
        do {
            if shares.count == 2 { try work(0) } else { try context.workers.runParts(work) }
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

    /// - Parameter bounds: of all values, when they are proved to fit `physical`.
    init(
        _ type: SQLType, physical: PhysicalType? = nil, bounds: (lower: Int128, upper: Int128)? = nil, rows: Int,
        context: ExecutionContext
    ) throws {
        count = rows
        let physical = physical ?? type.physical
        values = try OwnedRegion(bytes: rows * physical.byteWidth + 16, context: context)
        validity = try OwnedRegion(bytes: rows + 16, context: context)
        valid = validity.pointer(UInt8.self)
        valid.update(repeating: 1, count: rows)
        let maker = Pipeline(context: context, source: PipelineSource())
        let form = maker.makeRegister(
            type, physical, lower: bounds?.lower, upper: bounds?.upper, nullable: true)
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
        // 2 marks the first row of a partition for the moment, 1 that of a group of peers.
        let mark = { (first: Int, last: Int) in
            memset(peers + first, 0, last - first)
            let from = max(first, 1)
            if from >= last { return }
            for (index, key) in keys.enumerated() {
                markDifferences(key.column, from, last, index < partitionKeys ? 2 : 1, peers)
            }
        }
        let workers = context.pool.workers
        if count < 16_384 {
            mark(0, count)
        } else {
            context.pool.run { mark(count * $0 / workers, count * ($0 + 1) / workers) }
        }
        if count > 0 { peers[0] = 2 }
        var starts: [Int] = []
        var partitions = 0
        for row in 0..<count { partitions &+= Int(peers[row] &>> 1) }
        starts.reserveCapacity(partitions + 1)
        for row in 0..<count where peers[row] > 1 {
            starts.append(row)
            peers[row] = 1
        }
        if count > 0 { starts.append(count) }
        self.partitions = starts
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

/// Adds `bit` to the rows of first ..< last whose value is not that of the row before. NULLs are equal to each other.
private func markDifferences(
    _ column: RowSet.Column, _ first: Int, _ last: Int, _ bit: UInt8, _ marks: UnsafeMutablePointer<UInt8>
) {
    @inline(__always) func mark<Value: Equatable>(_: Value.Type) {
        let values = column.values.assumingMemoryBound(to: Value.self)
        if let validity = column.validity {
            for row in first..<last {
                let (a, b) = (validity[row], validity[row &- 1])
                marks[row] |= ((a ^ b) | (a & b & b2u(values[row] != values[row &- 1]))) &* bit
            }
        } else {
            for row in first..<last { marks[row] |= b2u(values[row] != values[row &- 1]) &* bit }
        }
    }
    switch column.form.physical {
    case .uint8: mark(UInt8.self)
    case .uint16: mark(UInt16.self)
    case .int32: mark(Int32.self)
    case .int64: mark(Int64.self)
    case .int128: mark(Int128.self)
    case .float64, .string:
        let validity = column.validity
        for row in first..<last {
            let (a, b) = (validity.map { $0[row] } ?? 1, validity.map { $0[row - 1] } ?? 1)
            let differs = a & b != 0 && compareColumnValues(column, row - 1, row) != 0
            marks[row] |= ((a ^ b) | b2u(differs)) &* bit
        }
    }
}
