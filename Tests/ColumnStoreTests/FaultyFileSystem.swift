import Platform
import Synchronization

/// Lets a number of operations through, then fails every further one that writes, as a full disk or a crash would.
final class FaultyFileSystem: FileSystem {
    private let base = LocalFileSystem()
    private let left: Atomic<Int>
    private let done = Atomic<Int>(0)

    init(operations: Int) { left = Atomic(operations) }
    var operations: Int { done.load(ordering: .relaxed) }

    func step(_ path: String) throws {
        done.add(1, ordering: .relaxed)
        if left.subtract(1, ordering: .relaxed).newValue < 0 {
            throw PlatformError(kind: .diskFull, operation: "write file", path: path, text: "No space left on device")
        }
    }

    func open(_ path: String, _ mode: OpenMode) throws -> any OpenFile {
        if mode != .read { try step(path) }
        return FaultyFile(try base.open(path, mode), self)
    }
    func rename(_ from: String, to: String) throws {
        try step(from)
        try base.rename(from, to: to)
    }
    func link(_ existing: String, at path: String) throws {
        try step(path)
        try base.link(existing, at: path)
    }
    func remove(_ path: String) throws {
        try step(path)
        try base.remove(path)
    }
    func removeDirectory(_ path: String) throws {
        try step(path)
        try base.removeDirectory(path)
    }
    func removeTree(_ path: String) throws {
        try step(path)
        try base.removeTree(path)
    }
    func makeDirectories(_ path: String) throws {
        try step(path)
        try base.makeDirectories(path)
    }
    func list(_ path: String) throws -> [String] { try base.list(path) }
    func status(_ path: String) throws -> FileStatus? { try base.status(path) }
    func openDirectory(_ path: String) throws -> any OpenDirectory {
        FaultyDirectory(try base.openDirectory(path), path, self)
    }
    func lock(_ path: String) throws -> any FileLock { try base.lock(path) }
}

private final class FaultyDirectory: OpenDirectory {
    private let base: any OpenDirectory
    private let path: String
    private let owner: FaultyFileSystem
    init(_ base: any OpenDirectory, _ path: String, _ owner: FaultyFileSystem) {
        self.base = base
        self.path = path
        self.owner = owner
    }
    func synchronize() throws {
        try owner.step(path)
        try base.synchronize()
    }
}

private final class FaultyFile: OpenFile {
    private let base: any OpenFile
    private let owner: FaultyFileSystem
    init(_ base: any OpenFile, _ owner: FaultyFileSystem) {
        self.base = base
        self.owner = owner
    }
    var path: String { base.path }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try base.read(into: buffer, at: offset)
    }
    /// A failing write still leaves half of its bytes.
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        do { try owner.step(path) } catch {
            try base.write(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]), at: offset)
            throw error
        }
        try base.write(bytes, at: offset)
    }
    func append(_ bytes: UnsafeRawBufferPointer) throws {
        do { try owner.step(path) } catch {
            try base.append(UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count / 2)]))
            throw error
        }
        try base.append(bytes)
    }
    func synchronize() throws { try owner.step(path) }
    func truncate(to size: Int64) throws { try base.truncate(to: size) }
    func size() throws -> Int64 { try base.size() }
}
