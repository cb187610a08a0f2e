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
/// Regions of 1 MB and more are mapped on 2 MB borders and ask for huge pages, those of 256 KB and more are mapped,
/// smaller ones come from the heap on 128-byte borders. Sizes are rounded up to classes, four to a doubling at most, so
/// that a region given back fits the next taker. What is kept counts as used memory: above the target of
/// ``setTarget(of:bytes:floor:)`` what a cache has not used lately makes way, then what is kept.
///
/// They belong to the process, not to a warehouse (`docs/design/0006-the-world-passed-in.md`): several warehouses share
/// them, and their targets add up.
public final class MemoryRegions: Sendable {
    public static let shared = MemoryRegions(
        keptLimit: max(256 << 20, HostEnvironment.usableMemory() / 4))

    /// What one lock guards. Many short statements at once would wait for a single one most of their time.
    private final class Shelf: Sendable {
        struct Kept {
            /// By size. There are few, and most are found at once.
            private(set) var sizes: [Int] = []
            private var regions: [[Region]] = []

            /// In place, without what a dictionary's accessors take from the heap.
            mutating func take(_ size: Int) -> Region? {
                sizes.firstIndex(of: size).flatMap { regions[$0].popLast() }
            }
            mutating func add(_ region: Region) {
                if let place = sizes.firstIndex(of: region.capacity) { return regions[place].append(region) }
                sizes.append(region.capacity)
                regions.append([region])
            }
        }
        let kept = Lock(Kept())
    }
    private let shelves: [Shelf]
    private let keptTotal = Atomic<Int>(0)
    /// Bytes in use, also of slabs that the cache deals out itself.
    private let takenTotal = Atomic<Int>(0)
    private let peakTotal = Atomic<Int>(0)
    /// Of all owners together.
    private let target = Atomic<Int>(.max)
    /// So much may be kept whatever is in use.
    private let floor = Atomic<Int>(0)
    private struct Target {
        var bytes: Int
        var floor: Int
    }
    private let targets = Lock<[ObjectIdentifier: Target]>([:])
    /// Of the warehouses that share these regions.
    let budgets = ProcessBudgets()
    private let replacers = Lock<[ObjectIdentifier: @Sendable (Int) -> Void]>([:])
    private let keptLimit: Int
    /// Of regions in the heap, given up and not taken again since the heap was last trimmed: still the process's.
    private let looseHeapBytes = Atomic<Int>(0)
    private static let leastLooseBytes = 4 << 20
    private static let largestLooseBytes = 64 << 20
    /// What waits in the heap is at most this part of the target.
    private static let looseShare = 16
    private static let shelfCount = 16
    private static let hugePage = 2 << 20
    private static let mappedFrom = 1 << 20
    /// From here on regions are mappings of their own: in the heap what is given back stays in use by the process.
    private static let pagesFrom = 256 << 10

    /// - Parameter keptLimit: bytes kept for reuse at most; the surplus goes back to the operating system.
    public init(keptLimit: Int) {
        self.keptLimit = keptLimit
        shelves = (0..<MemoryRegions.shelfCount).map { _ in Shelf() }
    }

    deinit { trim(to: 0) }

    /// Bytes that wait for reuse.
    public var keptBytes: Int { keptTotal.load(ordering: .relaxed) }

    /// Bytes in use and kept, now and at most.
    public var bytes: Int { takenTotal.load(ordering: .relaxed) + keptBytes }
    public var peakBytes: Int { peakTotal.load(ordering: .relaxed) }
    /// Begins a new measurement of the peak.
    public func resetPeak() { peakTotal.store(bytes, ordering: .relaxed) }

    /// What several owners want adds up. Until ``removeTarget(of:)``.
    ///
    /// - Parameters:
    ///   - bytes: above this, fresh memory replaces what is kept and does not come on top of it.
    ///   - floor: so many bytes may be kept all the same.
    public func setTarget(of owner: AnyObject, bytes: Int, floor: Int) {
        let key = ObjectIdentifier(owner)
        changeTargets { $0[key] = Target(bytes: bytes, floor: floor) }
        makeRoom()
    }
    public func removeTarget(of owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        changeTargets { $0[key] = nil }
    }
    private func changeTargets(_ body: (inout [ObjectIdentifier: Target]) -> Void) {
        targets.withLock { targets in
            body(&targets)
            var (bytes, floor) = (targets.isEmpty ? Int.max : 0, 0)
            for one in targets.values {
                let (sum, overflow) = bytes.addingReportingOverflow(one.bytes)
                bytes = overflow ? .max : sum
                floor += one.floor
            }
            target.store(bytes, ordering: .relaxed)
            self.floor.store(floor, ordering: .relaxed)
        }
    }

    /// Calls `body` with a number of bytes whenever memory is above the target: a cache lets go of so much that has not
    /// been used lately. Until ``removeReplacer(_:)``.
    public func addReplacer(_ owner: AnyObject, _ body: @escaping @Sendable (Int) -> Void) {
        let key = ObjectIdentifier(owner)
        replacers.withLock { $0[key] = body }
    }
    public func removeReplacer(_ owner: AnyObject) {
        let key = ObjectIdentifier(owner)
        replacers.withLock { $0[key] = nil }
    }

