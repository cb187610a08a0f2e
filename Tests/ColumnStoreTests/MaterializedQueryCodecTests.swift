import Catalog
import Testing

@testable import ColumnStore

/// Materialized views in the stored catalog.
struct MaterializedQueryCodecTests {
    @Test func everythingComesBack() throws {
        var table = TableDefinition(
            id: ObjectID(100_010), schema: "public", name: "m",
            columns: [ColumnDefinition(id: 0, name: "a", type: .varchar(5))])
        table.columns[0].collation = .caseInsensitive
        var query = MaterializedQuery(
            query: "select a from t",
            references: [
                ObjectReference(
                    object: ObjectID(100_001), schema: "public", isQualified: false, name: "t",
                    columns: [.init(id: 3, name: "a", isUsed: true)])
            ], namesColumns: true, refreshesAutomatically: true, isBackedUp: false, isRepeatable: true)
        query.sources = [.init(table: ObjectID(100_001), mark: 77)]
        query.viewDigest = -5
        query.transaction = 1_234
        table.materialized = query
        var catalog = CatalogSnapshot()
        catalog.put(.table(table))
        var writer = BinaryWriter()
        CatalogCodec.write(catalog, &writer)
        var reader = BinaryReader(writer.bytes, file: "test")
        let read = try CatalogCodec.read(&reader)
        #expect(reader.isAtEnd)
        #expect(read == catalog)
        #expect(read.relation(id: table.id)?.kind == .materializedView)
    }
}
