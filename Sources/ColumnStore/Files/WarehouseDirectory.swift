import Catalog
import Platform
import SQLTypes

/// Names and layout of a warehouse on disk, and the operations that keep it consistent.
struct WarehouseDirectory: Sendable {
    let root: String
    let fileSystem: any FileSystem
    /// False skips fsync.
    let synchronize: Bool

    var lockPath: String { FilePath.join(root, "LOCK") }
    var superblockPath: String { FilePath.join(root, "superblock") }
    private var temporaryPath: String { FilePath.join(root, "superblock.tmp") }

    func partDirectory(table: ObjectID, slice: Int, shape: ClusterShape) -> String {
        "\(root)/node\(slice / shape.slicesPerNode)/slice\(slice % shape.slicesPerNode)/\(table.raw)"
    }
    func partPath(_ id: PartID, table: ObjectID, slice: Int, shape: ClusterShape) -> String {
        partDirectory(table: table, slice: slice, shape: shape) + "/\(id.raw).part"
    }
    func deletedPath(_ id: PartID, file: UInt64, table: ObjectID, slice: Int, shape: ClusterShape) -> String {
        partDirectory(table: table, slice: slice, shape: shape) + "/\(id.raw).\(file).del"
    }
    /// The other nodes' copies of a part that every node has.
    func copyPaths(_ id: PartID, table: ObjectID, shape: ClusterShape) -> [String] {
        (1..<max(shape.nodes, 1)).map { node in
            partPath(id, table: table, slice: node * shape.slicesPerNode, shape: shape)
        }
    }

    /// Makes the directory and its missing parents, and their names durable.
    func makeRoot() throws {
        var missing: [String] = []
        var path = root
        while try fileSystem.status(path) == nil, FilePath.parent(path) != path {
            missing.append(path)
            path = FilePath.parent(path)
        }
        try fileSystem.makeDirectories(root)
        if synchronize { for made in missing { try fileSystem.synchronizeDirectory(FilePath.parent(made)) } }
    }

    /// nil when there is no warehouse yet; throws when something else is in the directory.
    func readSuperblock() throws -> Superblock? {
        do {
            if try fileSystem.status(superblockPath) != nil {
                return try Superblock(try fileSystem.readAll(superblockPath), file: superblockPath)
            }
            guard try fileSystem.status(root) != nil else { return nil }
            let others = try fileSystem.list(root).filter { $0 != "LOCK" && $0 != "superblock.tmp" }
            guard others.isEmpty else {
                throw SQLError(
                    .objectNotInState, "directory \"\(root)\" is not empty and holds no warehouse",
                    detail: "There is no file \"superblock\" in it.", hint: "Choose an empty or a new directory.")
            }
            return nil
        } catch {
            throw SQLError(error)
        }
    }

    /// Says where a failing replacement stopped.
    enum Replaced: Error {
        /// Nothing has changed.
        case before(SQLError)
        /// The new superblock has its name, but it may not survive a power failure.
        case unknown(SQLError)
    }

    /// Where a failure need not be told apart.
    func replaceSuperblock(_ superblock: Superblock) throws {
        do throws(Replaced) {
            try replaceSuperblock(superblock.encoded())
        } catch {
            switch error {
            case .before(let reason), .unknown(let reason): throw reason
            }
        }
    }

    func replaceSuperblock(_ bytes: [UInt8]) throws(Replaced) {
        let folders: [any OpenDirectory]
        do {
            folders = try opened([root])
            let file = try fileSystem.open(temporaryPath, .replace)
            try bytes.withUnsafeBytes { try file.append($0) }
            if synchronize { try file.synchronize() }
            try fileSystem.rename(temporaryPath, to: superblockPath)
        } catch {
            throw .before(SQLError(error))
        }
        do {
            for folder in folders { try folder.synchronize() }
        } catch {
            throw .unknown(SQLError(error))
        }
    }

    /// Directories to be synchronised after changes that must not stop half-way; none where nothing is synchronised.
    func opened(_ paths: [String]) throws -> [any OpenDirectory] {
        synchronize ? try paths.map { try fileSystem.openDirectory($0) } : []
    }

    /// Removes files that no commit names: what a crash in the middle of a load left. Failures are left for the next
    /// start, an orphan does no harm.
    ///
    /// - Parameter parts: all that superblock and log name.
    func removeOrphans(_ parts: [Superblock.PartEntry], _ shape: ClusterShape) {
        for path in orphans(parts, shape) { fileSystem.discardTree(path) }
    }

    /// Files and table directories that no commit names.
    func orphans(_ parts: [Superblock.PartEntry], _ shape: ClusterShape) -> [String] {
        let known = knownFiles(parts, shape)
        let tables = Set(parts.map { String($0.table.raw) })
        var result: [String] = []
        let unfinished = resizeDirectory.root
        if let status = try? fileSystem.status(unfinished), status.isDirectory { result.append(unfinished) }
        result += SavedSnapshots(self).unfinished()
        for directory in sliceDirectories() {
            for name in (try? fileSystem.list(directory)) ?? [] {
                let folder = FilePath.join(directory, name)
                if !tables.contains(name) {
                    result.append(folder)
                    continue
                }
                let files = ((try? fileSystem.list(folder)) ?? []).map { FilePath.join(folder, $0) }
                result += files.filter { !known.contains($0) }
            }
        }
        return result
    }

    /// Those that are there: a resize may have left more than the shape has.
    private func sliceDirectories() -> [String] {
        let nodes = ((try? fileSystem.list(root)) ?? []).filter { $0.hasPrefix("node") }
        return nodes.flatMap { node in
            let folder = FilePath.join(root, node)
            return ((try? fileSystem.list(folder)) ?? []).filter { $0.hasPrefix("slice") }.map {
                FilePath.join(folder, $0)
            }
        }
    }

    private func knownFiles(_ parts: [Superblock.PartEntry], _ shape: ClusterShape) -> Set<String> {
        var known: Set<String> = []
        for part in parts {
            known.insert(partPath(part.id, table: part.table, slice: part.slice, shape: shape))
            if part.deletedFile != 0 {
                known.insert(
                    deletedPath(
                        part.id, file: part.deletedFile, table: part.table, slice: part.slice, shape: shape))
            }
            if part.slice == 0 { known.formUnion(copyPaths(part.id, table: part.table, shape: shape)) }
        }
        return known
    }
}
