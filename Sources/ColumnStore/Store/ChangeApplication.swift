import Catalog
import SQLTypes

/// Works out the parts and definitions that a change leaves, on top of a given state.
struct ChangeApplication {
    let old: StoreSnapshot
    let base: StoreSnapshot
    private(set) var catalog: CatalogSnapshot
    private(set) var files: [ObjectID: [PartVersion]]
    /// Part files that the new state does not have any more.
    private(set) var retired: [PartFile] = []
    /// Deleted rows that need files of their own.
    private(set) var written: [(part: PartFile, rows: DeletedRows)] = []

    /// - Parameter makeFileID: names files for deleted rows; nil when the state is never stored.
    init(_ change: StoreChange, to old: StoreSnapshot, makeFileID: (() -> UInt64)?) throws {
        self.old = old
        base = change.base ?? old
        catalog =
            try change.catalog.map { try CatalogRebase(base: (change.base ?? old).catalog, mine: $0).onto(old.catalog) }
            ?? old.catalog
        files = old.tables.mapValues { $0.parts.map(\.version) }
        let names = Dictionary(uniqueKeysWithValues: catalog.allRelations.map { ($0.id, $0) })
        try empty(change, names)
        try remove(change)
        for parts in change.added {
            guard let relation = names[parts.table] else {
                throw SQLError(.undefinedTable, "the table of a finished load was dropped")
            }
            try checkDefinition(parts.table, relation, change)
            files[parts.table, default: []] += parts.files.map { PartVersion(file: $0, deleted: nil) }
        }
        for (table, parts) in change.deleted where names[table] != nil { try delete(table, parts, makeFileID) }
    }

    /// Rows were written under the base's definition; a commit since then may have changed it.
    private func checkDefinition(_ table: ObjectID, _ relation: Relation, _ change: StoreChange) throws {
        guard base !== old, change.catalog == nil, let before = base.tables[table],
            case .table(let definition) = relation
        else { return }
        if before.definition != definition { throw StoreConflict(table: table) }
    }

    private mutating func empty(_ change: StoreChange, _ names: [ObjectID: Relation]) throws {
        for (table, parts) in files where change.emptied.contains(table) || names[table] == nil {
            if change.emptied.contains(table) { try checkUnchanged(table, parts) }
            retired += parts.map(\.file)
            files[table] = nil
        }
    }

    /// The table is as the change found it.
    private func checkUnchanged(_ table: ObjectID, _ parts: [PartVersion]) throws {
        guard base !== old else { return }
        let before = base.tables[table]?.parts.map(\.version) ?? []
        guard before.count == parts.count, zip(before, parts).allSatisfy({ $0.isSame(as: $1) }) else {
            throw StoreConflict(table: table)
        }
    }

    private mutating func remove(_ change: StoreChange) throws {
        for (table, ids) in change.removed {
            guard var parts = files[table] else { throw StoreConflict(table: table) }
            let before = base.tables[table]?.parts.filter { ids.contains($0.id) }.map(\.version) ?? []
            for version in before {
                guard let place = parts.firstIndex(where: { $0.isSame(as: version) }) else {
                    throw StoreConflict(table: table)
                }
                retired.append(parts.remove(at: place).file)
            }
            files[table] = parts
        }
    }

    private mutating func delete(
        _ table: ObjectID, _ deleted: [PartID: DeletedRows], _ makeFileID: (() -> UInt64)?
    ) throws {
        var parts = files[table] ?? []
        for (id, rows) in deleted {
            guard let place = parts.firstIndex(where: { $0.file.footer.id == id }) else {
                throw StoreConflict(table: table)
            }
            let version = parts[place]
            if let present = version.deleted, present.intersects(rows) { throw StoreConflict(table: table) }
            let all = DeletedRows(version.deleted, adding: rows, fileID: makeFileID?() ?? 0)
            if all.count == version.file.rowCount {
                retired.append(version.file)
                parts.remove(at: place)
            } else {
                parts[place].deleted = all
                if makeFileID != nil { written.append((version.file, all)) }
            }
        }
        files[table] = parts
    }
}
