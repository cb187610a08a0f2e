import ColumnVectors
import SQLTypes

/// Which partition a row belongs to.
enum PartitionRule {
    /// All rows together.
    case one
    /// By the hash of keys: rows with equal keys meet, also those of another sink with the same seed.
    case hash([Register], seed: UInt64)
    /// By the place of an unsigned word among ascending borders: partition i has the words below border i.
    case range(Register, borders: [UInt64])

    var inputs: [Int] {
        switch self {
        case .one: []
        case .hash(let keys, _): keys.map(\.index)
        case .range(let word, _): [word.index]
        }
    }
}

/// The end of a pipeline whose rows go to the temporary area.
final class PartitionSink: Step {
    private let registers: [Register]
    private let rule: PartitionRule
    private let writer: SpillWriter
    private var states: [State] = []

    /// One worker's scratch.
    private final class State {
        var starts: [Int]
        var numbers: [UInt8]
        init(_ partitions: Int, _ rows: Int) {
            starts = Array(repeating: 0, count: partitions + 1)
            numbers = Array(repeating: 0, count: rows)
        }
    }

    /// - Parameter registers: the writer's columns, in forms that its buffers take.
    init(_ registers: [Register], _ rule: PartitionRule, writer: SpillWriter) {
        self.registers = registers
        self.rule = rule
        self.writer = writer
        super.init(inputs: registers.map(\.index) + rule.inputs, outputs: [])
    }

    override func prepare(workers: Int) throws {
        states = (0..<workers).map { _ in State(writer.partitions, 8192 + 128) }
    }

    override func run(_ batch: Batch) throws {
        let state = states[batch.worker]
        switch rule {
        case .one:
            return try writer.append(batch, registers, partition: 0, selection: nil, count: batch.count)
        case .hash(let keys, let seed): number(batch, keys, seed, state)
        case .range(let word, let borders): number(batch, word, borders, state)
        }
        try distribute(batch, state)
    }

    private func number(_ batch: Batch, _ keys: [Register], _ seed: UInt64, _ state: State) {
        let hashes = batch.hashes, count = batch.count
        for i in 0..<count { hashes[i] = seed }
        for key in keys { addPartitionHash(batch, key, hashes) }
        let partitions = UInt64(writer.partitions)
        for i in 0..<count {
            state.numbers[i] = UInt8(truncatingIfNeeded: hashes[i].multipliedFullWidth(by: partitions).high)
        }
    }

    private func number(_ batch: Batch, _ word: Register, _ borders: [UInt64], _ state: State) {
        let words = batch.values(word.index, UInt64.self)
        for i in 0..<batch.count {
            var low = 0, high = borders.count
            while low < high {
                let middle = (low + high) / 2
                if borders[middle] <= words[i] { low = middle + 1 } else { high = middle }
            }
            state.numbers[i] = UInt8(truncatingIfNeeded: low)
        }
    }

    /// Positions by partition, then one append for each of them.
    private func distribute(_ batch: Batch, _ state: State) throws {
        let count = batch.count, partitions = writer.partitions
        for partition in 0...partitions { state.starts[partition] = 0 }
        for i in 0..<count { state.starts[Int(state.numbers[i]) + 1] += 1 }
        for partition in 0..<partitions { state.starts[partition + 1] += state.starts[partition] }
        let positions = batch.positions
        for i in 0..<count {
            let number = Int(state.numbers[i])
            positions[state.starts[number]] = UInt16(truncatingIfNeeded: i)
            state.starts[number] += 1
        }
        var first = 0
        for partition in 0..<partitions {
            let end = state.starts[partition]
            try writer.append(
                batch, registers, partition: partition, selection: UnsafePointer(positions + first), count: end - first)
            first = end
        }
    }
}

/// Adds a key to the rows' hashes. Equal values have equal hashes in every integer form; trailing blanks do not count.
func addPartitionHash(_ batch: Batch, _ key: Register, _ hashes: UnsafeMutablePointer<UInt64>) {
    let count = batch.count
    let validity = batch.validity(key.index)
    @inline(__always) func add(_ value: (Int) -> UInt64) {
        for i in 0..<count {
            let isValid = validity.map { $0[i] != 0 } ?? true
            let word = isValid ? value(i) : 0x6A09_E667_F3BC_C908
            hashes[i] = StringHash.mix(hashes[i] ^ word, 0x9E37_79B9_7F4A_7C15)
            hashes[i] = StringHash.mix(hashes[i] ^ 0x3C6E_F372_FE94_F82B, 0xBB67_AE85_84CA_A73B)
        }
    }
    @inline(__always) func integers<Value: FixedWidthInteger>(_: Value.Type) {
        let values = batch.values(key.index, Value.self)
        add { i in
            let wide = Int128(values[i])
            let low = Int64(truncatingIfNeeded: wide)
            let high = Int64(truncatingIfNeeded: wide >> 64)
            return UInt64(bitPattern: low) ^ UInt64(bitPattern: high ^ (low >> 63)) &* 0xC2B2_AE3D_27D4_EB4F
        }
    }
    switch key.physical {
    case .uint8: integers(UInt8.self)
    case .uint16: integers(UInt16.self)
    case .int32: integers(Int32.self)
    case .int64: integers(Int64.self)
    case .int128: integers(Int128.self)
    case .float64:
        let values = batch.values(key.index, Double.self)
        add { i in values[i].isNaN ? 0x7FF8_0000_0000_0000 : (values[i] == 0 ? 0 : values[i].bitPattern) }
    case .string:
        let values = batch.values(key.index, StringView.self)
        add { i in values[i].hashTrimmed }
    }
}
