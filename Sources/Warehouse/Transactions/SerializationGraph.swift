import Catalog
import Platform

/// Which serializable transactions depend on which, table by table: the check behind error 1023. Safe from any thread.
///
/// A transaction comes before another one when it has read a table in the state before the other's writes, or the
/// other one has read its writes. When that makes a circle, no order of the transactions explains what they saw, and
/// the one that closes the circle fails. Blind inserts into one table commute and depend on nothing; all other
/// changes count as reading the table as well, so two of them meet through their reads.
final class SerializationGraph: @unchecked Sendable {  // guarded by `monitor`
    /// A circle, with the table on which it was closed.
    struct Violation: Error {
        var table: ObjectID
        /// In the order of the dependencies; the failing transaction is the last.
        var transactions: [Int64]
    }

    private enum State {
        case active
        /// The store is asked to commit; the version before is known, the version of its own not yet.
        case committing(after: UInt64)
        case committed(UInt64)
    }

    private struct Node {
        let number: Int64
        /// The version that it reads; a lower bound until its first statement has settled it.
        var base: UInt64
        var reads: Set<ObjectID> = []
        var writes: Set<ObjectID> = []
        var state = State.active

        var isCommitted: Bool { if case .committed = state { true } else { false } }
        var isActive: Bool { if case .active = state { true } else { false } }
        /// Others may only read its writes once they are committed.
        func isVisible(at base: UInt64) -> Bool {
            if case .committed(let version) = state { version <= base } else { false }
        }
    }

    private let monitor = Monitor()
    private var nodes: [Int64: Node] = [:]

    /// A transaction is about to take its snapshot.
    ///
    /// - Parameter version: the store's newest version; asked for while nothing is forgotten.
    func begin(_ number: Int64, version: () -> UInt64) {
        monitor.withLock {
            if nodes[number] == nil { nodes[number] = Node(number: number, base: version()) }
        }
    }

    /// A statement reads and is going to write tables.
    ///
    /// - Throws: ``Violation`` when a circle of committed transactions is certain already.
    func note(_ number: Int64, base: UInt64, reads: Set<ObjectID>, writes: Set<ObjectID>) throws {
        try monitor.withLock {
            guard var node = nodes[number] else { return }
            node.base = max(node.base, base)
            node.reads.formUnion(reads)
            node.writes.formUnion(writes)
            nodes[number] = node
            waitForUnclearCommits(node)
            try check(node, isCommitting: false)
        }
    }

    /// Before the store commits the transaction. Call ``endCommit(_:version:)`` or ``end(_:failed:)`` afterwards.
    func beginCommit(_ number: Int64, version: () -> UInt64) throws {
        try monitor.withLock {
            guard var node = nodes[number] else { return }
            waitForUnclearCommits(node)
            try check(node, isCommitting: true)
            node.state = .committing(after: version())
            nodes[number] = node
        }
    }

    /// The store has committed it.
    ///
    /// - Parameter version: the first version with its writes; any that it has read when there are none.
    func endCommit(_ number: Int64, version: UInt64) {
        monitor.withLock { finish(number, .committed(version)) }
    }

    /// The transaction is over; unless it has been committed, it has changed nothing.
    ///
    /// - Parameter failed: what it has read went to nobody.
    func end(_ number: Int64, failed: Bool) {
        monitor.withLock {
            guard let node = nodes[number], !node.isCommitted else { return }
            if !failed { nodes[number]?.writes = [] }
            finish(number, failed ? nil : .committed(node.base))
        }
    }

    private func finish(_ number: Int64, _ state: State?) {
        guard let node = nodes[number] else { return }
        let before = oldestBase
        if let state { nodes[number]?.state = state } else { nodes[number] = nil }
        if oldestBase > before {
            forget(Array(nodes.keys))
        } else if node.writes.isEmpty {
            forget([number])
        }
        monitor.wakeAll()
    }

    /// Transactions that are remembered.
    var count: Int { monitor.withLock { nodes.count } }

    // MARK: Dependencies

    /// While a commit is under way its version is unknown: whoever may or may not have read its writes waits for it.
    private func waitForUnclearCommits(_ node: Node) {
        while nodes.values.contains(where: { isUnclear($0, to: node) }) { monitor.wait() }
    }

    private func isUnclear(_ other: Node, to node: Node) -> Bool {
        guard other.number != node.number, case .committing(let after) = other.state else { return false }
        return node.base > after && !other.writes.isDisjoint(with: node.reads)
    }

    /// The table by which `first` comes before `second` in any serial order; nil when nothing orders them that way.
    private func dependency(_ first: Node, _ second: Node, candidate: Int64, isCommitting: Bool) -> ObjectID? {
        if comesAfter(second, first, candidate: candidate, isCommitting: isCommitting),
            let table = first.reads.intersection(second.writes).min()
        {
            return table
        }
        guard first.isVisible(at: second.base) else { return nil }
        return first.writes.intersection(second.reads).min()
    }

    /// The writes of `writer` are, or will be, behind the snapshot of `reader`.
    private func comesAfter(_ writer: Node, _ reader: Node, candidate: Int64, isCommitting: Bool) -> Bool {
        switch writer.state {
        case .committed(let version): version > reader.base
        case .committing: true
        // Others may still roll back; the candidate's writes count against what cannot.
        case .active: writer.number == candidate && (isCommitting || !reader.isActive)
        }
    }

    /// Looks for a way from the transaction back to itself.
    private func check(_ node: Node, isCommitting: Bool) throws {
        if node.reads.isEmpty { return }
        var open = [node.number]
        var previous: [Int64: Int64] = [:]
        while let number = open.popLast() {
            guard let current = nodes[number] else { continue }
            for other in nodes.values where other.number != number && previous[other.number] == nil {
                guard
                    let table = dependency(current, other, candidate: node.number, isCommitting: isCommitting)
                else { continue }
                previous[other.number] = number
                if other.number == node.number {
                    throw Violation(table: table, transactions: circle(node.number, previous))
                }
                open.append(other.number)
            }
        }
    }

    private func circle(_ number: Int64, _ previous: [Int64: Int64]) -> [Int64] {
        var result = [number]
        var current = previous[number]
        while let step = current, step != number {
            result.append(step)
            current = previous[step]
        }
        return result.reversed()
    }

    /// What the oldest transaction that is not over reads.
    private var oldestBase: UInt64 {
        nodes.values.reduce(UInt64.max) { $1.isCommitted ? $0 : min($0, $1.base) }
    }

    /// A committed transaction that nobody comes before, now or later, will never be in a circle.
    private func forget(_ numbers: [Int64]) {
        let oldest = oldestBase
        var numbers = numbers
        while true {
            let gone = numbers.filter { number in
                guard let node = nodes[number], case .committed(let version) = node.state else { return false }
                return (node.writes.isEmpty || oldest >= version) && !hasPredecessor(node)
            }
            if gone.isEmpty { return }
            for number in gone { nodes[number] = nil }
            numbers.removeAll { nodes[$0] == nil }
        }
    }

    private func hasPredecessor(_ node: Node) -> Bool {
        nodes.values.contains {
            $0.number != node.number && dependency($0, node, candidate: 0, isCommitting: false) != nil
        }
    }
}
