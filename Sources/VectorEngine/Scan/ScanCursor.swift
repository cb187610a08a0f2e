import ColumnStore

/// One worker's place in a table: the row group it works on and the blocks it has pinned there. Blocks are pinned at
/// first use and released with the row group, so nothing that outlives a batch may point into them.
final class ScanCursor {
    private let columnIndexes: [Int]
    private let blocks: UnsafeMutablePointer<UnsafePointer<Block>?>
    private let dictionaries: [UnifiedDictionary?]
    let remaps: UnsafeMutablePointer<UnsafePointer<UInt16>?>
    private(set) var part: Part?
    private(set) var group = 0
    private(set) var partIndex = 0

    /// - Parameters:
    ///   - columnIndexes: the table's column of each scan slot.
    ///   - dictionaries: the unified dictionary of each slot that is read as codes.
    init(columnIndexes: [Int], dictionaries: [UnifiedDictionary?]) {
        self.columnIndexes = columnIndexes
        self.dictionaries = dictionaries
        blocks = .allocate(capacity: columnIndexes.count + 1)
        blocks.initialize(repeating: nil, count: columnIndexes.count + 1)
        remaps = .allocate(capacity: columnIndexes.count + 1)
        remaps.initialize(repeating: nil, count: columnIndexes.count + 1)
    }
    deinit {
        release()
        blocks.deallocate()
        remaps.deallocate()
    }

    func column(_ slot: Int) -> Int { columnIndexes[slot] }

    func move(to part: Part, index: Int, group: Int) {
        release()
        if self.part !== part {
            for slot in columnIndexes.indices { remaps[slot] = dictionaries[slot]?.remap(part: part) }
        }
        self.part = part
        partIndex = index
        self.group = group
    }

    func block(_ slot: Int) throws -> UnsafePointer<Block> {
        if let block = blocks[slot] { return block }
        guard let part else { throw ScanError.noRowGroup }
        let block = try part.pin(column: columnIndexes[slot], group: group)
        blocks[slot] = block
        return block
    }

    func release() {
        guard let part else { return }
        for slot in columnIndexes.indices where blocks[slot] != nil {
            part.unpin(column: columnIndexes[slot], group: group)
            blocks[slot] = nil
        }
    }
}

/// A fetch outside of a scan: a fault of the plan, never of data.
enum ScanError: Error { case noRowGroup }
