import Catalog

/// The stored form of a database's definition; what is in it comes beside it.
enum DatabaseCodec {
    static func write(_ database: DatabaseDefinition, _ writer: inout BinaryWriter) {
        writer.put(database.id.raw)
        writer.put(database.name)
        writer.put(Int64(database.owner))
        writer.put(database.connectionLimit) { $0.put(Int64($1)) }
        writer.put(database.collation.rawValue)
        writer.put(database.isolation.rawValue)
        writer.put(database.comment) { $0.put($1) }
    }

    static func read(_ reader: inout BinaryReader) throws -> DatabaseDefinition {
        var database = DatabaseDefinition(
            id: ObjectID(try reader.get()), name: try reader.getString(), owner: Int(try reader.get(Int64.self)),
            connectionLimit: try reader.getOptional { Int(try $0.get(Int64.self)) })
        guard let collation = DatabaseDefinition.Collation(rawValue: try reader.getString()) else {
            throw reader.corrupted("unknown collation")
        }
        database.collation = collation
        database.isolation = try readIsolation(&reader)
        database.comment = try reader.getOptional { try $0.getString() }
        return database
    }

    static func readIsolation(_ reader: inout BinaryReader) throws -> IsolationLevel {
        guard let level = IsolationLevel(rawValue: try reader.getString()) else {
            throw reader.corrupted("unknown isolation level")
        }
        return level
    }
}
