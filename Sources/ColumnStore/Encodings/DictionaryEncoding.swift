import SQLTypes

/// Form dictionary: codes of the part's ordered dictionary, stored like integers. Order of codes is SQL order.
enum DictionaryEncoding {
    static func encode(
        _ codes: UnsafeMutablePointer<UInt16>, validity: UnsafePointer<UInt8>?, count: Int, nullCount: Int,
        hasTrailingBlanks: Bool, into raw: UnsafeMutableRawPointer
    ) -> BlockDescriptor {
        var block = IntegerEncoding.encode(
            codes, validity: validity, count: count, nullCount: nullCount, into: raw)
        block.form = .dictionary
        block.hasTrailingBlanks = hasTrailingBlanks
        return block
    }

    /// Whether codes are worth it for so many rows with so many distinct strings of so many bytes together.
    static func isWorthwhile(rows: Int, distinct: Int, dictionaryBytes: Int) -> Bool {
        if distinct > StorageLimits.dictionaryEntries { return false }
        if rows < 1_000 || distinct <= 256 { return true }
        return distinct <= rows / 4 || (distinct <= rows / 3 * 2 && dictionaryBytes < 64 << 10)
    }
}
