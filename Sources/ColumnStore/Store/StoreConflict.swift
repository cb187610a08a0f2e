import Catalog

/// A change was worked out on an older state than the store's, and a later commit has touched the same rows or
/// definitions: it must be worked out again.
package struct StoreConflict: Error, Hashable {
    package var table: ObjectID
}
