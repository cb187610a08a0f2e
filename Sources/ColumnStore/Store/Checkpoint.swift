import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Synchronization

extension Store {
    /// Writes what is only in the log to parts and files of deleted rows, then the superblock, then empties the log.
    /// Readers go on; commits wait. Interrupted at any point, nothing is lost: until the superblock is replaced the
    /// old one and the log hold, afterwards the new one does.
    package func checkpoint() throws { try checkpoint(above: 0) }

    func checkpointIfDue() {
        let limit = checkpointDue.load(ordering: .relaxed)
        if commits.logBytes <= limit { return }
        do {
            try checkpoint(above: limit)
            checkpointDue.store(options.checkpointBytes, ordering: .relaxed)
        } catch {
            failedCheckpoints.add(1, ordering: .relaxed)
            // The log goes on; the next attempt comes when it has grown.
            checkpointDue.store(limit + max(options.checkpointBytes / 4, 1), ordering: .relaxed)
        }
    }

    /// - Parameter then: runs while the superblock names everything and no commit can be made.
    func checkpoint(above limit: Int, then: () throws -> Void = {}) throws {
        try commits.exclusively { state in
            if let refusal = state.refusal { throw refusal }
            if state.writer.bytes > limit { try writeCheckpoint(&state) }
            try then()
        }
    }

    private func writeCheckpoint(_ state: inout GroupCommit.Quiet) throws {
        var work = Checkpoint(store: self, old: state.pending)
        do {
            try work.write()
        } catch {
            work.discard()
            throw SQLError(error)
        }
        do throws(WarehouseDirectory.Replaced) {
            try directory.replaceSuperblock(superblock(work.new).encoded())
        } catch {
            switch error {
            case .before(let reason):
                work.discard()
                throw reason
            case .unknown(let reason):
                work.keep()
                state.refusal = .unknownOutcome(of: "checkpoint", reason)
                throw reason
            }
        }
        work.keep()
        state.pending = work.new
        show(work.new)
        work.relocate()
        removeUnnamed(work.new)
        state.writer.clear()
        doneCheckpoints.add(1, ordering: .relaxed)
    }

    /// Of this process.
    package var checkpointCounts: (done: Int, failed: Int) {
        (doneCheckpoints.load(ordering: .relaxed), failedCheckpoints.load(ordering: .relaxed))
    }

    private func superblock(_ snapshot: StoreSnapshot) -> Superblock {
        var parts: [Superblock.PartEntry] = []
        var identity: [IdentityKey: Int64] = [:]
        var defaults: [IdentityKey: Datum] = [:]
        for table in snapshot.tables.all.sorted(by: { $0.definition.id < $1.definition.id }) {
            let id = table.definition.id
            for (column, value) in table.identity { identity[IdentityKey(table: id, column: column)] = value }
            for (column, value) in table.stable.defaults { defaults[IdentityKey(table: id, column: column)] = value }
            for version in table.stable.versions {
                let footer = version.file.footer
                parts.append(
                    .init(
                        id: footer.id, table: id, slice: footer.slice, byteCount: version.file.byteCount,
                        deletedFile: version.deleted?.fileID ?? 0))
            }
        }
        return Superblock(
            version: snapshot.version, shape: shape, nextPartID: numbers.upcoming, catalog: snapshot.catalog,
            parts: parts, identity: identity, columnDefaults: defaults)
    }

    /// Files of deleted rows that the superblock names no more. Failures are left for the next start.
    private func removeUnnamed(_ new: StoreSnapshot) {
        var named: [PartID: String] = [:]
        for table in new.tables.all {
            for version in table.stable.versions {
                guard let rows = version.deleted else { continue }
                named[version.file.footer.id] = directory.path(ofDeleted: rows, in: version.file, shape: shape)
            }
        }
        let before = namedDeleted.replace(with: named)
        for (part, path) in before where named[part] != path { directory.fileSystem.discard(path) }
    }
}

