import Catalog
import SQLTypes

/// A table's next state while a change is applied to it.
struct TableDraft {
    private(set) var definition: TableDefinition
    private(set) var files: [PartVersion]
    private(set) var deltas: [DeltaView]
    private(set) var identity: [Int32: Int64]
    private var defaults: [Int32: Datum]
    /// nil: as in `old`.
    private var needsParts: Bool
    private let old: TableSnapshot?

    init(_ old: TableSnapshot) {
        self.old = old
        definition = old.definition
        files = old.stable.versions
        deltas = old.deltas
        identity = old.identity
        defaults = old.stable.defaults
        needsParts = false
    }

    init(_ definition: TableDefinition) {
        old = nil
        self.definition = definition
        files = []
        deltas = []
        identity = [:]
        defaults = [:]
        needsParts = true
    }

    /// What recovery has found.
    init(
        _ definition: TableDefinition, files: [PartVersion], deltas: [DeltaView], identity: [Int32: Int64],
        defaults: [Int32: Datum]
    ) {
        self.init(definition)
        self.files = files
        self.deltas = deltas
        self.identity = identity
        self.defaults = defaults
    }

    func snapshot(sliceCount: Int, autoAllRows: Int) throws -> TableSnapshot {
        let stable: StableParts
        if let old, !needsParts {
            stable = old.stable
        } else {
            stable = try StableParts(files, definition, defaults, sliceCount: sliceCount, old: old?.stable)
        }
        return TableSnapshot(stable: stable, deltas: deltas, identity: identity, autoAllRows: autoAllRows)
    }

    mutating func define(_ definition: TableDefinition) {
        self.definition = definition
        needsParts = true
    }

    mutating func setIdentity(_ column: Int32, _ value: Int64) { identity[column] = value }

    mutating func setDefault(_ column: Int32, _ value: Datum) {
        defaults[column] = value
        needsParts = true
    }

    mutating func empty() {
        files = []
        deltas = []
        needsParts = true
    }

    mutating func add(_ file: PartFile) {
        files.append(PartVersion(file: file, deleted: nil))
        needsParts = true
    }

    func index(ofFile id: PartID) -> Int? { files.firstIndex { $0.file.footer.id == id } }

    mutating func removeFile(at index: Int) -> PartFile {
        needsParts = true
        return files.remove(at: index).file
    }

    mutating func setDeleted(_ rows: DeletedRows, at index: Int) {
        files[index].deleted = rows
        needsParts = true
    }

    // MARK: Rows in the log

    /// The delta to which rows of such a form may be added, if there is one.
    func openDelta(
        slice: Int, _ columns: [ColumnDefinition], _ placement: PartPlacement, isShared: Bool
    ) -> Int? {
        deltas.lastIndex {
            $0.rows.slice == slice && $0.rows.isShared == isShared
                && $0.rows.accepts(columns, placement, after: $0.count)
        }
    }

    mutating func clearDeltas() { deltas = [] }
    mutating func add(_ view: DeltaView) { deltas.append(view) }
    mutating func extend(delta index: Int, by rows: Int) { deltas[index].count += rows }
    func index(ofDelta id: PartID) -> Int? { deltas.firstIndex { $0.rows.id == id } }

    mutating func setDeleted(_ rows: DeletedRows, inDelta index: Int) {
        deltas[index].deleted = rows
        if deltas[index].liveCount == 0 { deltas.remove(at: index) }
    }
}
