import Catalog

/// A change was worked out on an older state than the store's, and a later commit has touched the same rows or
/// definitions: it must be worked out again.
public struct StoreConflict: Error, Hashable {
    public var table: ObjectID
}
