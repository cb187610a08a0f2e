import SQLTypes

/// One column's chunk of a row group in its inner encoding: what predicates and fetches run on.
///
/// The memory belongs to the block cache and stays put while the block is pinned. Every array is followed by at least
/// 128 readable bytes, so that vector loads may run past the end. Rows whose value is NULL hold some code that decodes
/// inside `minimum ... maximum`, so that decoding never needs to look at validity.
@frozen
package struct Block {
    @frozen
    package enum Form: UInt8, Sendable {
        /// Integers, booleans, dates, times, decimals up to 18 digits: value = base + code; `width` 0 (all values are
        /// `base`), 1, 2, 4 unsigned or 8 bytes a code. With width 8 `base` is 0 and the codes are Int64 values.
        /// `base` is 0 whenever that does not widen the code.
        case integer
        /// Decimals over 18 digits, intervals: Int128 values, width 16.
        case wide
        /// DOUBLE PRECISION and REAL: Double values, width 8.
        case float
        /// Strings: codes of `width` 0, 1 or 2 bytes into the part's ordered ``TextDictionary``; code = base + stored
        /// code.
        case dictionary
        /// Strings: the bytes of row i are heap[offsets[i] ..< offsets[i + 1]].
        case text
    }
    package var form: Form
    /// False: no value of the block ends in a blank, so plain byte comparison is right.
    package var hasTrailingBlanks: Bool
    package var width: Int32
    package var count: Int32
    package var nullCount: Int32
    /// The codes or values; unused for width 0 and text.
    package var data: UnsafeRawPointer
    package var base: Int64
    /// Exact bounds of the non-NULL values (form integer) or codes (form dictionary); 0 ... 0 when all are NULL.
    package var minimum: Int64
    package var maximum: Int64
    /// One byte a row, 1 = has a value; nil = no NULLs.
    package var validity: UnsafePointer<UInt8>?
    /// Form text: all bytes of the block, row after row (NULL rows are empty).
    package var heap: UnsafePointer<UInt8>?
    /// Form text: count + 1 offsets.
    package var offsets: UnsafePointer<UInt32>?

    package init(
        form: Form, hasTrailingBlanks: Bool, width: Int32, count: Int32, nullCount: Int32, data: UnsafeRawPointer,
        base: Int64, minimum: Int64, maximum: Int64, validity: UnsafePointer<UInt8>?,
        heap: UnsafePointer<UInt8>? = nil, offsets: UnsafePointer<UInt32>? = nil
    ) {
        self.form = form
        self.hasTrailingBlanks = hasTrailingBlanks
        self.width = width
        self.count = count
        self.nullCount = nullCount
        self.data = data
        self.base = base
        self.minimum = minimum
        self.maximum = maximum
        self.validity = validity
        self.heap = heap
        self.offsets = offsets
    }
}

package enum StorageLimits {
    /// Rows of a row group; positions inside one fit 16 bits.
    package static let rowGroupRows = 65_536
    /// Most entries of a dictionary: codes fit 16 bits.
    package static let dictionaryEntries = 65_536
    /// Readable bytes after every array of a block.
    package static let padding = 128
}
