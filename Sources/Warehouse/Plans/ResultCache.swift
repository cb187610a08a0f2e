import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes
import Synchronization

/// Results of queries by their text, for all sessions. One holds as long as the query means the same and every table
/// that it read is still the same; rights are no matter here, whoever asks has been found to have them. Bounded; the
/// memory is a part of the budget, and goes back as soon as somebody else needs it. Safe from any thread.
final class ResultCache: Sendable {
    struct Key: Hashable, Sendable {
        var statement: PlanKey
        var values: [StatementParameter]
    }
    /// Where a query's result may be kept, and what it is made from.
    struct Place: Sendable {
        var key: Key
        var basis: Basis
    }
    /// What a result depends on.
    struct Basis: Sendable {
        struct Definition: Hashable, Sendable {
            var relation: Relation
            var owner: Int?
        }
        var tables: [ObjectID: TableSnapshot.State]
        var definitions: [Definition]
        var functions: [FunctionDefinition]
        /// Of the database: how literals compare.
        var collation: Collation

        /// nil when a table is not there or is a session's own.
        init?(_ planned: PlannedStatement, _ snapshot: StoreSnapshot) {
            tables = [:]
            for id in planned.scanned {
                guard let table = snapshot.table(id), !table.definition.isTemporary else { return nil }
                tables[id] = table.state
            }
            definitions = planned.access.uses.map { Definition(relation: $0.relation, owner: $0.owner) }
            functions = planned.access.functionUses.map(\.function)
            collation = snapshot.catalog.database.collation
        }

        func isSame(as other: Basis) -> Bool {
            tables.count == other.tables.count && tables.allSatisfy { other.tables[$0.key] === $0.value }
                && definitions == other.definitions && functions == other.functions
                && collation == other.collation
        }
    }
    fileprivate struct Entry {
        var result: KeptResult
        var basis: Basis
        var lastUse: UInt64
    }
    fileprivate struct State {
        var entries: [Key: Entry] = [:]
        var clock: UInt64 = 0
        var bytes = 0
    }
    private let state = Lock(State())
    private let budget: MemoryBudget
    /// Of all results, and of one.
    private let mostBytes: Int
    let largestBytes: Int
    private static let shareOfMemory = 32
    private static let shareOfOne = 8
    private static let largestResult = 4 << 20
    private static let largestCache = 256 << 20
    private static let mostEntries = 4_096

    init(_ budget: MemoryBudget) {
        self.budget = budget
        mostBytes = min(budget.limit / ResultCache.shareOfMemory, ResultCache.largestCache)
        largestBytes = min(mostBytes / ResultCache.shareOfOne, ResultCache.largestResult)
        budget.setResultReclaimer { [weak self] bytes in self?.giveBack(bytes) }
    }

    var byteCount: Int { state.withLock { $0.bytes } }

    func find(_ place: Place) -> KeptResult? {
        let (found, outdated): (KeptResult?, KeptResult?) = state.withLock { state in
            guard let entry = state.entries[place.key] else { return (nil, nil) }
            guard entry.basis.isSame(as: place.basis) else { return (nil, state.remove(place.key)) }
            state.clock += 1
            state.entries[place.key]?.lastUse = state.clock
            return (entry.result, nil)
        }
        // Freed without the lock.
        _ = outdated
        return found
    }

    func put(_ result: KeptResult, at place: Place) {
        if result.heldBytes > largestBytes || !result.reserve(budget) { return }
        let dropped: [KeptResult] = state.withLock { state in
            var dropped = [state.remove(place.key)].compactMap { $0 }
            state.clock += 1
            state.entries[place.key] = Entry(result: result, basis: place.basis, lastUse: state.clock)
            state.bytes += result.heldBytes
            if state.bytes > mostBytes || state.entries.count > ResultCache.mostEntries {
                dropped += state.removeOldest(
                    toBytes: mostBytes / 4 * 3, toEntries: ResultCache.mostEntries / 4 * 3)
            }
            return dropped
        }
        _ = dropped
    }