/// The work of one checkpoint.
struct Checkpoint {
    private let store: Store
    private let old: StoreSnapshot
    private(set) var new: StoreSnapshot
    private var files: [PartFile] = []
    private var deletedFiles: [String] = []
    private var moved: [(DeltaRows, DeltaRelocation)] = []

    init(store: Store, old: StoreSnapshot) {
        self.store = store
        self.old = old
        new = old
    }

    mutating func write() throws {
        var tables = old.tables
        for table in old.tables.all where !table.deltas.isEmpty || table.stable.versions.contains(where: \.isDirty) {
            var draft = TableDraft(table)
            for (place, version) in table.stable.versions.enumerated() where version.isDirty {
                guard let rows = version.deleted else { continue }
                draft.setDeleted(try writeDeleted(rows, of: version.file), at: place)
            }
            if !table.deltas.isEmpty {
                let made = try writeParts(table)
                draft.clearDeltas()
                for file in made { draft.add(file) }
            }
            tables[table.definition.id] = try draft.snapshot(
                sliceCount: store.shape.slices, autoAllRows: store.options.autoAllRows)
        }
        new = StoreSnapshot(
            version: old.version, catalog: old.catalog, tables: tables, analyses: old.analyses)
    }

    private mutating func writeDeleted(_ rows: DeletedRows, of file: PartFile) throws -> DeletedRows {
        let named = DeletedRows(rows, fileID: store.numbers.make().raw)
        deletedFiles.append(store.directory.path(ofDeleted: named, in: file, shape: store.shape))
        try store.directory.write(named, of: file, shape: store.shape)
        return named
    }

    /// Where a row of a slice came from, in the order in which they were read.
    private struct Source {
        var delta: Int
        var ordinal: Int
    }

    private mutating func writeParts(_ table: TableSnapshot) throws -> [PartFile] {
        let plan = WritePlan(
            table.definition, slices: store.shape.slices, presentRows: table.rowCount, presentIsAll: true, store)
        let load = LoadState(store: store, plan: plan, sliceRows: [])
        let lane = WriterLane(load, index: 0)
        var sources = [[Source]](repeating: [], count: plan.sliceCount)
        let types = table.definition.columns.map(\.type)
        for part in try table.parts {
            guard let origin = part.origin, let delta = table.deltas.firstIndex(where: { $0.rows.id == origin.delta })
            else { continue }
            let batch = ColumnBatch(types: types)
            try part.decodeLive(group: 0, into: batch)
            try lane.append(batch, slice: part.slice)
            let hidden = part.deletedRows(group: 0)
            for row in 0..<part.rowCount where hidden.map({ $0[row] == 0 }) ?? true {
                sources[part.slice].append(Source(delta: delta, ordinal: origin.firstRow + row))
            }
        }
        let built = try PartBuilder(store: store, plan: plan, workers: nil).buildParts(lane.takeChunks())
        files += built.map(\.file)
        guard load.takeEarly().isEmpty else {
            throw SQLError(.outOfMemory, "not enough memory to write the rows in the log to parts")
        }
        var places = table.deltas.map { [Int64](repeating: -1, count: $0.count) }
        for (index, part) in built.enumerated() {
            for position in 0..<part.count {
                let source = sources[part.rows.slice][part.rows.arrival(of: part.start + position)]
                places[source.delta][source.ordinal] = Int64(index) << 32 | Int64(position)
            }
        }
        for (index, view) in table.deltas.enumerated() {
            let relocation = DeltaRelocation(
                deletedCount: view.deleted?.count ?? 0, places: places[index], parts: built.map(\.file))
            moved.append((view.rows, relocation))
        }
        return built.map(\.file)
    }

    /// The files are named by a superblock.
    func keep() { for file in files { file.keep() } }

    /// Parts go with their last reference.
    func discard() { for path in deletedFiles { store.directory.fileSystem.discard(path) } }

    /// Changes that were worked out on rows in the log find them in the parts.
    func relocate() { for (delta, relocation) in moved { delta.relocation = relocation } }
}

extension PartVersion {
    /// Rows were deleted that no file tells of.
    fileprivate var isDirty: Bool { deleted.map { $0.fileID == 0 } ?? false }
}
