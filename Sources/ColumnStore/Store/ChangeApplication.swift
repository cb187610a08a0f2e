import Catalog
import ColumnVectors
import SQLTypes

/// Applies a change to a state: what the next one is made of, and what the log has to say about it. The work grows with
/// the change, not with the warehouse.
struct ChangeApplication {
    let old: StoreSnapshot
    let base: StoreSnapshot
    private let change: StoreChange
    private let numbers: PartNumbers
    /// False: only the change's own transaction will see the state, which is never stored.
    private let isCommit: Bool
    private(set) var catalog: CatalogSnapshot
    private var drafts: [ObjectID: TableDraft] = [:]
    /// Tables that the new state does not have any more, and those that are new or have another definition.
    private(set) var dropped: [ObjectID] = []
    private(set) var defined: [ObjectID] = []
    /// Rows of the change that are in the new state already.
    private var committed: Set<PartID> = []
    /// Part files that the new state does not have any more.
    private(set) var retired: [PartFile] = []
    private(set) var payload = LogPayload()

    init(_ change: StoreChange, to old: StoreSnapshot, numbers: PartNumbers, isCommit: Bool) throws {
        self.old = old
        self.change = change
        self.numbers = numbers
        self.isCommit = isCommit
        base = change.base?.state ?? old
        catalog = old.catalog
        if let mine = change.catalog {
            try define(CatalogRebase(base: base.catalog, mine: mine).onto(old.catalog))
        }
        for table in change.emptied.sorted() { try empty(table) }
        for (table, parts) in change.removed { try remove(parts, of: table) }
        for parts in change.added { try add(parts) }
        for (table, parts) in change.deleted { try delete(parts, of: table) }
        for (key, value) in change.identity where !key.isMark { setIdentity(key, value) }
        for (key, value) in change.columnDefaults { setDefault(key, value) }
        mark()
    }

    func snapshot(version: UInt64, sliceCount: Int, autoAllRows: Int) throws -> StoreSnapshot {
        var tables = old.tables
        for table in dropped { tables[table] = nil }
        for (id, draft) in drafts {
            tables[id] = try draft.snapshot(sliceCount: sliceCount, autoAllRows: autoAllRows)
        }
        return StoreSnapshot(version: version, catalog: catalog, tables: tables, analyses: old.analyses)
    }

    /// Works on a table's draft, which is made at first use; nil when there is no such table.
    private mutating func edit<Result>(
        _ table: ObjectID, _ body: (inout TableDraft) throws -> Result
    ) rethrows -> Result? {
        if drafts[table] == nil {
            guard !dropped.contains(table), let snapshot = old.tables[table] else { return nil }
            drafts[table] = TableDraft(snapshot)
        }
        guard var draft = drafts.removeValue(forKey: table) else { return nil }
        defer { drafts[table] = draft }
        return try body(&draft)
    }

    // MARK: Definitions

    private mutating func define(_ new: CatalogSnapshot) {
        let difference = CatalogDifference(from: old.catalog, to: new)
        let tables = difference.apply(to: &catalog)
        for id in tables.dropped {
            guard let table = old.tables[id] else { continue }
            retired += table.stable.versions.map(\.file)
            dropped.append(id)
        }
        defined = tables.defined.map(\.id)
        for definition in tables.defined {
            if edit(definition.id, { $0.define(definition) }) == nil {
                drafts[definition.id] = TableDraft(definition)
            }
        }
        if isCommit && !difference.isEmpty { payload.put(difference) }
    }

    private mutating func setIdentity(_ key: IdentityKey, _ value: Int64) {
        if edit(key.table, { $0.setIdentity(key.column, value) }) == nil { return }
        if isCommit { payload.put(identity: key, value) }
    }

    /// What the change's own transaction has called a table's rows holds unless somebody else has changed them as well.
    private mutating func mark() {
        let given = change.identity.keys.filter(\.isMark)
        let tables = change.tablesWithOtherRows.filter { old.mark(of: $0) != nil }.union(given.map(\.table))
        for table in tables {
            let key = IdentityKey(markOf: table)
            let isAlone = base === old || base.tables[table] === old.tables[table]
            let mark = isAlone ? change.identity[key] : nil
            setIdentity(key, mark ?? Int64(bitPattern: numbers.make().raw))
        }
    }

