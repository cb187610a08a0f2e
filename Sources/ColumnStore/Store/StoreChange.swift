import Catalog
import SQLTypes

/// What one commit does, all or nothing. Order: tables are emptied, parts are removed, parts are added, rows are
/// deleted.
package struct StoreChange: Sendable {
    /// The new definitions; nil leaves the catalog as it is. Tables that it no longer names lose their parts.
    package var catalog: CatalogSnapshot?
    /// Fails with 40001 when the store's version is another one; nil commits on top of whatever is there.
    package var baseVersion: UInt64?
    /// TRUNCATE, or a rewrite together with `added`.
    package var emptied: Set<ObjectID> = []
    package var added: [WrittenParts] = []
    /// Parts that others of `added` replace.
    package var removed: [ObjectID: Set<PartID>] = [:]
    /// Rows that go, of parts of `base` or of `added`.
    var deleted: [ObjectID: [PartID: DeletedRows]] = [:]
    /// What the change was worked out on. Where the store is newer by now, the commit fails with ``StoreConflict`` if a
    /// table's part in the change no longer fits; nil where it fits any state.
    package var base: StoreSnapshot?
    /// Next values of IDENTITY columns.
    package var identity: [IdentityKey: Int64] = [:]
    /// Values that ADD COLUMN ... DEFAULT gives to rows written before.
    package var columnDefaults: [IdentityKey: Datum] = [:]
    package init() {}
}

/// A table's column by its stable ids.
package struct IdentityKey: Hashable, Sendable {
    package var table: ObjectID
    /// ``ColumnDefinition/id``.
    package var column: Int32
    package init(table: ObjectID, column: Int32) {
        self.table = table
        self.column = column
    }
}
