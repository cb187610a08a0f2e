import ColumnVectors
import SQLTypes

/// PARTITION BY: a folder for each combination of the columns' values, and the files of one slice in each. Rows are
/// gathered by partition, so that a writer gets many at a time; with many partitions files rest between their rows.
final class PartitionedFiles: UnloadStream {
    /// The columns of PARTITION BY among those of the query, and of the files.
    struct Shape: Sendable {
        var keys: [Int]
        var written: [Int]
    }
    private let settings: UnloadSettings
    private let slice: Int
    private let shape: Shape
    private let names: PartitionNames
    private var numbers: [[UInt8]: Int] = [:]
    private var partitions: [SliceFiles] = []
    /// Of partitions that are not at rest.
    private var open: Set<Int> = []
    /// Rows that wait until there are many, with all columns of the query.
    private let waiting: ColumnBatch
    private let gathered: ColumnBatch
    private static let gatheredRows = 32_768
    private static let gatheredBytes = 16 << 20
    private static let largestOpen = 64
    private static let largestHeld = 32 << 20

    init(
        _ settings: UnloadSettings, _ queryColumns: [OutputColumn], _ shape: Shape, _ style: ValueStyle, slice: Int
    ) {
        self.settings = settings
        self.slice = slice
        self.shape = shape
        names = PartitionNames(shape.keys.map { queryColumns[$0] }, style, rows: PartitionedFiles.gatheredRows)
        waiting = ColumnBatch(types: queryColumns.map(\.type))
        gathered = ColumnBatch(types: shape.written.map { queryColumns[$0].type })
    }

    var files: [UnloadedFile] { partitions.flatMap(\.files) }

    func write(_ batch: ColumnBatch, rows: Range<Int>) throws {
        var start = rows.lowerBound
        while start < rows.upperBound {
            let end = min(start + PartitionedFiles.gatheredRows - waiting.rowCount, rows.upperBound)
            try waiting.append(batch, rows: start..<end)
            let isFull = waiting.rowCount >= PartitionedFiles.gatheredRows
            if isFull || waiting.reservedBytes > PartitionedFiles.gatheredBytes { try writeWaiting() }
            start = end
        }
    }

    private func writeWaiting() throws {
        let count = waiting.rowCount
        if count == 0 { return }
        let numbers = try number(waiting, 0..<count)
        let order = PartitionedFiles.order(numbers, partitions.count)
        try gather(order)
        waiting.removeAll()
        var start = 0
        while start < count {
            let partition = numbers[Int(order[start])]
            var end = start + 1
            while end < count && numbers[Int(order[end])] == partition { end += 1 }
            try write(start..<end, to: partition)
            start = end
        }
    }

    /// Rows by partition, within each in their order.
    private static func order(_ numbers: [Int], _ partitions: Int) -> [UInt16] {
        var next = [Int](repeating: 0, count: partitions + 1)
        for number in numbers { next[number + 1] += 1 }
        for index in 1..<next.count { next[index] += next[index - 1] }
        var order = [UInt16](repeating: 0, count: numbers.count)
        for (row, number) in numbers.enumerated() {
            order[next[number]] = UInt16(truncatingIfNeeded: row)
            next[number] += 1
        }
        return order
    }

    private func gather(_ order: [UInt16]) throws {
        gathered.removeAll()
        for (target, index) in zip(gathered.columns, shape.written) {
            let source = waiting.columns[index]
            try order.withUnsafeBufferPointer {
                try target.append(
                    values: source.values, as: source.physical, validity: source.validity.map { UnsafePointer($0) },
                    selection: $0.baseAddress, count: $0.count)
            }
        }
    }

    private func write(_ rows: Range<Int>, to partition: Int) throws {
        try partitions[partition].write(gathered, rows: rows)
        open.insert(partition)
        let held = open.count > 4 ? open.reduce(0) { $0 + partitions[$1].heldBytes } : 0
        guard open.count > PartitionedFiles.largestOpen || held > PartitionedFiles.largestHeld else { return }
        for partition in open { try partitions[partition].rest() }
        open.removeAll()
    }

    /// The partition of each row; new ones are made.
    private func number(_ batch: ColumnBatch, _ rows: Range<Int>) throws -> [Int] {
        try names.fill(shape.keys.map { batch.columns[$0] }, rows)
        var result: [Int] = []
        result.reserveCapacity(rows.count)
        var last = -1
        for row in 0..<rows.count {
            if row > 0 && names.isSame(row, row - 1) {
                result.append(last)
                continue
            }
            let key = names.key(row)
            if let known = numbers[key] {
                last = known
            } else {
                last = partitions.count
                numbers[key] = last
                partitions.append(SliceFiles(settings, slice: slice, folder: names.folder(row)))
            }
            result.append(last)
        }
        return result
    }

    func close() throws {
        try writeWaiting()
        for partition in partitions { try partition.close() }
    }
}
