import Catalog
import SQLTypes

/// What a stored text names.
enum ReferenceCodec {
    static func write(_ reference: ObjectReference, _ writer: inout BinaryWriter) {
        writer.put(reference.object.raw)
        writer.put(reference.schema)
        writer.put(reference.isQualified)
        writer.put(reference.name)
        writer.put(reference.columns) { writer, column in
            writer.put(column.id)
            writer.put(column.name)
            writer.put(column.isUsed)
        }
    }

    static func read(_ reader: inout BinaryReader) throws -> ObjectReference {
        ObjectReference(
            object: ObjectID(try reader.get()), schema: try reader.getString(), isQualified: try reader.getBool(),
            name: try reader.getString(),
            columns: try reader.getList {
                ObjectReference.Column(id: try $0.get(), name: try $0.getString(), isUsed: try $0.getBool())
            })
    }
}
