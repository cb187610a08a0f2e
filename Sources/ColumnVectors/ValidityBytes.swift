/// How NULL is marked in vectors and buffers: one byte a row beside the values, 1 for a value and 0 for NULL, and no
/// bytes at all (a nil pointer) where no row is NULL. Values of NULL rows are undefined but harmless to compute with:
/// integers and floats are readable, string views of NULL rows must not be followed. Bytes other than 0 and 1 never
/// occur, so masks combine with `&` and counts are sums.
public enum ValidityBytes {
    public static let null: UInt8 = 0
    public static let valid: UInt8 = 1

    /// How many of the rows are NULL.
    @inlinable
    public static func nullCount(_ validity: UnsafePointer<UInt8>?, _ count: Int) -> Int {
        guard let validity else { return 0 }
        var valid = 0
        for row in 0..<count { valid &+= Int(validity[row]) }
        return count &- valid
    }
}
