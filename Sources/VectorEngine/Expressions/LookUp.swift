import Glibc
import SQLTypes

/// output[i] = table[input[i] - input.lower]: what became of a function over a small domain. NULL has an entry of its
/// own.
final class LookUp: Step {
    private let table: RowSet.Column
    private let input: Register, output: Register
    private let nullIndex: Int
    override var acceptsMask: Bool { true }

    init(_ table: RowSet.Column, _ input: Register, _ output: Register, nullIndex: Int) {
        self.table = table
        self.input = input
        self.output = output
        self.nullIndex = nullIndex
        super.init(inputs: [input.index], outputs: [output.index])
    }

    override func run(_ batch: Batch) throws {
        switch input.physical {
        case .uint8: value(batch, UInt8.self)
        case .uint16: value(batch, UInt16.self)
        case .int32: value(batch, Int32.self)
        case .int64: value(batch, Int64.self)
        case .int128: value(batch, Int128.self)
        case .float64, .string: throw unexpectedForm(input)
        }
    }
    @inline(__always) private func value<K: FixedWidthInteger>(_ batch: Batch, _: K.Type) {
        switch output.physical.byteWidth {
        case 1: look(batch, K.self, UInt8.self)
        case 2: look(batch, K.self, UInt16.self)
        case 4: look(batch, K.self, UInt32.self)
        case 8: look(batch, K.self, UInt64.self)
        default: look(batch, K.self, SIMD2<UInt64>.self)
        }
    }
    @inline(__always) private func look<K: FixedWidthInteger, V>(_ batch: Batch, _: K.Type, _: V.Type) {
        let x = batch.values(input.index, K.self), o = batch.output(output.index, V.self), n = batch.count
        let t = UnsafePointer(table.values.assumingMemoryBound(to: V.self))
        let base = input.dictionary == nil ? Int(truncatingIfNeeded: input.lower) : 0
        guard let valid = batch.validity(input.index) else {
            for i in 0..<n { o[i] = t[Int(truncatingIfNeeded: x[i]) &- base] }
            if output.nullable, let tableValid = table.validity {
                let result = batch.outputValidity(output.index)
                for i in 0..<n { result[i] = tableValid[Int(truncatingIfNeeded: x[i]) &- base] }
                if output.type == .boolean { zeroNulls(batch, output.index) }
            }
            return
        }
        // NULL rows may hold anything: their value must not index the table.
        for i in 0..<n { o[i] = t[valid[i] != 0 ? Int(truncatingIfNeeded: x[i]) &- base : nullIndex] }
        guard output.nullable else { return }
        let result = batch.outputValidity(output.index)
        if let tableValid = table.validity {
            for i in 0..<n { result[i] = tableValid[valid[i] != 0 ? Int(truncatingIfNeeded: x[i]) &- base : nullIndex] }
        } else {
            memset(result, 1, n)
        }
        if output.type == .boolean { zeroNulls(batch, output.index) }
    }
}
