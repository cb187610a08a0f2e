import Catalog
import ColumnVectors
import SQLTypes

/// Names a part for ever within a warehouse.
public struct PartID: Hashable, Sendable, Comparable {
    public let raw: UInt64
    public init(_ raw: UInt64) { self.raw = raw }
    public static func < (a: PartID, b: PartID) -> Bool { a.raw < b.raw }
}

/// Immutable rows of one slice, seen through one table definition: `column` is an index into its columns. A column that was
/// added after the part was written answers as constant NULL or its default.
public final class Part: Sendable {
    public let id: PartID
    public let slice: Int
    public let rowCount: Int
    public let rowGroupCount: Int
    /// True when the rows are in the order of the definition's compound sort key.
    public let isSorted: Bool
    /// Bytes on disk.
    public let byteCount: Int

    init() {
        id = PartID(0); slice = 0; rowCount = 0; rowGroupCount = 0; isSorted = false; byteCount = 0
    }
    public func rows(inGroup group: Int) -> Int { 0 }
    /// What is known of a block without reading it.
    public func zone(column: Int, group: Int) -> ZoneMap {
        ZoneMap(
            rowCount: 0, nullCount: 0, minimum: 0, maximum: 0, form: .integer, width: 0, hasTrailingBlanks: false)
    }
    /// The ordered dictionary of a string column whose blocks are all dictionary coded.
    public func dictionary(column: Int) -> TextDictionary? { nil }
    /// Name of the encoding in use, with AUTO resolved.
    public func encodingName(_ column: Int) -> String { "raw" }
    /// Bytes of the column on disk.
    public func byteCount(column: Int) -> Int { 0 }
    /// The block, loaded when needed; it stays in place until ``unpin(column:group:)``.
    public func pin(column: Int, group: Int) throws -> UnsafePointer<Block> {
        throw SQLError(.internalError, "not there yet")
    }
    public func unpin(column: Int, group: Int) {}
    /// One byte a row, 1 = deleted; nil = none.
    public func deletedRows(group: Int) -> UnsafePointer<UInt8>? { nil }
    /// Appends a row group's values in canonical form: for rewriting tables.
    public func decode(column: Int, group: Int, into buffer: ColumnBuffer) throws {}
}
