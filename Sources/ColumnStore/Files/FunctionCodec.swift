import Catalog
import SQLTypes

/// A function's stored form.
enum FunctionCodec {
    static func write(_ function: FunctionDefinition, _ writer: inout BinaryWriter) {
        writer.put(function.id.raw)
        writer.put(function.schema)
        writer.put(function.name)
        writer.put(function.parameters) { TypeCodec.write($1, &$0) }
        TypeCodec.write(function.result, &writer)
        writer.put(function.volatility.rawValue)
        writer.put(function.body)
        writer.put(function.references) { ReferenceCodec.write($1, &$0) }
        writer.put(Int64(function.owner))
        writer.put(function.comment) { $0.put($1) }
    }

    static func read(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> FunctionDefinition {
        let id = ObjectID(try reader.get())
        let (schema, name) = (try reader.getString(), try reader.getString())
        let parameters = try reader.getList { try TypeCodec.read(&$0) }
        let result = try TypeCodec.read(&reader)
        guard let volatility = FunctionDefinition.Volatility(rawValue: try reader.getString()) else {
            throw reader.corrupted("unknown volatility")
        }
        return FunctionDefinition(
            id: id, schema: schema, name: name, parameters: parameters, result: result, volatility: volatility,
            body: try reader.getString(), references: try reader.getList { try ReferenceCodec.read(&$0) },
            owner: try owners.read(&reader), comment: try reader.getOptional { try $0.getString() })
    }
}
