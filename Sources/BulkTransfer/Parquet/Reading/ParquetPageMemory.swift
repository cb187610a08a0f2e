import Platform

/// Memory of one worker's pages. Strings of a batch point into pages, so a page that is used up is kept until the batch
/// has been handed on. Confined to its worker.
final class ParquetPageMemory {
    private var retired: [Region] = []

    deinit { releaseRetired() }

    /// Followed by ``Region/padding`` readable bytes.
    func take(_ bytes: Int) throws -> Region { try MemoryRegions.shared.take(bytes: bytes) }

    /// Rows may still point to it.
    func retire(_ region: Region) { retired.append(region) }
    func release(_ region: Region) { MemoryRegions.shared.give(back: region) }

    /// No row points to used pages any more.
    func releaseRetired() {
        for region in retired { MemoryRegions.shared.give(back: region) }
        retired.removeAll(keepingCapacity: true)
    }
}
