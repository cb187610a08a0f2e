import ColumnVectors
import Platform
import SQLTypes

/// One worker's memory for encoding a block at a time.
final class EncodeScratch {
    /// Gathered values or codes.
    let values: UnsafeMutableRawPointer
    let validity: UnsafeMutablePointer<UInt8>
    /// Chunk number in the upper 16 bits, row in the lower.
    let ids: UnsafeMutablePointer<UInt32>
    let views: UnsafeMutablePointer<StringView>
    /// 65,536 bytes, all zero between uses.
    let marks: UnsafeMutablePointer<UInt8>
    let outer = OuterContext()
    private let region: Region
    private var raw: Region
    private var packed: Region
    private let budget: MemoryBudget
    private var reserved: Int

    init(_ budget: MemoryBudget) throws {
        self.budget = budget
        (region, raw, packed) = try EncodeScratch.regions()
        reserved = region.capacity + raw.capacity + packed.capacity
        budget.reserveAlways(reserved)
        let sizes = EncodeScratch.sizes
        let rows = StorageLimits.rowGroupRows
        var starts: [UnsafeMutableRawPointer] = []
        var next = region.address
        for size in sizes {
            starts.append(next)
            next += size
        }
        values = starts[0]
        validity = starts[1].assumingMemoryBound(to: UInt8.self)
        ids = starts[2].assumingMemoryBound(to: UInt32.self)
        views = starts[3].assumingMemoryBound(to: StringView.self)
        marks = starts[4].assumingMemoryBound(to: UInt8.self)
        marks.initialize(repeating: 0, count: rows + StorageLimits.padding)
    }

    deinit {
        for region in [region, raw, packed] { MemoryRegions.shared.give(back: region) }
        budget.release(reserved)
    }

    private static let sizes = [16, 1, 4, 16, 1].map { $0 * StorageLimits.rowGroupRows + StorageLimits.padding }

    private static func regions() throws -> (Region, Region, Region) {
        let regions = MemoryRegions.shared
        var taken: [Region] = []
        do {
            let block = StorageLimits.rowGroupRows * 17
            for bytes in [sizes.reduce(0, +), block, block] { taken.append(try regions.take(bytes: bytes)) }
        } catch {
            for region in taken { regions.give(back: region) }
            throw error
        }
        return (taken[0], taken[1], taken[2])
    }

    private func exchange(_ old: Region, for bytes: Int) throws -> Region {
        let larger = try MemoryRegions.shared.take(bytes: bytes)
        MemoryRegions.shared.give(back: old)
        budget.reserveAlways(larger.capacity - old.capacity)
        reserved += larger.capacity - old.capacity
        return larger
    }

    /// At least so many bytes (and padding) for a block's raw form; contents are lost when it grows.
    func rawBytes(_ count: Int) throws -> UnsafeMutableRawPointer {
        if count > raw.capacity { raw = try exchange(raw, for: count) }
        return raw.address
    }

    func packedBytes(_ count: Int) throws -> UnsafeMutableRawBufferPointer {
        if count > packed.capacity { packed = try exchange(packed, for: count) }
        return UnsafeMutableRawBufferPointer(start: packed.address, count: packed.capacity)
    }
}
