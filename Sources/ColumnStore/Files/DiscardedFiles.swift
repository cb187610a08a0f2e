import Platform

/// Files that no commit names any more. What cannot be removed now does no harm: it is an orphan, and the next start
/// removes those (``WarehouseDirectory/removeOrphans(_:_:)``).
extension FileSystem {
    func discard(_ path: String) { try? remove(path) }
    func discardTree(_ path: String) { try? removeTree(path) }
}
