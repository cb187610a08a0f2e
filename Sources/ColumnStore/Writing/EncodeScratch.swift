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

    init() throws {
        let rows = StorageLimits.rowGroupRows
        let sizes = [rows * 16, rows, rows * 4, rows * 16, rows].map { $0 + StorageLimits.padding }
        region = try MemoryRegions.shared.take(bytes: sizes.reduce(0, +))
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
        raw = try MemoryRegions.shared.take(bytes: rows * 16 + rows)
        packed = try MemoryRegions.shared.take(bytes: rows * 16 + rows)
    }

    deinit {
        for region in [region, raw, packed] { MemoryRegions.shared.give(back: region) }
    }

    /// At least so many bytes (and padding) for a block's raw form; contents are lost when it grows.
    func rawBytes(_ count: Int) throws -> UnsafeMutableRawPointer {
        if count > raw.capacity {
            let larger = try MemoryRegions.shared.take(bytes: count)
            MemoryRegions.shared.give(back: raw)
            raw = larger
        }
        return raw.address
    }

    func packedBytes(_ count: Int) throws -> UnsafeMutableRawBufferPointer {
        if count > packed.capacity {
            let larger = try MemoryRegions.shared.take(bytes: count)
            MemoryRegions.shared.give(back: packed)
            packed = larger
        }
        return UnsafeMutableRawBufferPointer(start: packed.address, count: packed.capacity)
    }
}
