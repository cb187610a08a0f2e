import Glibc

/// Estimates how many distinct values a column has: 2,048 registers (standard error 2.3 %), mergeable over parts. Small
/// counts come out nearly exact.
///
/// Tables of many small parts hold thousands of sketches: while few registers are in use only these are kept, unless
/// somebody writes to them.
struct DistinctSketch: Sendable, Equatable {
    static let precision = 11
    static let registerCount = 1 << precision
    /// All of them, or none: then `used` has those that are not 0.
    private var registers: [UInt8] = []
    private var used: [Register] = []

    private struct Register {
        var index: UInt16
        var rank: UInt8
    }

    init() {}

    static func == (left: DistinctSketch, right: DistinctSketch) -> Bool {
        left.expanded().registers == right.expanded().registers
    }

    /// Direct access for row loops: see ``insert(_:into:)``.
    mutating func withRegisters<Result>(_ body: (UnsafeMutablePointer<UInt8>) -> Result) -> Result? {
        expand()
        return registers.withUnsafeMutableBufferPointer { buffer in buffer.baseAddress.map(body) }
    }

    private mutating func expand() {
        if !registers.isEmpty { return }
        registers = [UInt8](repeating: 0, count: DistinctSketch.registerCount)
        for register in used { registers[Int(register.index)] = register.rank }
        used = []
    }

    private func expanded() -> DistinctSketch {
        var sketch = self
        sketch.expand()
        return sketch
    }

    /// To be called when no more values come: few registers take less room.
    mutating func compact() {
        if registers.isEmpty { return }
        let count = DistinctSketch.registerCount - registers.count { $0 == 0 }
        if !DistinctSketch.isFew(count) { return }
        used.reserveCapacity(count)
        for (index, rank) in registers.enumerated() where rank != 0 {
            used.append(Register(index: UInt16(truncatingIfNeeded: index), rank: rank))
        }
        registers = []
    }

    private static func isFew(_ count: Int) -> Bool { count * 3 < registerCount }

    @inline(__always)
    static func insert(_ hash: UInt64, into registers: UnsafeMutablePointer<UInt8>) {
        let index = Int(truncatingIfNeeded: hash &>> UInt64(64 - precision))
        let rest = (hash &<< UInt64(precision)) | (1 &<< UInt64(precision - 1))
        let rank = UInt8(truncatingIfNeeded: rest.leadingZeroBitCount &+ 1)
        // Mostly false after the first rows: a branch is cheaper than a store that the next load waits for.
        if rank > registers[index] { registers[index] = rank }
    }

    mutating func merge(_ other: DistinctSketch) {
        expand()
        for register in other.used {
            registers[Int(register.index)] = max(registers[Int(register.index)], register.rank)
        }
        for (index, rank) in other.registers.enumerated() { registers[index] = max(registers[index], rank) }
    }

    var estimate: Double {
        let size = Double(DistinctSketch.registerCount)
        let registers = expanded().registers
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
        var small = self
        small.compact()
        if small.registers.isEmpty {
            writer.put(true)
            writer.put(small.used) { writer, register in
                writer.put(register.index)
                writer.put(register.rank)
            }
        } else {
            writer.put(false)
            writer.put(raw: registers)
        }
    }

    init(_ reader: inout BinaryReader) throws {
        guard try reader.getBool() else {
            registers = Array(try reader.take(DistinctSketch.registerCount))
            if registers.contains(where: { $0 > 64 }) { throw reader.corrupted("distinct sketch") }
            return
        }
        used = try reader.getList { try Register(index: $0.get(UInt16.self), rank: $0.get(UInt8.self)) }
        if used.contains(where: { Int($0.index) >= DistinctSketch.registerCount || $0.rank > 64 }) {
            throw reader.corrupted("distinct sketch")
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
