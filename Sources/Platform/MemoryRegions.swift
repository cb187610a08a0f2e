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
/// the next taker. What is kept counts as used memory: it makes way before the target of ``setTarget(bytes:floor:)``
/// is exceeded.
public final class MemoryRegions: Sendable {
    public static let shared = MemoryRegions(keptLimit: max(256 << 20, HostEnvironment.usableMemory() / 4))

    private struct State {
        var free: [Int: [Region]] = [:]
        var keptBytes = 0
        /// Bytes in use, also of blocks that the cache maps for itself.
        var takenBytes = 0
        var peakBytes = 0
        var target = Int.max
        /// So much may be kept whatever is in use.
        var floor = 0
    }
    private let state = Mutex(State())
    private let replacers = Mutex<[ObjectIdentifier: @Sendable (Int) -> Void]>([:])
    private let keptLimit: Int
    private static let hugePage = 2 << 20
    private static let mappedFrom = 1 << 20

    /// - Parameter keptLimit: bytes kept for reuse at most; the surplus goes back to the operating system.
    public init(keptLimit: Int) { self.keptLimit = keptLimit }

    deinit { trim(to: 0) }

    /// Bytes that wait for reuse.
    public var keptBytes: Int { state.withLock { $0.keptBytes } }
    /// Bytes in use and kept, now and at most.
    public var bytes: Int { state.withLock { $0.takenBytes + $0.keptBytes } }
    public var peakBytes: Int { state.withLock { $0.peakBytes } }
    /// Begins a new measurement of the peak.
    public func resetPeak() { state.withLock { $0.peakBytes = $0.takenBytes + $0.keptBytes } }

    /// - Parameters:
    ///   - target: above this, fresh memory replaces what is kept and does not come on top of it.
    ///   - floor: so many bytes may be kept all the same.
    public func setTarget(bytes target: Int, floor: Int) {
        let surplus = state.withLock { state in
            state.target = target
            state.floor = floor
            return MemoryRegions.surplus(&state)
        }
        for region in surplus { MemoryRegions.free(region) }
    }

    /// Calls `body` with a number of bytes whenever fresh memory is taken above the target: a cache lets go of so much
    /// that has not been used lately. Until ``removeReplacer(_:)``.
    public func addReplacer(_ owner: AnyObject, _ body: @escaping @Sendable (Int) -> Void) {
        let key = ObjectIdentifier(owner)
        replacers.withLock { $0[key] = body }
    }
    public func removeReplacer(_ owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        replacers.withLock { $0[key] = nil }
    }
    private func replace(_ bytes: Int) {
        guard state.withLock({ $0.takenBytes + $0.keptBytes > $0.target }) else { return }
        for body in replacers.withLock({ Array($0.values) }) { body(bytes) }
    }

    public func take(bytes: Int) throws -> Region {
        guard bytes <= Limits.maximumRegionBytes, bytes >= 0 else {
            throw MemoryExhausted(requested: bytes, limit: Limits.maximumRegionBytes, used: 0)
        }
        let size = MemoryRegions.capacity(for: bytes)
        let (reused, surplus): (Region?, [Region]) = state.withLock { state in
            state.takenBytes += size
            if let region = state.free[size]?.popLast() {
                state.keptBytes -= size
                return (region, [])
            }
            return (nil, MemoryRegions.surplus(&state))
        }
        if let reused { return reused }
        for region in surplus { MemoryRegions.free(region) }
        if size >= MemoryRegions.mappedFrom { replace(size) }
        guard let region = MemoryRegions.allocate(size) else {
            state.withLock { $0.takenBytes -= size }
            throw MemoryExhausted(requested: bytes, limit: HostEnvironment.usableMemory(), used: keptBytes)
        }
        return region
    }

    public func give(back region: Region) {
        let fits = state.withLock { state in
            state.takenBytes -= region.capacity
            let kept = state.keptBytes + region.capacity
            guard kept <= keptLimit, kept <= state.floor || state.takenBytes + kept <= state.target else {
                return false
            }
            state.keptBytes = kept
            state.free[region.capacity, default: []].append(region)
            return true
        }
        if !fits { MemoryRegions.free(region) }
    }

    // MARK: Slabs

    /// A mapping that its owner deals out himself. Only what he says with ``note(slabBytes:)`` counts as used.
    public static func mapSlab(bytes: Int) throws -> Region {
        guard let region = allocate(max(capacity(for: bytes), hugePage)) else {
            throw MemoryExhausted(requested: bytes, limit: HostEnvironment.usableMemory(), used: shared.bytes)
        }
        return region
    }
    public static func unmapSlab(_ region: Region) { free(region) }

    /// The bytes are undefined from now on and take no memory until they are written again. On borders of pages.
    public static func discard(_ address: UnsafeMutableRawPointer, bytes: Int) {
        madvise(address, bytes, MADV_DONTNEED)
    }

    /// So many bytes more, or less, of slabs are in use.
    public func note(slabBytes bytes: Int) {
        let surplus = state.withLock { state in
            state.takenBytes += bytes
            return bytes > 0 ? MemoryRegions.surplus(&state) : []
        }
        for region in surplus { MemoryRegions.free(region) }
        if bytes > 0 { replace(bytes) }
    }

    /// Frees kept regions until at most so many bytes are kept.
    public func trim(to bytes: Int) {
        let surplus = state.withLock { state in
            MemoryRegions.remove(&state) { $0.keptBytes > bytes }
        }
        for region in surplus { MemoryRegions.free(region) }
    }

    /// Notes the peak, and takes out kept regions that stand in the way of the target.
    private static func surplus(_ state: inout State) -> [Region] {
        let regions = remove(&state) { $0.keptBytes > $0.floor && $0.takenBytes + $0.keptBytes > $0.target }
        state.peakBytes = max(state.peakBytes, state.takenBytes + state.keptBytes)
        return regions
    }

    /// Largest first.
    private static func remove(_ state: inout State, while wanted: (State) -> Bool) -> [Region] {
        guard wanted(state) else { return [] }
        var removed: [Region] = []
        for size in state.free.keys.sorted(by: >) {
            while wanted(state), let region = state.free[size]?.popLast() {
                state.keptBytes -= size
                removed.append(region)
            }
        }
        return removed
    }

    /// The size of the region that is handed out for so many bytes: 4 KB, 8 KB ... 512 KB; then multiples of
    /// 2 MB: 2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, ...
    public static func capacity(for bytes: Int) -> Int {
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
