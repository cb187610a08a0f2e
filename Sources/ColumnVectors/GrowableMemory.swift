import Glibc
import Platform

/// A block that grows by copying: from the heap while small, from the kept regions at 1 MB and more. Not thread-safe.
/// Always followed by ``Region/padding`` accessible bytes.
final class GrowableMemory {
    private(set) var address: UnsafeMutableRawPointer
    private(set) var capacity: Int
    private var region: Region?
    private static let regionsFrom = 1 << 20

    init() {
        address = UnsafeMutableRawPointer(bitPattern: 128).unsafelyUnwrapped
        capacity = 0
    }
    deinit { release() }

    private func release() {
        if let region {
            MemoryRegions.shared.give(back: region)
        } else if capacity > 0 {
            free(address)
        }
    }

    /// Makes room for at least so many bytes and keeps the first `used` ones.
    func grow(to bytes: Int, keeping used: Int) throws {
        if bytes <= capacity { return }
        let wanted = max(bytes, min(capacity * 2, capacity + (64 << 20)), 256)
        if wanted >= GrowableMemory.regionsFrom {
            let fresh = try MemoryRegions.shared.take(bytes: wanted)
            if used > 0 { memcpy(fresh.address, address, used) }
            release()
            region = fresh
            address = fresh.address
            capacity = fresh.capacity
        } else {
            guard let fresh = realloc(capacity > 0 ? address : nil, wanted + Region.padding) else {
                throw MemoryExhausted(requested: wanted, limit: HostEnvironment.usableMemory(), used: capacity)
            }
            address = fresh
            capacity = wanted
        }
    }
}
