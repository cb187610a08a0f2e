import Catalog
import SQLTypes

extension StoreChange {
    package var tablesWithDeletedRows: Set<ObjectID> { Set(deleted.keys) }

    /// Appends what a later statement of the same transaction does.
    ///
    /// - Parameter base: the state that the transaction started from.
    package mutating func merge(_ more: StoreChange, base: StoreSnapshot?) {
        if let catalog = more.catalog {
            self.catalog = catalog
            added.removeAll { catalog.relation(id: $0.table) == nil }
            for table in Array(deleted.keys) where catalog.relation(id: table) == nil { deleted[table] = nil }
        }
        for table in more.emptied {
            added.removeAll { $0.table == table }
            deleted[table] = nil
            removed[table] = nil
            if base?.tables[table] != nil { emptied.insert(table) }
        }
        for (table, parts) in more.removed { removed[table, default: []].formUnion(parts) }
        added += more.added
        for (table, parts) in more.deleted {
            var mine = deleted[table] ?? [:]
            for (part, rows) in parts {
                mine[part] = mine[part].map { DeletedRows($0, adding: rows, fileID: 0) } ?? rows
            }
            deleted[table] = mine
        }
        identity.merge(more.identity) { $1 }
        columnDefaults.merge(more.columnDefaults) { $1 }
    }
}
