/// What the part's footer knows of a block: decides whether to read it at all. Conditions ask it in the engine's
/// `Scan/` (`ScanConjunct`).
@frozen
package struct ZoneMap: Sendable {
    package var rowCount: Int32
    package var nullCount: Int32
    /// Form integer and dictionary (codes of the part's dictionary): exact bounds of non-NULL values. Otherwise unused.
    package var minimum: Int64
    package var maximum: Int64
    package var form: Block.Form
    package var width: Int8
    package var hasTrailingBlanks: Bool
    package init(
        rowCount: Int32, nullCount: Int32, minimum: Int64, maximum: Int64, form: Block.Form, width: Int8,
        hasTrailingBlanks: Bool
    ) {
        self.rowCount = rowCount
        self.nullCount = nullCount
        self.minimum = minimum
        self.maximum = maximum
        self.form = form
        self.width = width
        self.hasTrailingBlanks = hasTrailingBlanks
    }
}
