import ColumnStore

/// One condition of a scan, evaluated on encoded blocks over a whole row group. Immutable after ``prepare(_:)``; shared
/// by all workers. A row passes only if the condition is true, never if it is NULL.
class ScanConjunct {
    enum Zone { case none, some, all }

    /// When a conjunct is evaluated: vectors of codes first, then random access, then searches in text.
    enum Rank: Int { case mask, bitmap, text, bloom }

    let slot: Int
    /// The table's column.
    let column: Int
    var rank: Rank { .mask }

    init(slot: Int, column: Int) {
        self.slot = slot
        self.column = column
    }

    /// Once, before the scan, with all parts that it will meet.
    func prepare(_ parts: [Part]) throws {}
    /// What the zone map says; never `all` when a NULL must fail.
    func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone { .some }
    /// mask[i] = 1 where row i passes (and was 1 before, with `combine`).
    func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {}
    /// Keeps the positions that pass; returns how many.
    func refine(_ cursor: ScanCursor, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int) throws -> Int { count }
}

/// NULL rows fail (or pass, where the condition is true for NULL), whatever their code says.
@inline(__always)
func applyValidity(
    _ block: UnsafePointer<Block>, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, nullsPass: Bool,
    _ previous: UnsafePointer<UInt8>?
) {
    guard let valid = block.pointee.validity else { return }
    if !nullsPass {
        andBytes(mask, valid, rows)
    } else if let previous {
        for i in 0..<rows { mask[i] = (mask[i] & valid[i]) | (previous[i] & (valid[i] ^ 1)) }
    } else {
        for i in 0..<rows { mask[i] = (mask[i] & valid[i]) | (valid[i] ^ 1) }
    }
}

/// Keeps positions whose row passes `test`, branch-free.
@inline(__always)
func refinePositions(
    _ positions: UnsafeMutablePointer<UInt16>, _ count: Int, _ test: (Int) -> Bool
) -> Int {
    var kept = 0
    for i in 0..<count {
        let row = positions[i]
        positions[kept] = row
        kept &+= b2i(test(Int(row)))
    }
    return kept
}
