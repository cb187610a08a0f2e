import Catalog

/// The tables of a snapshot by id. A new version shares all but one path with the old one, so that a commit costs the
/// same whatever the number of tables.
struct TableMap: Sendable {
    private final class Branch: Sendable {
        let slots: [Slot?]
        init(_ slots: [Slot?]) { self.slots = slots }
    }
    private enum Slot: Sendable {
        case table(TableSnapshot)
        case branch(Branch)
    }
    private static let bits: Int64 = 5
    private static let empty = Branch([Slot?](repeating: nil, count: 1 << bits))
    private var root = TableMap.empty
    private(set) var count = 0

    private static func index(_ id: ObjectID, _ level: Int64) -> Int {
        Int(id.raw >> (level * bits) & (1 << bits - 1))
    }

    subscript(id: ObjectID) -> TableSnapshot? {
        get {
            var branch = root
            var level: Int64 = 0
            while let slot = branch.slots[TableMap.index(id, level)] {
                switch slot {
                case .table(let table): return table.definition.id == id ? table : nil
                case .branch(let next): branch = next
                }
                level += 1
            }
            return nil
        }
        set {
            let known = self[id] != nil
            if newValue == nil && !known { return }
            count += (newValue == nil ? 0 : 1) - (known ? 1 : 0)
            root = TableMap.replacing(root, id, newValue, 0)
        }
    }

    private static func replacing(_ branch: Branch, _ id: ObjectID, _ table: TableSnapshot?, _ level: Int64) -> Branch {
        var slots = branch.slots
        let place = index(id, level)
        switch slots[place] {
        case nil: slots[place] = table.map { .table($0) }
        case .branch(let next): slots[place] = .branch(replacing(next, id, table, level + 1))
        case .table(let present):
            let other = present.definition.id
            if other == id {
                slots[place] = table.map { .table($0) }
            } else if let table {
                let both = replacing(replacing(empty, other, present, level + 1), id, table, level + 1)
                slots[place] = .branch(both)
            }
        }
        return Branch(slots)
    }

    /// In no particular order.
    var all: [TableSnapshot] {
        var result: [TableSnapshot] = []
        result.reserveCapacity(count)
        TableMap.collect(root, &result)
        return result
    }

    private static func collect(_ branch: Branch, _ result: inout [TableSnapshot]) {
        for case .some(let slot) in branch.slots {
            switch slot {
            case .table(let table): result.append(table)
            case .branch(let next): collect(next, &result)
            }
        }
    }
}
