import Catalog
import SQLTypes

/// A copy job's stored form.
enum CopyJobCodec {
    static func write(_ job: CopyJobDefinition, _ writer: inout BinaryWriter) {
        writer.put(job.id.raw)
        writer.put(job.schema)
        writer.put(job.name)
        writer.put(job.table.raw)
        writer.put(job.record.raw)
        writer.put(job.source)
        writer.put(job.text)
        writer.put(job.isAutomatic)
        writer.put(job.createdMicroseconds)
        writer.put(job.references) { ReferenceCodec.write($1, &$0) }
        writer.put(Int64(job.owner))
        writer.put(job.comment) { $0.put($1) }
    }

    static func read(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> CopyJobDefinition {
        let id = ObjectID(try reader.get())
        let (schema, name) = (try reader.getString(), try reader.getString())
        let (table, record) = (ObjectID(try reader.get()), ObjectID(try reader.get()))
        let (source, text) = (try reader.getString(), try reader.getString())
        return CopyJobDefinition(
            id: id, schema: schema, name: name, table: table, record: record, source: source, text: text,
            isAutomatic: try reader.getBool(), createdMicroseconds: try reader.get(),
            references: try reader.getList { try ReferenceCodec.read(&$0) }, owner: try owners.read(&reader),
            comment: try reader.getOptional { try $0.getString() })
    }
}
