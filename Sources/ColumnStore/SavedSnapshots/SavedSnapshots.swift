import Catalog
import Platform
import SQLTypes

/// A state of the warehouse that was saved: the directory `snapshots/NAME`, a warehouse of its own, made of second
/// names (hard links) of part files. It costs space only for what the warehouse itself no longer has.
package struct SavedSnapshot: Sendable, Hashable {
    package var name: String
    package var directory: String
    /// The last commit that is in it.
    package var version: UInt64
    package var createdMicroseconds: Int64
    package var tableCount: Int
    package var partCount: Int
    /// Of its part files.
    package var byteCount: Int
}

extension Store {
    /// Saves the newest state under a name that no other has. Commits wait for it, readers do not. A crash leaves the
    /// whole snapshot or none.
    package func saveSnapshot(_ name: String) throws {
        try SavedSnapshots.check(name)
        let snapshots = SavedSnapshots(directory)
        try checkpoint(above: 0) { try snapshots.save(name) }
    }

    /// - Throws: when there is none of that name.
    package func dropSnapshot(_ name: String) throws {
        try SavedSnapshots(directory).drop(name)
    }

    /// By name.
    package func savedSnapshots() throws -> [SavedSnapshot] { try SavedSnapshots(directory).all() }

    /// A saved state, to be read. Its parts stay in its own directory; the snapshot must not be dropped meanwhile.
    package func openSavedSnapshot(_ name: String) throws -> StoreSnapshot {
        let (saved, superblock) = try SavedSnapshots(directory).open(name)
        return try StoreOpening.load(
            LogReplay(superblock), superblock.shape, saved, cache, options, AnalysisRegistry(saved))
    }

    /// Makes a new warehouse of a saved state: with hard links where the file system allows, with copies elsewhere.
    package static func copySnapshot(
        _ name: String, of root: String, to target: String, fileSystem: any FileSystem = LocalFileSystem()
    ) throws {
        let directory = WarehouseDirectory(root: root, fileSystem: fileSystem, synchronize: true)
        guard try directory.readSuperblock() != nil else {
            throw SQLError(.undefinedFile, "there is no warehouse in \"\(root)\"")
        }
        let (saved, superblock) = try SavedSnapshots(directory).open(name)
        let made = WarehouseDirectory(root: target, fileSystem: fileSystem, synchronize: true)
        if try made.readSuperblock() != nil {
            throw SQLError(.objectInUse, "there is a warehouse in \"\(target)\" already")
        }
        do {
            try fileSystem.makeDirectories(target)
            try SavedSnapshots.link(superblock, from: saved, to: made)
        } catch {
            throw SQLError(error)
        }
        try made.replaceSuperblock(superblock)
    }
}

/// The folder `snapshots` of a warehouse.
struct SavedSnapshots {
    private let directory: WarehouseDirectory
    private static let longestName = 127
    private static let copiedBytes = 4 << 20

    init(_ directory: WarehouseDirectory) { self.directory = directory }

    private var folder: String { FilePath.join(directory.root, "snapshots") }

    private func saved(_ name: String) -> WarehouseDirectory {
        WarehouseDirectory(
            root: FilePath.join(folder, name), fileSystem: directory.fileSystem, synchronize: directory.synchronize)
    }

    /// Names become directories.
    static func check(_ name: String) throws {
        let isPlain = name.utf8.allSatisfy { byte in
            (48...57).contains(byte) || (97...122).contains(byte) || byte == UInt8(ascii: "_")
                || byte == UInt8(ascii: "-")
        }
        guard isPlain, (1...longestName).contains(name.utf8.count) else {
            throw SQLError(
                "42602", "invalid snapshot name \"\(name)\"",
                hint: "Names have lower-case letters, digits, _ and -, \(longestName) at most.")
        }
    }

    private static func missing(_ name: String) -> SQLError {
        SQLError(.undefinedObject, "snapshot \"\(name)\" does not exist")
    }

    /// What a crash left of saving or dropping one: the superblock comes last and goes first.
    func unfinished() -> [String] {
        let files = directory.fileSystem
        return ((try? files.list(folder)) ?? []).map(saved).filter { saved in
            // What cannot be looked at is left alone.
            do { return try files.status(saved.superblockPath) == nil } catch { return false }
        }.map(\.root)
    }

    func open(_ name: String) throws -> (WarehouseDirectory, Superblock) {
        try SavedSnapshots.check(name)
        let saved = saved(name)
        do {
            guard try saved.fileSystem.status(saved.superblockPath) != nil else { throw SavedSnapshots.missing(name) }
        } catch {
            throw SQLError(error)
        }
        guard let superblock = try saved.readSuperblock() else { throw SavedSnapshots.missing(name) }
        return (saved, superblock)
    }

    func all() throws -> [SavedSnapshot] {
        do {
            return try names().map(describe)
        } catch {
            throw SQLError(error)
        }
    }

