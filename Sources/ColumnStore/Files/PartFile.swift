import ColumnVectors
import Platform
import SQLTypes
import Synchronization

/// An open part file: its footer, dictionaries, and the blocks that are in memory. Shared by all snapshots that name
/// the part; when the part is retired the file goes away with the last of them.
final class PartFile: @unchecked Sendable {  // raw memory is freed only in deinit
    let path: String
    let footer: PartFooter
    let byteCount: Int
    let rowCount: Int
    let columnCount: Int
    /// By group, then by column, like the slots.
    let zones: UnsafeMutablePointer<ZoneMap>
    let slots: BlockSlots
    let dictionaries: [TextDictionary?]
    private let descriptors: [BlockDescriptor]
    /// nil for a part in memory, all of whose blocks are there.
    private let disk: Disk?
    private let memory: BlockMemory?
    private let handle: Lock<(any OpenFile)?>
    private let retired = Atomic<Bool>(false)
    /// The file of its deleted rows, once it is retired. Set before `retired` is, by who makes the commit visible.
    private var deletedRowsPath: String?
    /// nil for parts in memory, of saved snapshots, and where nothing is ever removed.
    private let folders: TableFolders?
    /// Further copies (DISTSTYLE ALL on several nodes), removed together with the file.
    let copies: [String]

    private struct Disk {
        let fileSystem: any FileSystem
        let cache: BlockCache
    }

    /// One loader a block at a time; blocks share locks to keep parts small.
    private static let loadLocks = (0..<64).map { _ in Monitor() }

    convenience init(
        path: String, copies: [String], footer: PartFooter, dictionaries: [TextDictionary?], byteCount: Int,
        fileSystem: any FileSystem, cache: BlockCache, handle: (any OpenFile)?, folders: TableFolders?
    ) {
        self.init(
            path: path, copies: copies, footer: footer, dictionaries: dictionaries, byteCount: byteCount,
            disk: Disk(fileSystem: fileSystem, cache: cache), memory: nil, handle: handle, folders: folders)
    }

    /// A part in memory. Its blocks stay where they are.
    ///
    /// - Parameters:
    ///   - path: what messages call it.
    ///   - blocks: by column; there is one row group.
    ///   - memory: what they lie in.
    convenience init(
        path: String, footer: PartFooter, dictionaries: [TextDictionary?], blocks: [Block], memory: BlockMemory
    ) {
        self.init(
            path: path, copies: [], footer: footer, dictionaries: dictionaries, byteCount: memory.bytes, disk: nil,
            memory: memory, handle: nil, folders: nil)
        for (slot, block) in blocks.enumerated() { slots.publish(block, at: slot) }
    }

    private init(
        path: String, copies: [String], footer: PartFooter, dictionaries: [TextDictionary?], byteCount: Int,
        disk: Disk?, memory: BlockMemory?, handle: (any OpenFile)?, folders: TableFolders?
    ) {
        self.folders = folders
        folders?.use(footer.table)
        self.path = path
        self.copies = copies
        self.footer = footer
        self.byteCount = byteCount
        self.dictionaries = dictionaries
        self.disk = disk
        self.memory = memory
        self.handle = Lock(handle)
        rowCount = footer.rowCount
        let width = footer.columns.count
        columnCount = width
        let count = width * footer.groupRows.count
        slots = BlockSlots(count: count)
        zones = .allocate(capacity: max(count, 1))
        var descriptors: [BlockDescriptor] = []
        descriptors.reserveCapacity(count)
        for group in footer.groupRows.indices {
            for column in footer.columns { descriptors.append(column.blocks[group]) }
        }
        for (slot, descriptor) in descriptors.enumerated() { (zones + slot).initialize(to: descriptor.zone) }
        self.descriptors = descriptors
    }

    deinit {
        disk?.cache.forget(owner: owner)
        slots.deallocate()
        zones.deallocate()
        if retired.load(ordering: .relaxed) { removeFiles() }
        folders?.release(footer.table)
    }

    private var owner: UInt { UInt(bitPattern: slots.pins) }

    /// The file is no longer named by any commit: it goes when the last snapshot does.
    ///
    /// - Parameter deletedRows: the file that the last superblock names for its deleted rows.
    func retire(deletedRows: String? = nil) {
        deletedRowsPath = deletedRows
        retired.store(true, ordering: .relaxed)
    }
    func keep() { retired.store(false, ordering: .relaxed) }

    private func removeFiles() {
        // What cannot be removed now is an orphan at the next start, and removed there.
        for path in [path] + copies + (deletedRowsPath.map { [$0] } ?? []) { disk?.fileSystem.discard(path) }
    }

    /// The block of a slot that was not in memory, pinned.
    func load(slot: Int) throws -> UnsafePointer<Block> {
        let lock = PartFile.loadLocks[(slot &+ Int(bitPattern: slots.pins) / 64) & 63]
        lock.lock()
        defer { lock.unlock() }
        if let block = slots.tryPin(slot) { return block }
        let descriptor = descriptors[slot]
        let layout = BlockLayout(descriptor)
        guard let cache = disk?.cache else { throw damaged(slot % columnCount, "a block in memory is gone") }
        let memory = try cache.allocate(layout.totalBytes)
        do {
            try readRaw(descriptor, column: slot % columnCount, into: memory.address)
            try publish(slot: slot, layout, memory, cache)
        } catch {
            cache.discard(memory)
            throw error
        }
        return UnsafePointer(slots.blocks + slot)
    }

    private func publish(
        slot: Int, _ layout: BlockLayout, _ memory: CacheArena.Allocation, _ cache: BlockCache
    ) throws {
        let column = slot % columnCount
        let entries = dictionaries[column]?.count ?? 0
        guard let block = layout.materialize(descriptors[slot], at: memory.address, dictionaryCount: entries) else {
            throw damaged(column, "values contradict the block's description")
        }
        slots.publish(block, at: slot)
        cache.insert(
            BlockCache.Resident(
                owner: owner, pins: slots.pins + slot, touched: slots.touched + slot, memory: memory))
    }

    private func damaged(_ column: Int, _ what: String) -> SQLError {
        PartReader.damaged(path, column: footer.columns[column].id, what)
    }

    private func readRaw(_ block: BlockDescriptor, column: Int, into target: UnsafeMutableRawPointer) throws {
        if block.storedLength == 0 && block.rawLength == 0 { return }
        let file = try opened()
        try PartReader.readPiece(
            file, offset: block.offset, storedLength: block.storedLength, rawLength: block.rawLength,
            outer: block.outer, checksum: block.checksum, column: footer.columns[column].id, into: target)
    }

    private func opened() throws -> any OpenFile {
        try handle.withLock { handle in
            if let handle { return handle }
            do {
                guard let disk else { throw damaged(0, "it has no file") }
                let file = try disk.fileSystem.open(path, .read)
                handle = file
                return file
            } catch {
                throw SQLError(error)
            }
        }
    }
}
