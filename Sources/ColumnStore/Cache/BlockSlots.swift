import Synchronization

/// The places of one part's blocks: a pin count and the block each. A count below zero means "not in memory"; threads
/// may raise it for a moment while they find that out, so the loader adds to it instead of storing.
struct BlockSlots: @unchecked Sendable {
    private static let absent = -(1 << 62)

    let count: Int
    let pins: UnsafeMutablePointer<Atomic<Int>>
    let touched: UnsafeMutablePointer<UInt8>
    let blocks: UnsafeMutablePointer<Block>

    init(count: Int) {
        self.count = count
        pins = .allocate(capacity: max(count, 1))
        touched = .allocate(capacity: max(count, 1))
        blocks = .allocate(capacity: max(count, 1))
        for index in 0..<count { (pins + index).initialize(to: Atomic(BlockSlots.absent)) }
        touched.initialize(repeating: 0, count: max(count, 1))
    }

    func deallocate() {
        pins.deinitialize(count: count)
        pins.deallocate()
        touched.deallocate()
        blocks.deallocate()
    }

    /// Pins the block if it is in memory.
    @inline(__always)
    func tryPin(_ slot: Int) -> UnsafePointer<Block>? {
        let place = pins + slot
        if place.pointee.add(1, ordering: .acquiring).newValue > 0 {
            touched[slot] = 1
            return UnsafePointer(blocks + slot)
        }
        place.pointee.subtract(1, ordering: .relaxed)
        return nil
    }

    @inline(__always)
    func unpin(_ slot: Int) { (pins + slot).pointee.subtract(1, ordering: .releasing) }

    /// Makes a loaded block visible, pinned once for the caller. Only one thread loads a slot at a time.
    func publish(_ block: Block, at slot: Int) {
        blocks[slot] = block
        touched[slot] = 1
        (pins + slot).pointee.add(1 - BlockSlots.absent, ordering: .acquiringAndReleasing)
    }

    /// Takes an unpinned block out of sight.
    static func tryEvict(_ pins: UnsafeMutablePointer<Atomic<Int>>) -> Bool {
        pins.pointee.compareExchange(expected: 0, desired: absent, ordering: .acquiringAndReleasing).exchanged
    }
}