    /// Of those that are complete.
    func names() throws -> [String] {
        guard try directory.fileSystem.status(folder) != nil else { return [] }
        return try directory.fileSystem.list(folder).filter {
            try directory.fileSystem.status(saved($0).superblockPath) != nil
        }
    }

    private func describe(_ name: String) throws -> SavedSnapshot {
        let (saved, superblock) = try open(name)
        let status = try saved.fileSystem.status(saved.superblockPath)
        let tables = superblock.catalog.tablesOfAllDatabases.count
        return SavedSnapshot(
            name: name, directory: saved.root, version: superblock.version,
            createdMicroseconds: status?.modifiedMicroseconds ?? 0, tableCount: tables,
            partCount: superblock.parts.count, byteCount: superblock.parts.reduce(0) { $0 + $1.byteCount })
    }

    /// While no commit can be made and the superblock names everything.
    func save(_ name: String) throws {
        let files = directory.fileSystem
        guard let superblock = try directory.readSuperblock() else {
            throw SQLError(.internalError, "the warehouse has no superblock")
        }
        let made = saved(name)
        do {
            if try files.status(made.superblockPath) != nil {
                throw SQLError(.duplicateObject, "snapshot \"\(name)\" already exists")
            }
            try files.removeTree(made.root)
            try files.makeDirectories(made.root)
            if directory.synchronize {
                try files.synchronizeDirectory(folder)
                try files.synchronizeDirectory(directory.root)
            }
        } catch {
            throw SQLError(error)
        }
        do {
            try SavedSnapshots.link(superblock, from: directory, to: made)
            try made.replaceSuperblock(superblock)
        } catch {
            files.discardTree(made.root)
            throw SQLError(error)
        }
    }

    func drop(_ name: String) throws {
        let (saved, _) = try open(name)
        let files = directory.fileSystem
        do {
            let folders = try saved.opened([saved.root])
            try files.remove(saved.superblockPath)
            for folder in folders { try folder.synchronize() }
        } catch {
            throw SQLError(error)
        }
        // It is gone; what stays of its files goes at the next start.
        files.discardTree(saved.root)
    }

    /// Gives all files that a superblock names second names in another directory.
    static func link(_ superblock: Superblock, from source: WarehouseDirectory, to target: WarehouseDirectory) throws {
        let shape = superblock.shape
        var folders: Set<String> = []
        for part in superblock.parts {
            func paths(_ directory: WarehouseDirectory) -> [String] {
                var paths = [directory.partPath(part.id, table: part.table, slice: part.slice, shape: shape)]
                if part.deletedFile != 0 {
                    paths.append(
                        directory.deletedPath(
                            part.id, file: part.deletedFile, table: part.table, slice: part.slice, shape: shape))
                }
                return paths
            }
            for (old, new) in zip(paths(source), paths(target)) {
                if folders.insert(FilePath.parent(new)).inserted {
                    try target.fileSystem.makeDirectories(FilePath.parent(new))
                }
                try linkOrCopy(old, new, target)
            }
            for copy in part.slice == 0 ? source.copyPaths(part.id, table: part.table, shape: shape) : [] {
                guard try source.fileSystem.status(copy) != nil else { continue }
                let new = target.root + copy.dropFirst(source.root.count)
                if folders.insert(FilePath.parent(new)).inserted {
                    try target.fileSystem.makeDirectories(FilePath.parent(new))
                }
                try linkOrCopy(copy, new, target)
            }
        }
        if target.synchronize { try synchronize(folders, below: target) }
    }

    /// Links do not reach other file systems; there the bytes are copied. What has the name already is never replaced.
    private static func linkOrCopy(_ old: String, _ new: String, _ target: WarehouseDirectory) throws {
        if try target.fileSystem.status(new) != nil {
            throw SQLError(.internalError, "file \"\(new)\" exists already")
        }
        do {
            try target.fileSystem.link(old, at: new)
        } catch {
            let source = try target.fileSystem.open(old, .read)
            let file = try target.fileSystem.open(new, .replace)
            var buffer = [UInt8](repeating: 0, count: copiedBytes)
            var offset: Int64 = 0
            while true {
                let count = try buffer.withUnsafeMutableBytes { try source.read(into: $0, at: offset) }
                if count == 0 { break }
                try buffer.withUnsafeBytes { try file.append(UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                offset += Int64(count)
            }
            if target.synchronize { try file.synchronize() }
        }
    }

    /// The folders and all above them, up to the target's own.
    private static func synchronize(_ folders: Set<String>, below target: WarehouseDirectory) throws {
        var all = folders
        for folder in folders {
            var parent = FilePath.parent(folder)
            while parent.utf8.count >= target.root.utf8.count, all.insert(parent).inserted {
                parent = FilePath.parent(parent)
            }
        }
        for folder in all.sorted() { try target.fileSystem.synchronizeDirectory(folder) }
    }
}
