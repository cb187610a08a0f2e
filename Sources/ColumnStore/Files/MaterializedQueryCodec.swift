import Catalog
import SQLTypes

/// The stored form of what a materialized view has beside its table.
enum MaterializedQueryCodec {
    static func write(_ query: MaterializedQuery, _ writer: inout BinaryWriter) {
        writer.put(query.query)
        writer.put(query.references) { ReferenceCodec.write($1, &$0) }
        writer.put(query.namesColumns)
        writer.put(query.refreshesAutomatically)
        writer.put(query.isBackedUp)
        writer.put(query.isRepeatable)
        writer.put(query.sources) { writer, source in
            writer.put(source.table.raw)
            writer.put(source.mark)
        }
        writer.put(query.viewDigest)
        writer.put(query.transaction)
    }

    static func read(_ reader: inout BinaryReader) throws -> MaterializedQuery {
        var query = MaterializedQuery(
            query: try reader.getString(), references: try reader.getList { try ReferenceCodec.read(&$0) },
            namesColumns: try reader.getBool(), refreshesAutomatically: try reader.getBool(),
            isBackedUp: try reader.getBool(), isRepeatable: try reader.getBool())
        query.sources = try reader.getList {
            MaterializedQuery.Source(table: ObjectID(try $0.get()), mark: try $0.get())
        }
        query.viewDigest = try reader.get()
        query.transaction = try reader.get()
        return query
    }
}
