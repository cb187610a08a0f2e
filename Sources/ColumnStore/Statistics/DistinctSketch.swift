import Glibc

/// Estimates how many distinct values a column has: 2,048 registers (standard error 2.3 %), mergeable over parts. Small
/// counts come out nearly exact.
struct DistinctSketch: Sendable, Equatable {
    static let precision = 11
    static let registerCount = 1 << precision
    private(set) var registers: [UInt8]

    init() { registers = [UInt8](repeating: 0, count: DistinctSketch.registerCount) }

    /// Direct access for row loops: see ``insert(_:into:)``.
    mutating func withRegisters<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result? {
        registers.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(body) }
    }

    @inline(__always)
    static func insert(_ hash: UInt64, into registers: UnsafeMutablePointer<UInt8>) {
        let index = Int(truncatingIfNeeded: hash &>> UInt64(64 - precision))
        let rest = (hash &<< UInt64(precision)) | (1 &<< UInt64(precision - 1))
        let rank = UInt8(truncatingIfNeeded: rest.leadingZeroBitCount &+ 1)
        // Mostly false after the first rows: a branch is cheaper than a store that the next load waits for.
        if rank > registers[index] { registers[index] = rank }
    }

    mutating func merge(_ other: DistinctSketch) {
        for index in 0..<DistinctSketch.registerCount {
            registers[index] = max(registers[index], other.registers[index])
        }
    }

    var estimate: Double {
        let size = Double(DistinctSketch.registerCount)
        var sum = 0.0
        var zeros = 0
        for register in registers {
            sum += scalbn(1.0, -Int32(register))
            if register == 0 { zeros += 1 }
        }
        let raw = 0.7213 / (1 + 1.079 / size) * size * size / sum
        if raw <= 2.5 * size && zeros > 0 { return size * log(size / Double(zeros)) }
        return raw
    }

    // MARK: Stored form: only the registers in use while these are few

    func write(_ writer: inout BinaryWriter) {
        let used = registers.indices.filter { registers[$0] != 0 }
        if used.count * 3 < DistinctSketch.registerCount {
            writer.put(true)
            writer.put(used) { writer, index in
                writer.put(UInt16(truncatingIfNeeded: index))
                writer.put(registers[index])
            }
        } else {
            writer.put(false)
            writer.put(raw: registers)
        }
    }

    init(_ reader: inout BinaryReader) throws {
        self.init()
        guard try reader.getBool() else {
            registers = Array(try reader.take(DistinctSketch.registerCount))
            if registers.contains(where: { $0 > 64 }) { throw reader.corrupted("distinct sketch") }
            return
        }
        for (index, rank) in try reader.getList({ (try $0.get(UInt16.self), try $0.get(UInt8.self)) }) {
            guard Int(index) < DistinctSketch.registerCount, rank <= 64 else {
                throw reader.corrupted("distinct sketch")
            }
            registers[Int(index)] = rank
        }
    }
}

/// Spreads an integer's bits for sketches.
@inline(__always)
func sketchHash(_ value: UInt64) -> UInt64 {
    var hash = value &* 0x9E37_79B9_7F4A_7C15
    hash ^= hash &>> 32
    hash = hash &* 0xD6E8_FEB8_6659_FD93
    return hash ^ (hash &>> 29)
}
