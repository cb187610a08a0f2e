import ColumnStore
import Glibc

/// IS NULL and IS NOT NULL, from zone maps and validity alone.
final class NullConjunct: ScanConjunct {
    private let wantsNull: Bool

    init(slot: Int, column: Int, wantsNull: Bool) {
        self.wantsNull = wantsNull
        super.init(slot: slot, column: column)
    }
    override func zone(_ part: Part, _ index: Int, _ group: Int) -> Zone {
        let zone = part.zone(column: column, group: group)
        let nulls = wantsNull ? zone.nullCount : zone.rowCount - zone.nullCount
        return nulls == 0 ? .none : nulls == zone.rowCount ? .all : .some
    }
    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let block = try cursor.block(slot)
        guard let valid = block.pointee.validity else {
            if wantsNull { memset(mask, 0, rows) } else if !combine { memset(mask, 1, rows) }
            return
        }
        let flip: UInt8 = wantsNull ? 1 : 0
        if combine {
            for i in 0..<rows { mask[i] &= valid[i] ^ flip }
        } else {
            for i in 0..<rows { mask[i] = valid[i] ^ flip }
        }
    }
}
