/// Which queue of a new configuration is which of the old one. Names that somebody gave are theirs; a queue without a
/// name of its own ("Queue 2") is known by its groups, since its number changes with the queues before it.
struct QueuePairs {
    struct Pair: Sendable, Hashable {
        var old: Int
        var new: Int
    }
    /// In the new order.
    private(set) var pairs: [Pair] = []

    init(_ old: [QueueDefinition], _ new: [QueueDefinition]) {
        pair(old, new) { $0.name == $1.name && !QueuePairs.isNumbered($0) }
        pair(old, new) { QueuePairs.isNumbered($0) && QueuePairs.isNumbered($1) && QueuePairs.haveSameRoutes($0, $1) }
        if old.count == new.count { pair(old, new) { $0.name == $1.name } }
        // One that has got another name.
        if old.count == new.count { pair(old, new, onlyInPlace: true) { QueuePairs.haveSameRoutes($0, $1) } }
        pairs.sort { $0.new < $1.new }
    }

    private mutating func pair(
        _ old: [QueueDefinition], _ new: [QueueDefinition], onlyInPlace: Bool = false,
        _ isSame: (QueueDefinition, QueueDefinition) -> Bool
    ) {
        for index in new.indices where !pairs.contains(where: { $0.new == index }) {
            let match = old.indices.first { place in
                (!onlyInPlace || place == index) && !pairs.contains { $0.old == place }
                    && isSame(old[place], new[index])
            }
            if let match { pairs.append(Pair(old: match, new: index)) }
        }
    }

    private static func isNumbered(_ queue: QueueDefinition) -> Bool {
        queue.name.hasPrefix("Queue ") && Int(queue.name.dropFirst(6)) != nil
    }

    private static func haveSameRoutes(_ left: QueueDefinition, _ right: QueueDefinition) -> Bool {
        left.userGroups == right.userGroups && left.queryGroups == right.queryGroups
            && left.userRoles == right.userRoles
    }

    /// Queues that come, go, move or get another name.
    func structuralChanges(_ old: [QueueDefinition], _ new: [QueueDefinition]) -> [String] {
        var sentences: [String] = []
        for (index, queue) in old.enumerated() where !pairs.contains(where: { $0.old == index }) {
            sentences.append("queue \"\(queue.name)\" is removed")
        }
        for (index, queue) in new.enumerated() where !pairs.contains(where: { $0.new == index }) {
            sentences.append("queue \"\(queue.name)\" is added")
        }
        if zip(pairs, pairs.dropFirst()).contains(where: { $0.old > $1.old }) {
            sentences.append("the queues change their order")
        }
        for pair in pairs where old[pair.old].name != new[pair.new].name {
            sentences.append("queue \"\(old[pair.old].name)\" becomes \"\(new[pair.new].name)\"")
        }
        return sentences
    }
}
