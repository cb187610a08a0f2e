import Glibc

/// Which values of a record are wanted, as a tree that the walk over a record follows: nodes are objects, arrays or
/// values, and a node may have fields that take its value. Remembers what keys came in which order, so that a record
/// like the one before is recognised key by key. One per worker: the memory of keys changes while it is used.
final class JSONFieldTree {
    struct Member {
        /// Where the key begins in ``keyBytes``, and its length.
        var start: Int
        var count: Int
        var node: Int32
    }
    struct Element {
        var index: Int
        var node: Int32
    }
    /// The key that stood at some place of the object before: enough of it to know it again if it has at most 16 bytes.
    struct Guess {
        var head: UInt64 = 0
        var tail: UInt64 = 0
        var count = -1
        /// The node of the key; -1 for one that is not wanted.
        var node: Int32 = -1
    }
    struct Node {
        /// The field that takes the value itself, -1 for none; further ones of the same path are in ``moreFields``.
        var field: Int32 = -1
        var hasMoreFields = false
        var memberCount = 0
        var elementCount = 0
        /// Look-up of members: indices into `members`, -1 for none, by hash of the key.
        let slots: UnsafeMutablePointer<Int32>
        let slotMask: Int
        let members: UnsafeMutablePointer<Member>
        let elements: UnsafeMutablePointer<Element>
        let guesses: UnsafeMutablePointer<Guess>
        var hasChildren: Bool { memberCount + elementCount > 0 }
    }

    let nodes: UnsafeMutablePointer<Node>
    let nodeCount: Int
    let keyBytes: UnsafeMutablePointer<UInt8>
    let ignoresCase: Bool
    /// Fields of a node beyond its first, and all fields of a node and below.
    let moreFields: [[Int]]
    let fieldsBelow: [[Int]]
    /// Places of an object that are remembered; records with more keys look the others up.
    static let guessCount = 512

    private struct Draft {
        var fields: [Int] = []
        var members: [(key: [UInt8], node: Int)] = []
        var elements: [(index: Int, node: Int)] = []
    }

    /// - Parameter paths: the way to each field's value.
    init(_ paths: [JSONPath], ignoresCase: Bool) {
        let drafts = JSONFieldTree.drafts(paths)
        self.ignoresCase = ignoresCase
        nodeCount = drafts.count
        nodes = .allocate(capacity: drafts.count)
        let keys = drafts.flatMap { $0.members.flatMap(\.key) }
        keyBytes = .allocate(capacity: keys.count + 16)
        keyBytes.initialize(repeating: 0, count: keys.count + 16)
        for (index, byte) in keys.enumerated() { keyBytes[index] = byte }
        moreFields = drafts.map { Array($0.fields.dropFirst()) }
        fieldsBelow = drafts.indices.map { JSONFieldTree.fields(drafts, $0) }
        var nextKey = 0
        for (index, draft) in drafts.enumerated() {
            nodes.advanced(by: index).initialize(to: JSONFieldTree.node(draft, keyBytes, &nextKey))
        }
    }

    deinit {
        for index in 0..<nodeCount {
            nodes[index].slots.deallocate()
            nodes[index].members.deallocate()
            nodes[index].elements.deallocate()
            nodes[index].guesses.deallocate()
        }
        nodes.deallocate()
        keyBytes.deallocate()
    }

    private static func drafts(_ paths: [JSONPath]) -> [Draft] {
        var drafts = [Draft()]
        for (field, path) in paths.enumerated() {
            var place = 0
            for step in path.steps {
                let next: Int
                switch step {
                case .member(let key): next = drafts[place].members.first { $0.key == key }?.node ?? drafts.count
                case .element(let index):
                    next = drafts[place].elements.first { $0.index == index }?.node ?? drafts.count
                }
                if next == drafts.count {
                    switch step {
                    case .member(let key): drafts[place].members.append((key, next))
                    case .element(let index): drafts[place].elements.append((index, next))
                    }
                    drafts.append(Draft())
                }
                place = next
            }
            drafts[place].fields.append(field)
        }
        return drafts
    }

