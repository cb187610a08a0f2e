import ColumnVectors
import Glibc
import Platform
import SQLTypes

/// A growing block for tables and accumulators, accounted to the query before it is taken. Not thread-safe.
///
/// Memory comes from the kept regions; it is given back, and released from the query's grant, when the owner goes away.
final class TableMemory {
    private(set) var address: UnsafeMutableRawPointer
    private(set) var capacity = 0
    private var region: Region?
    private var reserved = 0
    private let context: ExecutionContext

    init(_ context: ExecutionContext) {
        self.context = context
        address = UnsafeMutableRawPointer(bitPattern: 128).unsafelyUnwrapped
    }
    convenience init(_ context: ExecutionContext, bytes: Int, zeroed: Bool = false) throws {
        self.init(context)
        try grow(to: bytes, keeping: 0)
        if zeroed { memset(address, 0, bytes) }
    }
    deinit { release() }

    /// Gives the memory back; the owner may grow again.
    func removeAll() {
        release()
        capacity = 0
        address = UnsafeMutableRawPointer(bitPattern: 128).unsafelyUnwrapped
    }

    private func release() {
        if let region { MemoryRegions.shared.give(back: region) }
        if reserved > 0 { context.grant.release(reserved) }
        region = nil
        reserved = 0
    }

    /// Makes room for at least so many bytes and keeps the first `used` ones; the rest is undefined.
    func grow(to bytes: Int, keeping used: Int) throws {
        if bytes <= capacity { return }
        let wanted = MemoryRegions.capacity(
            for: max(bytes, used > 0 ? min(capacity * 2, capacity + (256 << 20)) : bytes))
        try context.reserve(wanted)
        let fresh: Region
        do {
            fresh = try MemoryRegions.shared.take(bytes: wanted)
        } catch {
            context.grant.release(wanted)
            throw SQLError(error)
        }
        if used > 0 { memcpy(fresh.address, address, used) }
        release()
        region = fresh
        reserved = wanted
        address = fresh.address
        capacity = fresh.capacity
    }

    @inline(__always) func values<Value>(_: Value.Type) -> UnsafeMutablePointer<Value> {
        address.assumingMemoryBound(to: Value.self)
    }
}

/// Runs `body` over `count` items in ranges, on all workers when there are enough of them; checks for cancellation
/// between ranges.
func runRanges(
    _ context: ExecutionContext, _ count: Int, grain: Int = 65_536, _ body: (_ worker: Int, Range<Int>) throws -> Void
) throws {
    if count <= grain {
        if count > 0 { try body(0, 0..<count) }
        return
    }
    let pieces = RangeCounter()
    try context.workers.run { worker, turn in
        while true {
            let start = pieces.next() * grain
            if start >= count { return true }
            try context.cancellation.check()
            try body(worker, start..<min(start + grain, count))
            if !turn.isNext() { return false }
        }
    }
}
