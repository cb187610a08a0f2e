import Glibc
import Synchronization

/// A block of memory from ``MemoryRegions``. Its bytes are undefined. The owner gives it back exactly once.
@frozen
public struct Region: @unchecked Sendable {  // one owner at a time
    public let address: UnsafeMutableRawPointer
    public let capacity: Int

    /// Readable and writable bytes after the capacity, so that SIMD loops may run over the end.
    public static let padding = 128

    @inlinable
    public init(address: UnsafeMutableRawPointer, capacity: Int) {
        self.address = address
        self.capacity = capacity
    }
}

/// Memory kept between queries: faulting in fresh pages costs more than the work done on them. Safe from any thread.
///
/// Regions of 1 MB and more are mapped on 2 MB borders and ask for huge pages; smaller ones come from the heap on
/// 128-byte borders. Sizes are rounded up to classes, four to a doubling at most, so that a region given back fits
/// the next taker.
public final class MemoryRegions: Sendable {
    public static let shared = MemoryRegions(keptLimit: max(256 << 20, HostEnvironment.usableMemory() / 4))

    private struct Kept {
        var free: [Int: [Region]] = [:]
        var bytes = 0
    }
    private let kept = Mutex(Kept())
    private let keptLimit: Int
    private static let hugePage = 2 << 20
    private static let mappedFrom = 1 << 20

    /// - Parameter keptLimit: bytes kept for reuse at most; the surplus goes back to the operating system.
    public init(keptLimit: Int) { self.keptLimit = keptLimit }

    deinit { trim(to: 0) }

    /// Bytes that wait for reuse.
    public var keptBytes: Int { kept.withLock { $0.bytes } }

    public func take(bytes: Int) throws -> Region {
        guard bytes <= Limits.maximumRegionBytes, bytes >= 0 else {
            throw MemoryExhausted(requested: bytes, limit: Limits.maximumRegionBytes, used: 0)
        }
        let size = MemoryRegions.sizeClass(bytes)
        let reused: Region? = kept.withLock { kept in
            guard let region = kept.free[size]?.popLast() else { return nil }
            kept.bytes -= size
            return region
        }
        if let reused { return reused }
        guard let region = MemoryRegions.allocate(size) else {
            throw MemoryExhausted(requested: bytes, limit: HostEnvironment.usableMemory(), used: keptBytes)
        }
        return region
    }

    public func give(back region: Region) {
        let fits = kept.withLock { kept in
            guard kept.bytes + region.capacity <= keptLimit else { return false }
            kept.bytes += region.capacity
            kept.free[region.capacity, default: []].append(region)
            return true
        }
        if !fits { MemoryRegions.free(region) }
    }

    /// Frees kept regions until at most so many bytes are kept.
    public func trim(to bytes: Int) {
        let surplus: [Region] = kept.withLock { kept in
            var surplus: [Region] = []
            for size in kept.free.keys.sorted(by: >) {
                while kept.bytes > bytes, let region = kept.free[size]?.popLast() {
                    kept.bytes -= size
                    surplus.append(region)
                }
            }
            return surplus
        }
        for region in surplus { MemoryRegions.free(region) }
    }

    /// 4 KB, 8 KB ... 512 KB; then multiples of 2 MB: 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, ...
    static func sizeClass(_ bytes: Int) -> Int {
        if bytes < mappedFrom {
            var size = 4096
            while size < bytes { size <<= 1 }
            if size < mappedFrom { return size }
        }
        let top = 1 << (Int.bitWidth - 1 - max(bytes - 1, 1).leadingZeroBitCount)
        let step = max(top / 4, hugePage)
        return (bytes + step - 1) / step * step
    }

    private static func allocate(_ size: Int) -> Region? {
        guard size >= mappedFrom else {
            return aligned_alloc(128, size + Region.padding).map { Region(address: $0, capacity: size) }
        }
        let total = size + 4096
        let request = total + hugePage
        let mapped = mmap(nil, request, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let raw = mapped, raw != MAP_FAILED else { return nil }
        let start = Int(bitPattern: raw)
        let aligned = (start + hugePage - 1) & ~(hugePage - 1)
        if aligned > start { munmap(raw, aligned - start) }
        let end = start + request
        let address = raw + (aligned - start)
        if end > aligned + total { munmap(address + total, end - aligned - total) }
        madvise(address, size, MADV_HUGEPAGE)
        return Region(address: address, capacity: size)
    }

    private static func free(_ region: Region) {
        if region.capacity >= mappedFrom {
            munmap(region.address, region.capacity + 4096)
        } else {
            Glibc.free(region.address)
        }
    }
}
