/// The registers of a HyperLogLog sketch while values and other sketches are added to it. Few registers are kept as a
/// list, many as an array with a byte for each.
package struct HLLSketch {
    /// Of 2^15 registers each, as Redshift's are: a standard error of 0.57 %.
    package static let precision = 15
    package static let registerCount = 1 << precision
    /// A register holds the place of the first 1 among the bits of a hash that do not choose the register.
    package static let highestValue: UInt8 = 64 - 15 + 1
    /// From so many registers on the dense form is the shorter one.
    static let denseCount = 8_192

    /// index << 6 | value; ascending by index after ``compact()``, with repetitions before.
    private(set) var entries: [UInt32] = []
    /// Empty while the list is in use.
    private(set) var registers: [UInt8] = []
    /// When the list is looked through for repetitions.
    private var limit = 64

    package init() {}

    package var memoryBytes: Int { entries.capacity * 4 + registers.count + 64 }
    var isDense: Bool { !registers.isEmpty }

    // MARK: Adding

    @inline(__always)
    package mutating func insert(hash: UInt64) {
        let rest = hash &<< UInt64(HLLSketch.precision)
        let place = min(UInt8(truncatingIfNeeded: rest.leadingZeroBitCount) &+ 1, HLLSketch.highestValue)
        raise(Int(hash &>> UInt64(64 - HLLSketch.precision)), to: place)
    }

    /// - Parameter index: below ``registerCount``.
    @inline(__always)
    mutating func raise(_ index: Int, to value: UInt8) {
        if isDense {
            registers[index] = max(registers[index], value)
            return
        }
        entries.append(UInt32(truncatingIfNeeded: index) << 6 | UInt32(value))
        if entries.count >= limit { compact() }
    }

    package mutating func merge(_ other: HLLSketch) {
        if other.isDense {
            expand()
            for (index, value) in other.registers.enumerated() { registers[index] = max(registers[index], value) }
        } else {
            for entry in other.entries { raise(Int(entry >> 6), to: UInt8(entry & 63)) }
        }
    }

    /// Leaves one entry, the largest, of each register; becomes dense where that is shorter.
    mutating func compact() {
        if isDense { return }
        entries.sort()
        var kept = 0
        for place in entries.indices {
            if kept > 0, entries[kept - 1] >> 6 == entries[place] >> 6 {
                entries[kept - 1] = entries[place]
            } else {
                entries[kept] = entries[place]
                kept += 1
            }
        }
        entries.removeLast(entries.count - kept)
        if kept >= HLLSketch.denseCount { return expand() }
        limit = min(max(64, 2 * kept), 2 * HLLSketch.denseCount)
    }

    mutating func expand() {
        if isDense { return }
        registers = [UInt8](repeating: 0, count: HLLSketch.registerCount)
        for entry in entries {
            let index = Int(entry >> 6)
            registers[index] = max(registers[index], UInt8(entry & 63))
        }
        entries = []
    }
}
