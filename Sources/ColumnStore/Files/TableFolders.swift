import Catalog
import Platform

/// The folders of tables in the slices of the nodes. Those of a table that no commit has any more, or never had, go
/// with the last of its files, which readers may still need. What cannot be removed is an orphan at the next start.
/// Safe from any thread.
final class TableFolders: Sendable {
    private struct State {
        /// Part files that are there or are being written, by table.
        var files: [ObjectID: Int] = [:]
        /// Those of the newest durable commit.
        var tables: Set<ObjectID>
        /// Folders whose own names are durable.
        var durable: Set<String> = []
    }
    private let directory: WarehouseDirectory
    private let shape: ClusterShape
    private let state: Lock<State>

    init(_ directory: WarehouseDirectory, _ shape: ClusterShape, tables: Set<ObjectID>) {
        self.directory = directory
        self.shape = shape
        state = Lock(State(tables: tables))
    }

    func has(_ table: ObjectID) -> Bool { state.withLock { $0.tables.contains(table) } }

    /// Tables of commits that become visible.
    func add(_ tables: [ObjectID]) {
        if tables.isEmpty { return }
        state.withLock { $0.tables.formUnion(tables) }
    }

    /// Tables that commits have dropped.
    func drop(_ tables: [ObjectID]) {
        if tables.isEmpty { return }
        state.withLock { state in
            for table in tables {
                state.tables.remove(table)
                if state.files[table] == nil { remove(table, &state) }
            }
        }
    }

    /// One file more, before its folder is made: until ``release(_:)`` the folder stays.
    func use(_ table: ObjectID) { state.withLock { $0.files[table, default: 0] += 1 } }

    /// One file less, after it was removed, or closed for good.
    func release(_ table: ObjectID) {
        state.withLock { state in
            guard let count = state.files[table] else { return }
            state.files[table] = count > 1 ? count - 1 : nil
            if count <= 1 && !state.tables.contains(table) { remove(table, &state) }
        }
    }

    /// Folders with files in them stay: only empty ones can be removed.
    private func remove(_ table: ObjectID, _ state: inout State) {
        for slice in 0..<shape.slices {
            let folder = directory.partDirectory(table: table, slice: slice, shape: shape)
            try? directory.fileSystem.removeDirectory(folder)
            state.durable.remove(folder)
        }
    }

    func isDurable(_ folder: String) -> Bool { state.withLock { $0.durable.contains(folder) } }
    func setDurable(_ folder: String) { state.withLock { _ = $0.durable.insert(folder) } }
}

/// Files of deleted rows that the superblock names, by part. Safe from any thread.
final class NamedDeletedFiles: Sendable {
    private let paths: Lock<[PartID: String]>
    init(_ paths: [PartID: String]) { self.paths = Lock(paths) }

    func path(of part: PartID) -> String? { paths.withLock { $0[part] } }

    /// - Returns: those of the superblock before.
    func replace(with new: [PartID: String]) -> [PartID: String] {
        paths.withLock { paths in
            defer { paths = new }
            return paths
        }
    }
}