    private mutating func setDefault(_ key: IdentityKey, _ value: Datum) {
        if edit(key.table, { $0.setDefault(key.column, value) }) == nil { return }
        if isCommit { payload.put(default: key, value) }
    }

    /// Rows were written under the base's definition; a commit since then may have changed it.
    private func checkDefinition(_ table: ObjectID) throws {
        guard base !== old, change.catalog == nil, let before = base.tables[table],
            let now = drafts[table]?.definition ?? old.tables[table]?.definition
        else { return }
        if before.definition != now { throw StoreConflict(table: table) }
    }

    // MARK: Whole parts

    private mutating func empty(_ table: ObjectID) throws {
        let before = base.tables[table], isOld = base !== old
        let files = try edit(table) { draft in
            if isOld, !(before.map { draft.isUnchanged(since: $0) } ?? draft.isEmpty) {
                throw StoreConflict(table: table)
            }
            defer { draft.empty() }
            return draft.files.map(\.file)
        }
        guard let files else { return }
        retired += files
        if isCommit { payload.put(emptied: table) }
    }

    /// Files go as a whole; of a part in memory the rows are deleted.
    private mutating func remove(_ ids: Set<PartID>, of table: ObjectID) throws {
        guard let before = base.tables[table] else { throw StoreConflict(table: table) }
        var found: [PartFile] = []
        let known: Void? = try edit(table) { draft in
            for version in before.stable.versions where ids.contains(version.file.footer.id) {
                guard let place = draft.index(ofFile: version.file.footer.id), draft.files[place].isSame(as: version)
                else { throw StoreConflict(table: table) }
                found.append(draft.removeFile(at: place))
            }
        }
        if known == nil { throw StoreConflict(table: table) }
        retired += found
        if isCommit { for file in found { payload.put(removed: file.footer.id, of: table) } }
        if before.deltas.isEmpty { return }
        for part in try before.parts where ids.contains(part.id) {
            if let (delta, rows) = part.remainingOrdinals() { try delete([delta: rows], of: table) }
        }
    }

    // MARK: Rows

    private mutating func add(_ parts: WrittenParts) throws {
        try checkDefinition(parts.table)
        let known: Void? = edit(parts.table) { draft in for file in parts.files { draft.add(file) } }
        if known == nil { throw SQLError(.undefinedTable, "the table of a finished load was dropped") }
        if isCommit {
            for file in parts.files { payload.put(added: file) }
            for piece in parts.pieces { try commit(piece.rows) }
        } else {
            for piece in parts.pieces { try show(piece, in: parts.table) }
        }
    }

    /// Copies rows to those that the table has in the log already. Those of several statements are together by now.
    private mutating func commit(_ own: DeltaRows) throws {
        if !committed.insert(own.id).inserted { return }
        let deleted = change.deleted[own.table]?[own.id]
        if deleted == nil, let rows = own.unread { return try append(rows, like: own) }
        try append(own.copy(without: deleted), like: own)
    }

    private mutating func append(_ rows: ColumnBatch, like source: DeltaRows) throws {
        if rows.rowCount == 0 { return }
        let numbers = numbers
        let placed = try edit(source.table) { draft in
            let known = draft.openDelta(
                slice: source.slice, source.columns, source.placement, isShared: true)
            let target =
                known.map { draft.deltas[$0].rows }
                ?? DeltaRows(
                    table: source.table, slice: source.slice, placement: source.placement, columns: source.columns,
                    isShared: true, sortedBy: source.sortedBy, numbers: numbers)
            let first = try target.append(rows)
            if let known {
                draft.extend(delta: known, by: rows.rowCount)
            } else {
                draft.add(DeltaView(rows: target, count: rows.rowCount, deleted: nil))
            }
            return (target, first, isOlder: known == nil && target.columns != draft.definition.columns)
        }
        guard let (target, first, isOlder) = placed else { return }
        if isOlder { payload.put(olderColumnsOf: target) }
        payload.put(rows: rows, of: target, first: first)
    }

