import Catalog
import SQLTypes

/// Makes the table snapshots of a new commit and keeps those of tables that did not change.
struct SnapshotBuilder {
    let catalog: CatalogSnapshot
    let columnDefaults: [IdentityKey: Datum]
    let shape: ClusterShape
    let options: StoreOptions
    private(set) var tables: [ObjectID: TableSnapshot] = [:]

    init(
        catalog: CatalogSnapshot, columnDefaults: [IdentityKey: Datum], shape: ClusterShape, options: StoreOptions
    ) {
        self.catalog = catalog
        self.columnDefaults = columnDefaults
        self.shape = shape
        self.options = options
    }

    mutating func build(files: [ObjectID: [PartVersion]], reusing old: StoreSnapshot?) throws {
        for relation in catalog.allRelations {
            guard case .table(let definition) = relation else { continue }
            let parts = files[definition.id] ?? []
            var dictionaries: [Int: UnifiedDictionary?] = [:]
            if let same = old?.tables[definition.id], same.definition == definition,
                same.parts.count == parts.count, zip(same.parts, parts).allSatisfy({ $0.file === $1.file })
            {
                if zip(same.parts, parts).allSatisfy({ $0.deleted === $1.deleted }) {
                    tables[definition.id] = same
                    continue
                }
                dictionaries = same.knownDictionaries
            }
            var defaults: [Int32: Datum] = [:]
            for (key, value) in columnDefaults where key.table == definition.id { defaults[key.column] = value }
            tables[definition.id] = try TableSnapshot(
                definition: definition, files: parts, sliceCount: shape.slices, autoAllRows: options.autoAllRows,
                defaults: defaults, unified: dictionaries)
        }
    }
}
