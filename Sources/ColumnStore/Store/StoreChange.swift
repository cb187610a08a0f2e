import Catalog
import SQLTypes

/// What one commit does, all or nothing. Order: tables are emptied, parts are removed, parts are added, rows are
/// deleted.
public struct StoreChange: Sendable {
    /// The new definitions; nil leaves the catalog as it is. Tables that it no longer names lose their parts.
    public var catalog: CatalogSnapshot?
    /// Fails with 40001 when the store's version is another one; nil commits on top of whatever is there.
    public var baseVersion: UInt64?
    /// TRUNCATE, or a rewrite together with `added`.
    public var emptied: Set<ObjectID> = []
    public var added: [WrittenParts] = []
    /// Parts that others of `added` replace.
    public var removed: [ObjectID: Set<PartID>] = [:]
    /// Rows that go, of parts of `base` or of `added`.
    var deleted: [ObjectID: [PartID: DeletedRows]] = [:]
    /// What the change was worked out on. Where the store is newer by now, the commit fails with ``StoreConflict`` if a
    /// table's part in the change no longer fits; nil where it fits any state.
    public var base: StoreSnapshot?
    /// Next values of IDENTITY columns.
    public var identity: [IdentityKey: Int64] = [:]
    /// Values that ADD COLUMN ... DEFAULT gives to rows written before.
    public var columnDefaults: [IdentityKey: Datum] = [:]
    public init() {}
}

/// A table's column by its stable ids.
public struct IdentityKey: Hashable, Sendable {
    public var table: ObjectID
    /// ``ColumnDefinition/id``.
    public var column: Int32
    public init(table: ObjectID, column: Int32) {
        self.table = table
        self.column = column
    }
}
