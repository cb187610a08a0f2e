import Catalog
import Platform
import SQLTypes
import Synchronization

/// A part file being written: blocks in any order from any worker, then the footer. Removes the file if it is not
/// finished.
final class PartWriter: Sendable {
    let id: PartID
    let path: String
    private let store: Store
    private let table: ObjectID
    private let copies: [String]
    private let file: any OpenFile
    private let nextOffset: Atomic<Int>
    private let isFinished = Atomic<Bool>(false)

    init(store: Store, table: ObjectID, slice: Int, copyToAllNodes: Bool) throws {
        self.store = store
        self.table = table
        id = store.numbers.make()
        let directory = store.directory
        let folder = directory.partDirectory(table: table, slice: slice, shape: store.shape)
        path = directory.partPath(id, table: table, slice: slice, shape: store.shape)
        copies = copyToAllNodes ? directory.copyPaths(id, table: table, shape: store.shape) : []
        store.folders.use(table)
        do {
            try directory.fileSystem.makeDirectories(folder)
            file = try directory.fileSystem.open(path, .create)
        } catch {
            store.folders.release(table)
            throw error
        }
        nextOffset = Atomic(PartFormat.headLength)
    }

    deinit {
        if !isFinished.load(ordering: .relaxed) {
            for path in [path] + copies { store.directory.fileSystem.discard(path) }
        }
        store.folders.release(table)
    }

    /// Writes stored bytes somewhere in the file and says where.
    func write(_ bytes: UnsafeRawBufferPointer) throws -> Int {
        let offset = nextOffset.add(bytes.count, ordering: .relaxed).oldValue
        if bytes.count > 0 { try file.write(bytes, at: Int64(offset)) }
        return offset
    }

    /// Writes header and footer and makes the file durable; it may be read from now on.
    func finish(_ footer: PartFooter) throws -> Int {
        let head = PartFormat.head(id)
        try head.withUnsafeBytes { try file.write($0, at: 0) }
        let body = footer.encoded()
        guard body.count <= PartFormat.largestFooter else {
            throw SQLError(.limitExceeded, "a part's footer would exceed \(PartFormat.largestFooter) bytes")
        }
        var tail = BinaryWriter()
        tail.put(CRC32C.checksum(body))
        tail.put(UInt32(truncatingIfNeeded: body.count))
        tail.putChecksum()
        tail.put(raw: PartFormat.tailMagic)
        let start = nextOffset.load(ordering: .relaxed)
        let end = body + tail.bytes
        try end.withUnsafeBytes { try file.write($0, at: Int64(start)) }
        try makeDurable()
        return start + end.count
    }

    private func makeDurable() throws {
        let directory = store.directory
        if directory.synchronize { try file.synchronize() }
        for copy in copies {
            try directory.fileSystem.makeDirectories(FilePath.parent(copy))
            try directory.fileSystem.link(path, at: copy)
        }
        guard directory.synchronize else { return }
        for path in [path] + copies { try makeNameDurable(FilePath.parent(path)) }
    }

    /// The table's, the slice's and the node's directory may all be new, but only once.
    private func makeNameDurable(_ folder: String) throws {
        let fileSystem = store.directory.fileSystem
        try fileSystem.synchronizeDirectory(folder)
        if store.folders.isDurable(folder) { return }
        var parent = folder
        for _ in 0..<3 {
            parent = FilePath.parent(parent)
            try fileSystem.synchronizeDirectory(parent)
        }
        store.folders.setDurable(folder)
    }

    /// The finished file as one that can be read, removed with its last reference until a commit keeps it.
    func open(_ footer: PartFooter, dictionaries: [TextDictionary?], byteCount: Int) -> PartFile {
        let part = PartFile(
            path: path, copies: copies, footer: footer, dictionaries: dictionaries, byteCount: byteCount,
            fileSystem: store.directory.fileSystem, cache: store.cache, handle: nil,
            folders: store.folders)
        part.retire()
        isFinished.store(true, ordering: .relaxed)
        return part
    }
}
