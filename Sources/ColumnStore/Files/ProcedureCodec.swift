import Catalog
import SQLTypes

/// A procedure's stored form.
enum ProcedureCodec {
    static func write(_ procedure: ProcedureDefinition, _ writer: inout BinaryWriter) {
        writer.put(procedure.id.raw)
        writer.put(procedure.schema)
        writer.put(procedure.name)
        writer.put(procedure.parameters) { writer, parameter in
            writer.put(parameter.name) { $0.put($1) }
            writer.put(parameter.mode.rawValue)
            TypeCodec.write(parameter.type, &writer)
            writer.put(parameter.isCursor)
        }
        writer.put(procedure.isDefiner)
        writer.put(procedure.isNonatomic)
        writer.put(procedure.settings) { writer, setting in
            writer.put(setting.name)
            writer.put(setting.value)
        }
        writer.put(procedure.body)
        writer.put(Int64(procedure.owner))
        writer.put(procedure.comment) { $0.put($1) }
    }

    static func read(_ reader: inout BinaryReader, _ owners: inout StoredOwners) throws -> ProcedureDefinition {
        ProcedureDefinition(
            id: ObjectID(try reader.get()), schema: try reader.getString(), name: try reader.getString(),
            parameters: try reader.getList { try readParameter(&$0) }, isDefiner: try reader.getBool(),
            isNonatomic: try reader.getBool(),
            settings: try reader.getList {
                ProcedureDefinition.Setting(name: try $0.getString(), value: try $0.getString())
            },
            body: try reader.getString(), owner: try owners.read(&reader),
            comment: try reader.getOptional { try $0.getString() })
    }

    private static func readParameter(_ reader: inout BinaryReader) throws -> ProcedureDefinition.Parameter {
        let name = try reader.getOptional { try $0.getString() }
        guard let mode = ProcedureDefinition.Parameter.Mode(rawValue: try reader.get(UInt8.self)) else {
            throw reader.corrupted("unknown mode of a parameter")
        }
        return ProcedureDefinition.Parameter(
            name: name, mode: mode, type: try TypeCodec.read(&reader), isCursor: try reader.getBool())
    }
}
