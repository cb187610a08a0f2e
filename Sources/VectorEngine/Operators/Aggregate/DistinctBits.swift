import ColumnVectors
import Glibc

/// Pairs of group and value as bits, for values of few different numbers.
final class DistinctBits {
    /// Bytes of a group: 1, 2, 4 or whole words.
    let stride: Int
    private let memory: TableMemory
    private(set) var groups = 0
    var bytes: UnsafeMutablePointer<UInt8> { memory.values(UInt8.self) }

    init(stride: Int, _ context: ExecutionContext) {
        self.stride = stride
        memory = TableMemory(context)
    }

    /// Makes room for so many groups; new ones have no values.
    func resize(_ wanted: Int) throws {
        if wanted <= groups { return }
        try memory.grow(to: wanted * stride + 64, keeping: groups * stride)
        memset(memory.address + groups * stride, 0, (wanted - groups) * stride)
        groups = wanted
    }

    func add(
        _ values: UnsafePointer<UInt64>, _ groups: UnsafePointer<UInt32>, _ valid: UnsafePointer<UInt8>?, _ count: Int
    ) {
        let bytes = self.bytes, stride = self.stride
        for i in 0..<count {
            if let valid, valid[i] == 0 { continue }
            let value = values[i]
            let place = Int(groups[i]) &* stride &+ Int(truncatingIfNeeded: value &>> 3)
            bytes[place] |= UInt8(truncatingIfNeeded: 1 &<< (value & 7))
        }
    }

    /// Adds the values of another worker's groups; `targets` are their numbers here, which are all different where a
    /// group has values.
    func merge(_ other: DistinctBits, _ targets: UnsafePointer<UInt32>, _ range: Range<Int>) {
        let stride = self.stride
        for group in range {
            let from = other.bytes + group &* stride
            if isEmpty(from) { continue }
            let to = bytes + Int(targets[group]) &* stride
            if stride < 8 {
                for i in 0..<stride { to[i] |= from[i] }
            } else {
                orWords(to, from, stride / 8)
            }
        }
    }

    @inline(__always) private func isEmpty(_ from: UnsafePointer<UInt8>) -> Bool {
        for i in 0..<stride where from[i] != 0 { return false }
        return true
    }
    @inline(__always)
    private func orWords(_ to: UnsafeMutablePointer<UInt8>, _ from: UnsafePointer<UInt8>, _ words: Int) {
        let target = UnsafeMutableRawPointer(to).assumingMemoryBound(to: UInt64.self)
        let source = UnsafeRawPointer(from).assumingMemoryBound(to: UInt64.self)
        for i in 0..<words { target[i] |= source[i] }
    }

    /// How many values a group has.
    func count(_ group: Int) -> Int {
        let from = bytes + group &* stride
        var total = 0
        if stride < 8 {
            for i in 0..<stride { total &+= from[i].nonzeroBitCount }
        } else {
            let words = UnsafeRawPointer(from).assumingMemoryBound(to: UInt64.self)
            for i in 0..<stride / 8 { total &+= words[i].nonzeroBitCount }
        }
        return total
    }

    func forEachValue(_ group: Int, _ body: (UInt64) throws -> Void) rethrows {
        let from = bytes + group &* stride
        for place in 0..<stride {
            var byte = from[place]
            while byte != 0 {
                try body(UInt64(place * 8 + byte.trailingZeroBitCount))
                byte &= byte &- 1
            }
        }
    }
}
