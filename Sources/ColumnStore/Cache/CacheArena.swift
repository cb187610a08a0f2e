import Platform

/// Memory of the block cache: slabs (huge pages), dealt out in pages of 4 KB, first fit; pages that come back go to the
/// operating system, so holes in slabs cost no memory. Blocks over half a slab get a region of their own. Not
/// thread-safe: guarded by the cache's lock.
struct CacheArena {
    static let pageBytes = 4_096
    private static let smallestSlab = 2 << 20
    private static let largestSlab = 32 << 20

    struct Allocation {
        let address: UnsafeMutableRawPointer
        let bytes: Int
        /// nil: a region of its own.
        fileprivate let slab: Int?
        fileprivate let region: Region?
    }

    private struct Slab {
        var region: Region
        /// Free runs as (first page, pages), ordered, never adjacent.
        var free: [(start: Int, pages: Int)]
        var largest: Int
        var pages: Int { region.capacity / CacheArena.pageBytes }
    }
    private var slabs: [Slab?] = []
    private(set) var slabBytes = 0

    /// What an allocation of so many bytes takes from the budget.
    static func rounded(_ bytes: Int) -> Int {
        let size = (bytes + pageBytes - 1) & ~(pageBytes - 1)
        return size > largestSlab / 2 ? MemoryRegions.capacity(for: size) : size
    }

    mutating func allocate(_ bytes: Int) throws -> Allocation {
        let size = CacheArena.rounded(bytes)
        if size > CacheArena.largestSlab / 2 {
            let region = try MemoryRegions.mapSlab(bytes: size)
            return Allocation(address: region.address, bytes: size, slab: nil, region: region)
        }
        let pages = size / CacheArena.pageBytes
        for index in slabs.indices {
            if let slab = slabs[index], slab.largest >= pages { return place(pages, in: index) }
        }
        return place(pages, in: try addSlab(size))
    }

    private mutating func addSlab(_ size: Int) throws -> Int {
        var wanted = CacheArena.smallestSlab
        while wanted < CacheArena.largestSlab && (wanted < size * 2 || wanted * 4 <= slabBytes) { wanted *= 2 }
        let region = try MemoryRegions.mapSlab(bytes: wanted)
        let pages = region.capacity / CacheArena.pageBytes
        slabBytes += region.capacity
        let slab = Slab(region: region, free: [(0, pages)], largest: pages)
        if let hole = slabs.firstIndex(where: { $0 == nil }) {
            slabs[hole] = slab
            return hole
        }
        slabs.append(slab)
        return slabs.count - 1
    }

    private mutating func place(_ pages: Int, in index: Int) -> Allocation {
        guard var slab = slabs[index], let run = slab.free.firstIndex(where: { $0.pages >= pages }) else {
            preconditionFailure("a slab's largest run was wrong")  // Only our own accounting can cause this.
        }
        slabs[index] = nil
        let start = slab.free[run].start
        if slab.free[run].pages == pages {
            slab.free.remove(at: run)
        } else {
            slab.free[run] = (start + pages, slab.free[run].pages - pages)
        }
        slab.largest = slab.free.reduce(0) { max($0, $1.pages) }
        let address = slab.region.address + start * CacheArena.pageBytes
        slabs[index] = slab
        return Allocation(address: address, bytes: pages * CacheArena.pageBytes, slab: index, region: nil)
    }

    mutating func free(_ allocation: Allocation) {
        if let region = allocation.region { return MemoryRegions.unmapSlab(region) }
        guard let index = allocation.slab, var slab = slabs[index] else { return }
        slabs[index] = nil
        var start = (allocation.address - slab.region.address) / CacheArena.pageBytes
        var pages = allocation.bytes / CacheArena.pageBytes
        var at = slab.free.firstIndex { $0.start > start } ?? slab.free.count
        if at < slab.free.count, slab.free[at].start == start + pages {
            pages += slab.free[at].pages
            slab.free.remove(at: at)
        }
        if at > 0, slab.free[at - 1].start + slab.free[at - 1].pages == start {
            at -= 1
            start = slab.free[at].start
            pages += slab.free[at].pages
            slab.free.remove(at: at)
        }
        slab.free.insert((start, pages), at: at)
        slab.largest = max(slab.largest, pages)
        if pages == slab.pages {
            slabBytes -= slab.region.capacity
            MemoryRegions.unmapSlab(slab.region)
        } else {
            MemoryRegions.discard(allocation.address, bytes: allocation.bytes)
            slabs[index] = slab
        }
    }

    mutating func releaseAll() {
        for slab in slabs { if let slab { MemoryRegions.unmapSlab(slab.region) } }
        slabs = []
        slabBytes = 0
    }
}
