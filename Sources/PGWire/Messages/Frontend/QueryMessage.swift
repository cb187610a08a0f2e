/// `Q`: statements of a simple query.
struct QueryMessage: Sendable {
    var sql: String
    init(_ reader: inout MessageReader) throws { sql = try reader.string() }
}
