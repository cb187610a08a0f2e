/// `P`: a statement to prepare.
struct ParseMessage: Sendable {
    var name: String
    var sql: String
    /// Type OIDs of the first parameters; 0 where the client leaves it open.
    var parameterTypes: [Int32]

    init(_ reader: inout MessageReader) throws {
        name = try reader.string()
        sql = try reader.string()
        var types: [Int32] = []
        for _ in 0..<(try reader.count(ofAtLeast: 4)) { types.append(try reader.int32()) }
        parameterTypes = types
    }
}
