import Catalog

/// Marks of tables' contents: two states of a table with one mark have the same rows. Only tables that materialized
/// views read have them. They are kept like the next values of IDENTITY columns, under a column that no table has.
extension IdentityKey {
    private static let markColumn: Int32 = -1

    package init(markOf table: ObjectID) { self.init(table: table, column: IdentityKey.markColumn) }
    var isMark: Bool { column == IdentityKey.markColumn }
}

extension StoreSnapshot {
    /// nil: nobody asks for the table's.
    package func mark(of table: ObjectID) -> Int64? { nextIdentity(IdentityKey(markOf: table)) }
}

extension Store {
    /// One that no table ever had.
    package func makeMark() -> Int64 { Int64(bitPattern: numbers.make().raw) }
}

extension StoreChange {
    /// Tables whose rows become others. Parts that take the place of others have the same rows.
    package var tablesWithOtherRows: Set<ObjectID> {
        let filled = added.filter { $0.rowCount > 0 }.map(\.table)
        let cut = deleted.filter { $0.value.values.contains { $0.count > 0 } }.map(\.key)
        return emptied.union(filled).union(cut).subtracting(removed.keys)
    }

    /// Marks the rows that come of a statement, so that later statements of its transaction can name them.
    package mutating func mark(over snapshot: StoreSnapshot, _ store: Store) {
        for table in tablesWithOtherRows where snapshot.mark(of: table) != nil {
            let key = IdentityKey(markOf: table)
            if identity[key] == nil { identity[key] = store.makeMark() }
        }
    }
}