    public func take(bytes: Int) throws -> Region {
        guard bytes <= Limits.maximumRegionBytes, bytes >= 0 else {
            throw MemoryExhausted(requested: bytes, limit: Limits.maximumRegionBytes, used: 0)
        }
        let size = MemoryRegions.capacity(for: bytes)
        let own = NativeThread.number % shelves.count
        if let region = reuse(size, shelves[own]) { return region }
        // Large ones are worth a look at what other threads have given back.
        if size >= MemoryRegions.mappedFrom {
            for distance in 1..<shelves.count {
                if let region = reuse(size, shelves[(own + distance) % shelves.count]) { return region }
            }
        }
        countFresh(size, replaces: size >= MemoryRegions.mappedFrom)
        guard let region = MemoryRegions.allocate(size) else {
            takenTotal.subtract(size, ordering: .relaxed)
            throw MemoryExhausted(requested: bytes, limit: HostEnvironment.usableMemory(), used: keptBytes)
        }
        if size < MemoryRegions.pagesFrom && looseHeapBytes.load(ordering: .relaxed) > 0 {
            looseHeapBytes.subtract(size, ordering: .relaxed)
        }
        return region
    }

    private func reuse(_ size: Int, _ shelf: Shelf) -> Region? {
        let region = shelf.kept.withLock { $0.take(size) }
        if region != nil {
            takenTotal.add(size, ordering: .relaxed)
            keptTotal.subtract(size, ordering: .relaxed)
        }
        return region
    }

    #if DEBUG
    private static let spoiltBytes = 256 << 10
    #endif

    public func give(back region: Region) {
        let size = region.capacity
        #if DEBUG
        // Who still reads it is to be found out at once, and not by the next owner's data.
        memset(region.address, 0xDB, min(size, MemoryRegions.spoiltBytes))
        #endif
        takenTotal.subtract(size, ordering: .relaxed)
        let kept = keptTotal.add(size, ordering: .relaxed).newValue
        if kept <= keptLimit && size >= MemoryRegions.mappedFrom { replace() }
        guard kept <= keptLimit, kept <= floor.load(ordering: .relaxed) || surplus <= 0 else {
            keptTotal.subtract(size, ordering: .relaxed)
            release(region)
            return trimLooseHeap()
        }
        shelves[NativeThread.number % shelves.count].kept.withLock { $0.add(region) }
    }

    /// More memory is about to be used: what a cache can do without makes way, then what is kept, which the next
    /// statement like the last one would take again.
    private func countFresh(_ size: Int, replaces: Bool) {
        takenTotal.add(size, ordering: .relaxed)
        if replaces { replace() }
        makeRoom()
        _ = peakTotal.max(bytes, ordering: .relaxed)
    }

    /// Bytes above the target.
    private var surplus: Int { bytes - target.load(ordering: .relaxed) }

    private func replace() {
        if surplus <= 0 { return }
        // Each cache is asked for what those before it had not.
        for body in replacers.withLock({ Array($0.values) }) {
            let wanted = surplus
            if wanted > 0 { body(wanted) }
        }
    }

    private func makeRoom() {
        let surplus = surplus
        let kept = keptBytes, least = floor.load(ordering: .relaxed)
        if surplus > 0 && kept > least { trim(to: max(kept - surplus, least)) }
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
        if bytes > 0 { countFresh(bytes, replaces: true) } else { _ = takenTotal.add(bytes, ordering: .relaxed) }
    }

    /// Frees kept regions until at most so many bytes are kept.
    public func trim(to bytes: Int) {
        for shelf in shelves {
            let surplus: [Region] = shelf.kept.withLock { kept in
                var surplus: [Region] = []
                for size in kept.sizes.sorted(by: >) {
                    while keptBytes > bytes, let region = kept.take(size) {
                        keptTotal.subtract(size, ordering: .relaxed)
                        surplus.append(region)
                    }
                }
                return surplus
            }
            for region in surplus { release(region) }
        }
        trimLooseHeap()
    }

    private func release(_ region: Region) {
        if region.capacity < MemoryRegions.pagesFrom { looseHeapBytes.add(region.capacity, ordering: .relaxed) }
        MemoryRegions.free(region)
    }

    /// The heap keeps the pages of small regions that are given up. When room is made for others, that much comes on
    /// top of it until the heap is trimmed.
    private func trimLooseHeap() {
        let target = target.load(ordering: .relaxed)
        let allowed = min(
            max(target / MemoryRegions.looseShare, MemoryRegions.leastLooseBytes), MemoryRegions.largestLooseBytes)
        let loose = looseHeapBytes.load(ordering: .relaxed)
        if loose <= allowed { return }
        // Who is second need not do it, too.
        if looseHeapBytes.compareExchange(expected: loose, desired: 0, ordering: .relaxed).exchanged {
            ProcessHeap.trim()
        }
    }

    /// The size of the region that is handed out: 4 KB, 8 KB ... 512 KB; then multiples of 2 MB: 2, 4, 6, 8, 10, 12,
    /// 14, 16, 20, 24, 28, 32, 40, ...
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
        if size < pagesFrom {
            return aligned_alloc(128, size + Region.padding).map { Region(address: $0, capacity: size) }
        }
        if size < mappedFrom {
            let mapped = mmap(nil, size + 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            guard let mapped, mapped != MAP_FAILED else { return nil }
            return Region(address: mapped, capacity: size)
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
        if region.capacity >= pagesFrom {
            munmap(region.address, region.capacity + 4096)
        } else {
            Glibc.free(region.address)
        }
    }
}