    /// Rows that only the transaction sees: those of its statements are kept together.
    private mutating func show(_ piece: LogPiece, in table: ObjectID) throws {
        let own = piece.rows
        try edit(table) { draft in
            let open = draft.openDelta(slice: own.slice, own.columns, own.placement, isShared: false)
            guard let open else { return draft.add(DeltaView(rows: own, count: own.count, deleted: nil)) }
            let target = draft.deltas[open].rows
            let rows = try own.unread ?? own.copy(without: nil)
            try target.append(rows)
            draft.extend(delta: open, by: rows.rowCount)
            piece.rows = target
        }
    }

    private mutating func delete(_ parts: [PartID: DeletedRows], of table: ObjectID) throws {
        let own = isCommit ? Set(change.added.flatMap(\.pieces).map(\.rows.id)) : []
        for (id, rows) in parts where !own.contains(id) {
            if try delete(rows, in: id, of: table) { continue }
            // A checkpoint has written a part of them since.
            guard let delta = base.tables[table]?.deltas.first(where: { $0.rows.id == id })?.rows,
                let relocation = delta.relocation
            else { throw StoreConflict(table: table) }
            guard let places = relocation.translate(rows) else { throw StoreConflict(table: table) }
            for (part, moved) in places {
                if try !delete(moved, in: part, of: table) { throw StoreConflict(table: table) }
            }
        }
    }

    /// False when the table has no such part.
    private mutating func delete(_ rows: DeletedRows, in id: PartID, of table: ObjectID) throws -> Bool {
        var gone: PartFile?
        let known =
            try edit(table) { draft in
                if let place = draft.index(ofDelta: id) {
                    let present = draft.deltas[place].deleted
                    if let present, present.intersects(rows) { throw StoreConflict(table: table) }
                    draft.setDeleted(DeletedRows(present, adding: rows, fileID: 0), inDelta: place)
                    return true
                }
                guard let place = draft.index(ofFile: id) else { return false }
                let version = draft.files[place]
                if let present = version.deleted, present.intersects(rows) { throw StoreConflict(table: table) }
                let all = DeletedRows(version.deleted, adding: rows, fileID: 0)
                if all.count == version.file.rowCount {
                    gone = draft.removeFile(at: place)
                } else {
                    draft.setDeleted(all, at: place)
                }
                return true
            } ?? false
        if !known { return false }
        if let gone { retired.append(gone) }
        guard isCommit else { return true }
        if let gone {
            payload.put(removed: gone.footer.id, of: table)
        } else {
            payload.put(deleted: rows, of: id, table: table)
        }
        return true
    }
}

extension TableDraft {
    fileprivate var isEmpty: Bool { files.isEmpty && deltas.isEmpty }

    /// The rows are those of an older snapshot, wherever a checkpoint may have put them.
    fileprivate func isUnchanged(since before: TableSnapshot) -> Bool {
        var expected = before.stable.versions
        var views: [DeltaView] = []
        for view in before.deltas {
            guard let relocation = view.rows.relocation else {
                views.append(view)
                continue
            }
            if !relocation.isOf(view) { return false }
            for file in relocation.parts where !expected.contains(where: { $0.file === file }) {
                expected.append(PartVersion(file: file, deleted: nil))
            }
        }
        return files.count == expected.count && deltas.count == views.count
            && zip(files, expected).allSatisfy { $0.isSame(as: $1) }
            && zip(deltas, views).allSatisfy { $0.isSame(as: $1) }
    }
}

extension Part {
    /// The rows of a part in memory that are left, as ordinals of their delta.
    fileprivate func remainingOrdinals() -> (PartID, DeletedRows)? {
        guard let origin else { return nil }
        let rows = DeletedRows(deltaRows: origin.firstRow + rowCount)
        let hidden = deletedRows(group: 0)
        for row in 0..<rowCount where hidden.map({ $0[row] == 0 }) ?? true {
            _ = rows.insert(group: (origin.firstRow + row) >> 16, row: (origin.firstRow + row) & 0xffff)
        }
        return rows.count > 0 ? (origin.delta, rows) : nil
    }
}
