import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

/// A HyperLogLog sketch of every group, of hashes in 64 bits or of other sketches. The array holds retained references,
/// 0 where a group has none yet, so that workers that merge different groups share nothing.
final class SketchState: AggregateState {
    /// A sketch and the memory that is reserved for it.
    private final class Cell {
        var sketch = HLLSketch()
        private let context: ExecutionContext
        private var reserved = 0

        init(_ context: ExecutionContext) { self.context = context }
        deinit { if reserved > 0 { context.grant.release(reserved) } }

        func reserve() throws {
            let bytes = sketch.memoryBytes
            if bytes <= reserved { return }
            try context.reserve(bytes - reserved)
            reserved = bytes
        }
    }

    init(_ argument: Register, context: ExecutionContext) { super.init(argument, width: 8, context: context) }

    deinit {
        let cells = values(UInt.self)
        for group in 0..<groups {
            guard let address = UnsafeRawPointer(bitPattern: cells[group]) else { continue }
            Unmanaged<Cell>.fromOpaque(address).release()
        }
    }

    override func fresh(final: Bool) -> AggregateState { argument.map { SketchState($0, context: context) } ?? self }

    private func cell(_ group: Int) -> Cell? {
        guard let address = UnsafeRawPointer(bitPattern: values(UInt.self)[group]) else { return nil }
        return Unmanaged<Cell>.fromOpaque(address).takeUnretainedValue()
    }
    private func madeCell(_ group: Int) -> Cell {
        if let known = cell(group) { return known }
        let made = Cell(context)
        values(UInt.self)[group] = UInt(bitPattern: Unmanaged.passRetained(made).toOpaque())
        return made
    }

    override func update(_ input: StateInput) throws {
        guard let argument else { return }
        if argument.physical == .string { return try combine(input, argument) }
        let hashes = input.batch.values(argument.index, UInt64.self)
        if input.single { return try insertAll(input, hashes) }
        for row in 0..<input.count {
            if let valid = input.valid, valid[row] == 0 { continue }
            let cell = madeCell(Int(input.groups[row]))
            cell.sketch.insert(hash: hashes[row])
            try cell.reserve()
        }
    }

    private func insertAll(_ input: StateInput, _ hashes: UnsafePointer<UInt64>) throws {
        if input.count == 0 { return }
        let cell = madeCell(0)
        for row in 0..<input.count {
            if let valid = input.valid, valid[row] == 0 { continue }
            cell.sketch.insert(hash: hashes[row])
        }
        try cell.reserve()
    }

    private func combine(_ input: StateInput, _ argument: Register) throws {
        let sketches = input.batch.values(argument.index, StringView.self)
        for row in 0..<input.count {
            if let valid = input.valid, valid[row] == 0 { continue }
            let cell = madeCell(input.single ? 0 : Int(input.groups[row]))
            try cell.sketch.merge(checking: sketches[row].bytes)
            try cell.reserve()
        }
    }

    override func merge(_ other: AggregateState, _ map: GroupMap) throws {
        guard let other = other as? SketchState else { return }
        let target = values(UInt.self), source = other.values(UInt.self)
        var moved: [Cell] = []
        map.forEach { from, to in
            guard source[from] != 0 else { return }
            guard target[to] != 0 else {
                // A group of a part goes to one merged group alone: its sketch can go there as it is.
                (target[to], source[from]) = (source[from], 0)
                return
            }
            if let cell = cell(to), let added = other.cell(from) {
                cell.sketch.merge(added.sketch)
                moved.append(cell)
            }
        }
        for cell in moved { try cell.reserve() }
    }

    /// The group's sketch in its binary form.
    func bytes(_ group: Int) -> [UInt8]? { cell(group)?.sketch.bytes() }
}