    /// For whoever needs the memory.
    func giveBack(_ bytes: Int) {
        let dropped = state.withLock { $0.removeOldest(toBytes: max($0.bytes - bytes, 0), toEntries: .max) }
        _ = dropped
    }

    func removeAll() {
        let dropped = state.withLock { state in
            let all = state.entries
            state = State()
            return all
        }
        _ = dropped
    }
}

extension ResultCache.State {
    fileprivate mutating func remove(_ key: ResultCache.Key) -> KeptResult? {
        guard let entry = entries.removeValue(forKey: key) else { return nil }
        bytes -= entry.result.heldBytes
        return entry.result
    }

    fileprivate mutating func removeOldest(toBytes: Int, toEntries: Int) -> [KeptResult] {
        if bytes <= toBytes && entries.count <= toEntries { return [] }
        var dropped: [KeptResult] = []
        for (key, _) in entries.sorted(by: { $0.value.lastUse < $1.value.lastUse }) {
            if bytes <= toBytes && entries.count <= toEntries { break }
            if let result = remove(key) { dropped.append(result) }
        }
        return dropped
    }
}

/// A query's rows in memory. Immutable once it is kept; its bytes are the budget's until the last reader is done.
final class KeptResult: Sendable {
    /// The statement that has made it.
    let query: Int
    let columns: [ResultColumn]
    let batches: [ColumnBatch]
    let rowCount: Int
    /// As the log counts them.
    let byteCount: Int64
    let heldBytes: Int
    private let reserved = Lock<MemoryBudget?>(nil)
    /// The entry itself, its key and its definitions.
    private static let overhead = 4 << 10

    init(query: Int, columns: [ResultColumn], batches: [ColumnBatch], rowCount: Int, byteCount: Int64) {
        self.query = query
        self.columns = columns
        self.batches = batches
        self.rowCount = rowCount
        self.byteCount = byteCount
        heldBytes = batches.reduce(KeptResult.overhead) { $0 + $1.reservedBytes }
    }
    deinit {
        guard let budget = reserved.withLock({ $0 }) else { return }
        budget.note(cached: -heldBytes)
        budget.release(heldBytes)
    }

    /// False when there is no room; nobody gives memory back for it.
    fileprivate func reserve(_ budget: MemoryBudget) -> Bool {
        guard budget.tryReserve(heldBytes) else { return false }
        budget.note(cached: heldBytes)
        reserved.withLock { $0 = budget }
        return true
    }

    /// Copies a result on its way to the client until it is too large to be kept. Confined to whoever forwards rows.
    final class Builder {
        private let types: [SQLType]
        private let largestBytes: Int
        private var batches: [ColumnBatch] = []
        private var fullBytes = 0
        private(set) var isTooLarge = false
        /// Clients get rows in pieces of this size.
        private static let batchRows = 8_192

        init(types: [SQLType], _ cache: ResultCache) {
            self.types = types
            largestBytes = cache.largestBytes
        }

        func add(_ batch: ColumnBatch) throws {
            if isTooLarge || types.isEmpty { return }
            if let last = batches.last, last.rowCount + batch.rowCount <= Builder.batchRows {
                try last.append(batch)
            } else {
                fullBytes += batches.last?.reservedBytes ?? 0
                let copy = ColumnBatch(types: types)
                try copy.append(batch)
                batches.append(copy)
            }
            if fullBytes + (batches.last?.reservedBytes ?? 0) > largestBytes {
                isTooLarge = true
                batches = []
            }
        }

        func result(query: Int, columns: [ResultColumn], rowCount: Int, byteCount: Int64) -> KeptResult? {
            if isTooLarge || types.isEmpty { return nil }
            return KeptResult(
                query: query, columns: columns, batches: batches, rowCount: rowCount, byteCount: byteCount)
        }
    }
}