    private static func fields(_ drafts: [Draft], _ place: Int) -> [Int] {
        let children = drafts[place].members.map(\.node) + drafts[place].elements.map(\.node)
        return drafts[place].fields + children.flatMap { fields(drafts, $0) }
    }

    private static func node(_ draft: Draft, _ keys: UnsafeMutablePointer<UInt8>, _ nextKey: inout Int) -> Node {
        var slotCount = 8
        while slotCount < 2 * draft.members.count { slotCount *= 2 }
        let node = Node(
            field: Int32(truncatingIfNeeded: draft.fields.first ?? -1), hasMoreFields: draft.fields.count > 1,
            memberCount: draft.members.count, elementCount: draft.elements.count,
            slots: .allocate(capacity: slotCount), slotMask: slotCount - 1,
            members: .allocate(capacity: max(draft.members.count, 1)),
            elements: .allocate(capacity: max(draft.elements.count, 1)), guesses: .allocate(capacity: guessCount))
        node.slots.initialize(repeating: -1, count: slotCount)
        node.guesses.initialize(repeating: Guess(), count: guessCount)
        for (index, element) in draft.elements.sorted(by: { $0.index < $1.index }).enumerated() {
            node.elements[index] = Element(index: element.index, node: Int32(truncatingIfNeeded: element.node))
        }
        for (index, member) in draft.members.enumerated() {
            node.members[index] = Member(
                start: nextKey, count: member.key.count, node: Int32(truncatingIfNeeded: member.node))
            var slot = hash(keys + nextKey, member.key.count) & node.slotMask
            while node.slots[slot] >= 0 { slot = (slot + 1) & node.slotMask }
            node.slots[slot] = Int32(truncatingIfNeeded: index)
            nextKey += member.key.count
        }
        return node
    }

    /// Of the key's length and its first and last bytes.
    private static func hash(_ key: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var value = UInt64(truncatingIfNeeded: count)
        for index in 0..<min(count, 8) { value = value &* 31 &+ UInt64(key[index]) }
        for index in max(count - 8, 0)..<count { value = value &* 31 &+ UInt64(key[index]) }
        value = value &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: value &>> 40)
    }

    /// The node of a key without escapes, -1 when it is not wanted.
    func find(_ key: UnsafePointer<UInt8>, _ count: Int, in place: Int) -> Int32 {
        if !ignoresCase { return findExact(key, count, place) }
        return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: count + 1) { lowered in
            guard let base = lowered.baseAddress else { return -1 }
            for index in 0..<count {
                let byte = key[index]
                base[index] = byte &- 0x41 < 26 ? byte | 0x20 : byte
            }
            return findExact(base, count, place)
        }
    }

    private func findExact(_ key: UnsafePointer<UInt8>, _ count: Int, _ place: Int) -> Int32 {
        let node = nodes + place
        if node.pointee.memberCount == 0 { return -1 }
        var slot = JSONFieldTree.hash(key, count) & node.pointee.slotMask
        while node.pointee.slots[slot] >= 0 {
            let member = node.pointee.members[Int(node.pointee.slots[slot])]
            if member.count == count && memcmp(keyBytes + member.start, key, count) == 0 { return member.node }
            slot = (slot + 1) & node.pointee.slotMask
        }
        return -1
    }

    /// The node of a key as it is written in a record, with escapes.
    func findEscaped(_ key: UnsafePointer<UInt8>, _ count: Int, in place: Int) -> Int32? {
        guard let decoded = JSONEscapes.decode(UnsafeBufferPointer(start: key, count: count)) else { return nil }
        return decoded.withUnsafeBufferPointer { buffer in
            guard let base = buffer.baseAddress else { return find(keyBytes, 0, in: place) }
            return find(base, buffer.count, in: place)
        }
    }
}
