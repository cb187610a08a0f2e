import Platform
import Synchronization

/// Statements by text, for all sessions. Bounded; what a commit has made old goes when its shelf is full. Safe from any
/// thread.
final class PlanCache: Sendable {
    private struct Entries {
        var byKey: [PlanKey: CachedStatement] = [:]
        var bytes = 0
    }
    private final class Shelf: Sendable {
        let entries = Lock(Entries())
    }
    private let shelves = (0..<PlanCache.shelfCount).map { _ in Shelf() }
    private let generation = Atomic<UInt64>(0)
    private static let shelfCount = 8
    private static let shelfLimit = 256
    private static let largestStatement = 4 << 20
    static let largestText = 64 << 10
    private let shelfBytes: Int

    /// - Parameter memoryBytes: of the warehouse; plans may have a small part of it.
    init(memoryBytes: Int) { shelfBytes = memoryBytes / PlanCache.shareOfMemory / PlanCache.shelfCount }
    private static let shareOfMemory = 32

    /// Names a state of the store with the estimates that plans are made from.
    func epoch(_ storeVersion: UInt64) -> UInt64 { storeVersion &+ generation.load(ordering: .relaxed) << 40 }

    /// New estimates, which come without a commit: all plans are made again.
    func invalidate() { generation.add(1, ordering: .relaxed) }

    private static func bytes(_ entries: [PlanKey: CachedStatement]) -> Int {
        entries.values.reduce(0) { $0 + $1.estimatedBytes }
    }

    /// Statements are planned again when they come again.
    func removeAll() { for shelf in shelves { shelf.entries.withLock { $0 = Entries() } } }

    private func shelf(_ key: PlanKey) -> Shelf {
        shelves[Int(truncatingIfNeeded: UInt(bitPattern: key.hashValue) % UInt(PlanCache.shelfCount))]
    }

    func find(_ key: PlanKey, epoch: UInt64) -> CachedStatement? {
        guard let found = shelf(key).entries.withLock({ $0.byKey[key] }), found.epoch == epoch
        else {
            return nil
        }
        return found
    }

    func put(_ statement: CachedStatement) {
        // A thousand of them would take the memory of all queries.
        if statement.byteCount + statement.key.text.utf8.count > PlanCache.largestStatement { return }
        let dropped: [PlanKey: CachedStatement] = shelf(statement.key).entries.withLock { entries in
            let replaced = entries.byKey.updateValue(statement, forKey: statement.key)
            entries.bytes += statement.estimatedBytes - (replaced?.estimatedBytes ?? 0)
            if entries.byKey.count <= PlanCache.shelfLimit && entries.bytes <= shelfBytes { return [:] }
            let all = entries.byKey
            var kept = all.filter { $0.value.epoch == statement.epoch }
            if kept.count > PlanCache.shelfLimit / 2 || PlanCache.bytes(kept) > shelfBytes / 2 {
                kept = [statement.key: statement]
            }
            entries = Entries(byKey: kept, bytes: PlanCache.bytes(kept))
            return all
        }
        // Plans are taken apart here, when nobody waits for the lock.
        _ = dropped
    }
}
