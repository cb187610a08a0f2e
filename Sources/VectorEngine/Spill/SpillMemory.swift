import Platform
import SQLTypes

/// A block for writing or reading temporary files. Small and bounded, so it is taken even where the query's memory is
/// used up: without it nothing could be given back. Not thread-safe.
final class SpillMemory {
    private(set) var address: UnsafeMutableRawPointer
    private var region: Region?
    private var reserved = 0
    private let context: ExecutionContext

    init(_ context: ExecutionContext) {
        self.context = context
        address = UnsafeMutableRawPointer(bitPattern: 128).unsafelyUnwrapped
    }
    deinit { release() }

    private func release() {
        if let region { MemoryRegions.shared.give(back: region) }
        context.grant.releaseFixed(reserved)
        region = nil
        reserved = 0
    }

    /// Room for so many bytes; what was there is lost.
    func make(room bytes: Int) throws {
        if let region, region.capacity >= bytes { return }
        release()
        let fresh: Region
        do {
            fresh = try MemoryRegions.shared.take(bytes: bytes)
        } catch let error as MemoryExhausted {
            throw SQLError(error)
        }
        region = fresh
        address = fresh.address
        context.grant.reserveFixed(fresh.capacity)
        reserved = fresh.capacity
    }
}
