/// What a materialized view is beside the table that keeps its rows: see ``TableDefinition/materialized``.
package struct MaterializedQuery: Hashable, Sendable {
    /// A table that the query reads, and the mark that its rows had when they were read last. Every change of a marked
    /// table's rows gives it another mark, which no rows had before.
    package struct Source: Hashable, Sendable {
        package var table: ObjectID
        package var mark: Int64
        package init(table: ObjectID, mark: Int64) {
            self.table = table
            self.mark = mark
        }
    }

    /// The SELECT text.
    @ExactText package var query: String
    /// What it reads: DROP of it needs CASCADE.
    package var references: [ObjectReference]
    /// The statement gave its columns names of their own.
    package var namesColumns: Bool
    /// AUTO REFRESH YES.
    package var refreshesAutomatically: Bool
    /// BACKUP YES.
    package var isBackedUp: Bool
    /// The same tables always give the same rows. Otherwise every refresh computes them anew.
    package var isRepeatable: Bool
    /// By table. As of the last refresh, as are the rest.
    package var sources: [Source] = []
    /// Of the texts of the views that the query reads.
    package var viewDigest: Int64 = 0
    /// Of the transaction.
    package var transaction: Int64 = 0

    package init(
        query: String, references: [ObjectReference], namesColumns: Bool, refreshesAutomatically: Bool,
        isBackedUp: Bool, isRepeatable: Bool
    ) {
        self.query = query
        self.references = references
        self.namesColumns = namesColumns
        self.refreshesAutomatically = refreshesAutomatically
        self.isBackedUp = isBackedUp
        self.isRepeatable = isRepeatable
    }
}

extension TableDefinition {
    /// A materialized view as a view of its text; nil for other tables.
    package var materializedText: ViewDefinition? {
        materialized.map {
            ViewDefinition(
                id: id, schema: schema, name: name, columnNames: columns.map(\.name), query: $0.query,
                isLateBinding: false, references: $0.references, owner: owner)
        }
    }
}

extension CatalogSnapshot {
    /// Views, functions and what else the references lead to, to any depth; a materialized view is where it ends.
    package func objects(behind references: [ObjectReference]) -> [CatalogObject] {
        var found: [CatalogObject] = []
        var seen: Set<ObjectID> = []
        var open = references.map(\.object)
        while let id = open.popLast() {
            guard seen.insert(id).inserted, let object = object(id: id) else { continue }
            found.append(object)
            if object.kind != .materializedView { open += object.references.map(\.object) }
        }
        return found
    }

    /// FNV-1a of the views' texts: another after CREATE OR REPLACE of one of them.
    package func viewDigest(of references: [ObjectReference]) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for object in objects(behind: references).sorted(by: { $0.id < $1.id }) {
            guard case .relation(.view(let view)) = object else { continue }
            for byte in view.query.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
            hash = (hash ^ 0xff) &* 0x100_0000_01b3
        }
        return Int64(bitPattern: hash)
    }
}
