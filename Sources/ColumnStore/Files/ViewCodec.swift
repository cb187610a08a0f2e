import Catalog
import SQLTypes

/// A view's stored form.
enum ViewCodec {
    static func write(_ view: ViewDefinition, _ writer: inout BinaryWriter) {
        writer.put(view.id.raw)
        writer.put(view.schema)
        writer.put(view.name)
        writer.put(view.columnNames) { $0.put($1) }
        writer.put(view.query)
        writer.put(view.isLateBinding)
        writer.put(view.references) { ReferenceCodec.write($1, &$0) }
        writer.put(Int64(view.owner))
        writer.put(view.comment) { $0.put($1) }
        writer.put(view.columnComments.sorted { $0.key < $1.key }) { writer, comment in
            writer.put(Int32(truncatingIfNeeded: comment.key))
            writer.put(comment.value)
        }
    }

    static func read(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> ViewDefinition {
        var view = try readDefinition(&reader, &owners) { try ReferenceCodec.read(&$0) }
        view.columnComments = try readComments(&reader)
        return view
    }

    /// As before references were recorded: ids of what the view reads.
    static func readOlder(
        _ reader: inout BinaryReader, _ owners: inout StoredOwners, hasComments: Bool
    ) throws -> ViewDefinition {
        var view = try readDefinition(&reader, &owners) {
            ObjectReference(unnamed: ObjectID(try $0.get()))
        }
        if hasComments { view.columnComments = try readComments(&reader) }
        return view
    }

    private static func readDefinition(
        _ reader: inout BinaryReader, _ owners: inout StoredOwners,
        _ reference: (inout BinaryReader) throws -> ObjectReference
    ) throws -> ViewDefinition {
        ViewDefinition(
            id: ObjectID(try reader.get()), schema: try reader.getString(), name: try reader.getString(),
            columnNames: try reader.getList { try $0.getString() }, query: try reader.getString(),
            isLateBinding: try reader.getBool(), references: try reader.getList(reference),
            owner: try owners.read(&reader), comment: try reader.getOptional { try $0.getString() })
    }

    private static func readComments(_ reader: inout BinaryReader) throws -> [Int: String] {
        let comments = try reader.getList { (Int(try $0.get(Int32.self)), try $0.getString()) }
        return Dictionary(comments, uniquingKeysWith: { _, last in last })
    }
}
