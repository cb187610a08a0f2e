import ColumnStore

/// Brings the surviving rows' places in the table snapshot into a register: the hidden column of DELETE and UPDATE.
final class RowIDFetch: Step {
    private let output: Register
    override var acceptsMask: Bool { true }

    init(_ output: Register) {
        self.output = output
        super.init(inputs: [], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        guard let cursor = batch.scan else { throw ScanError.noRowGroup }
        let first = RowID.make(part: cursor.partIndex, group: cursor.group, row: batch.window)
        let ids = batch.output(output.index, Int64.self), count = batch.count
        if batch.identity {
            for i in 0..<count { ids[i] = first &+ Int64(i) }
        } else {
            let positions = batch.selection
            for i in 0..<count { ids[i] = first &+ Int64(positions[i]) }
        }
    }
}

/// Brings the number of the slice that holds the rows into a register: SLICE_NUM().
final class SliceNumberFetch: Step {
    private let output: Register
    override var acceptsMask: Bool { true }

    init(_ output: Register) {
        self.output = output
        super.init(inputs: [], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        guard let part = batch.scan?.part else { throw ScanError.noRowGroup }
        let numbers = batch.output(output.index, Int32.self)
        let slice = Int32(truncatingIfNeeded: part.slice)
        for i in 0..<batch.count { numbers[i] = slice }
    }
}
