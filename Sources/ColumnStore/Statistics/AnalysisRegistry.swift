import Catalog
import Platform
import SQLTypes

/// What ANALYZE and the queries so far know of the warehouse's tables: in memory, and in a file per table under
/// `statistics/`. Counts of changed rows are written with ANALYZE and when the store is closed; after a crash the
/// difference of row counts stands in for them. Safe from any thread.
package final class AnalysisRegistry: Sendable {
    /// An analysis as planners share it; a new one is another object.
    package final class Analyzed: Sendable {
        package let analysis: TableAnalysis
        init(_ analysis: TableAnalysis) { self.analysis = analysis }
    }
    private struct Entry {
        var analyzed: Analyzed?
        var changed = ChangedRows()
        var predicates: [Int32: PredicateUse] = [:]
        var isDirty = false
    }
    private let directory: WarehouseDirectory
    /// Knows which tables there are. nil: all that are asked for.
    private let folders: TableFolders?
    private let entries: Lock<[ObjectID: Entry]>

    init(_ directory: WarehouseDirectory, _ folders: TableFolders? = nil) {
        self.directory = directory
        self.folders = folders
        entries = Lock([:])
    }

    private var folder: String { FilePath.join(directory.root, "statistics") }
    private func path(_ table: ObjectID) -> String { FilePath.join(folder, String(table.raw)) }

    /// Files that cannot be read count as missing; those of dropped tables go.
    func load(_ tables: TableMap) {
        guard let names = try? directory.fileSystem.list(folder) else { return }
        var loaded: [ObjectID: Entry] = [:]
        for name in names {
            let path = FilePath.join(folder, name)
            guard let number = Int64(name), let table = tables[ObjectID(number)] else {
                directory.fileSystem.discard(path)
                continue
            }
            guard let bytes = try? directory.fileSystem.readAll(path),
                let file = try? AnalysisFile(bytes, file: path), file.table.raw == number
            else { continue }
            var entry = Entry(
                analyzed: file.analysis.map { Analyzed($0) }, changed: file.changed, predicates: file.predicates)
            let difference = Int64(table.rowCount) - file.liveRows
            if difference > 0 { entry.changed.inserted += difference }
            if difference < 0 { entry.changed.deleted -= difference }
            loaded[file.table] = entry
        }
        entries.withLock { $0 = loaded }
    }

    /// Problems of files, for inspection.
    static func problems(_ directory: WarehouseDirectory) -> [String] {
        let folder = FilePath.join(directory.root, "statistics")
        let names: [String]
        do {
            if try directory.fileSystem.status(folder) == nil { return [] }
            names = try directory.fileSystem.list(folder)
        } catch {
            return [SQLError(error).message + " (only estimates are lost: run ANALYZE)"]
        }
        return names.compactMap { name in
            let path = FilePath.join(folder, name)
            do {
                _ = try AnalysisFile(try directory.fileSystem.readAll(path), file: path)
                return nil
            } catch {
                return SQLError(error).message + " (only estimates are lost: run ANALYZE)"
            }
        }
    }

    // MARK: Reading

    package func analyzed(_ table: ObjectID) -> Analyzed? { entries.withLock { $0[table]?.analyzed } }

    /// Rows that came and went since the last ANALYZE; nil when there was none.
    package func changed(_ table: ObjectID) -> ChangedRows? {
        entries.withLock { entries in entries[table].flatMap { $0.analyzed == nil ? nil : $0.changed } }
    }
    package func predicates(_ table: ObjectID) -> [Int32: PredicateUse] {
        entries.withLock { $0[table]?.predicates ?? [:] }
    }

    // MARK: Learning

    /// Keeps what ANALYZE found; columns that it did not look at keep what was known.
    ///
    /// - Parameter isWhole: all columns that matter were looked at, so counting changed rows begins anew.
    package func record(_ analysis: TableAnalysis, of table: ObjectID, liveRows: Int, isWhole: Bool) throws {
        // The file of a table that its transaction has not committed comes with the commit.
        let isCommitted = folders?.has(table) ?? true
        let bytes = entries.withLock { entries in
            var entry = entries[table] ?? Entry()
            var merged = analysis
            if let old = entry.analyzed?.analysis {
                merged.columns = old.columns.merging(analysis.columns) { $1 }
                if !isWhole { merged.rowCount = old.rowCount }
            }
            entry.analyzed = Analyzed(merged)
            if isWhole { entry.changed = ChangedRows() }
            entry.isDirty = !isCommitted
            entries[table] = entry
            return file(table, entry, liveRows).encoded()
        }
        if !isCommitted { return }
        try write(bytes, table)
        // Dropped meanwhile: who did it has perhaps looked for the file too early.
        if let folders, !folders.has(table) { forget([table]) }
    }

    private func forget(_ tables: some Sequence<ObjectID>) {
        entries.withLock { entries in for table in tables { entries[table] = nil } }
        // What cannot be removed now goes at the next start.
        for table in tables { directory.fileSystem.discard(path(table)) }
    }

    /// A query uses columns to filter, join or group.
    package func notePredicates(_ table: ObjectID, _ columns: [Int32], at microseconds: Int64) {
        entries.withLock { entries in
            for column in columns {
                if entries[table]?.predicates[column] == nil {
                    entries[table, default: Entry()].isDirty = true
                    entries[table]?.predicates[column] = PredicateUse(
                        firstMicroseconds: microseconds, lastMicroseconds: microseconds)
                } else {
                    entries[table]?.predicates[column]?.lastMicroseconds = microseconds
                }
            }
        }
    }

    /// Counts what a commit changed. Rows that were only written again do not count. What is known of tables that it
    /// dropped goes.
    func note(_ change: StoreChange, from old: StoreSnapshot, to new: StoreSnapshot, dropped: [ObjectID]) {
        let onlyAdds =
            change.removed.isEmpty && change.deleted.isEmpty && change.emptied.isEmpty && change.catalog == nil
        if onlyAdds { return note(change.added, new) }
        var inserted: [ObjectID: Int64] = [:]
        for parts in change.added { inserted[parts.table, default: 0] += Int64(parts.rowCount) }
        var moved: [ObjectID: Int64] = [:]
        for (table, parts) in change.removed {
            // Parts that are removed as a whole are files.
            moved[table] = (old.tables[table]?.stable.parts ?? []).reduce(0) {
                parts.contains($1.id) ? $0 + Int64($1.liveRowCount) : $0
            }
        }
        // A table that is emptied together with a new definition was rewritten under it.
        for table in change.emptied where change.catalog != nil {
            moved[table, default: 0] += Int64(old.tables[table]?.rowCount ?? 0)
        }
        var tables = Set(inserted.keys).union(moved.keys).union(change.deleted.keys).union(change.emptied)
        tables = tables.filter { new.tables[$0] != nil }
        entries.withLock { entries in
            for table in tables {
                guard entries[table]?.analyzed != nil else { continue }
                let rewritten = min(moved[table] ?? 0, inserted[table] ?? 0)
                var gone = (change.deleted[table] ?? [:]).values.reduce(Int64(0)) { $0 + Int64($1.count) }
                if change.emptied.contains(table) && change.catalog == nil {
                    gone += Int64(old.tables[table]?.rowCount ?? 0)
                }
                entries[table]?.changed.inserted += (inserted[table] ?? 0) - rewritten
                entries[table]?.changed.deleted += gone
                entries[table]?.isDirty = true
            }
            if change.catalog == nil { return }
            for table in Array(entries.keys) where new.tables[table] == nil { entries[table] = nil }
        }
        if !dropped.isEmpty { forget(dropped) }
        if change.catalog != nil { save(new, analyzedAndNewSince: old) }
    }

    /// What most commits are.
    private func note(_ added: [WrittenParts], _ new: StoreSnapshot) {
        entries.withLock { entries in
            for parts in added where entries[parts.table]?.analyzed != nil && new.tables[parts.table] != nil {
                entries[parts.table]?.changed.inserted += Int64(parts.rowCount)
                entries[parts.table]?.isDirty = true
            }
        }
    }

    // MARK: Files

    /// Writes what has changed since the last time. Failures cost estimates only.
    ///
    /// - Parameter old: only what ANALYZE knows of tables that this state does not have.
    func save(_ snapshot: StoreSnapshot, analyzedAndNewSince old: StoreSnapshot? = nil) {
        let dirty = entries.withLock { entries in
            var files: [AnalysisFile] = []
            for (table, entry) in entries where entry.isDirty {
                if let old, old.tables[table] != nil || entry.analyzed == nil { continue }
                guard let rows = snapshot.tables[table]?.rowCount else { continue }
                files.append(file(table, entry, rows))
                entries[table]?.isDirty = false
            }
            return files
        }
        for file in dirty {
            do { try write(file.encoded(), file.table) } catch {
                // Estimates are not worth a failing statement; the next time tries again.
                entries.withLock { $0[file.table]?.isDirty = true }
            }
        }
    }

    private func file(_ table: ObjectID, _ entry: Entry, _ liveRows: Int) -> AnalysisFile {
        AnalysisFile(
            table: table, analysis: entry.analyzed?.analysis, changed: entry.changed, liveRows: Int64(liveRows),
            predicates: entry.predicates)
    }

    private func write(_ bytes: [UInt8], _ table: ObjectID) throws {
        let fileSystem = directory.fileSystem
        do {
            try fileSystem.makeDirectories(folder)
            if directory.synchronize { return try fileSystem.replaceDurably(path(table), with: bytes) }
            let temporary = path(table) + ".new"
            let file = try fileSystem.open(temporary, .replace)
            try bytes.withUnsafeBytes { try file.append($0) }
            try fileSystem.rename(temporary, to: path(table))
        } catch {
            throw SQLError(error)
        }
    }
}
