/// `B`: a prepared statement with values becomes a portal.
struct BindMessage: Sendable {
    var portal: String
    var statement: String
    var parameterFormats: FormatCodes
    /// nil for NULL.
    var values: [[UInt8]?]
    var resultFormats: FormatCodes

    init(_ reader: inout MessageReader) throws {
        portal = try reader.string()
        statement = try reader.string()
        parameterFormats = try FormatCodes(&reader)
        var values: [[UInt8]?] = []
        for _ in 0..<(try reader.count(ofAtLeast: 4)) { values.append(try reader.value()) }
        self.values = values
        resultFormats = try FormatCodes(&reader)
    }
}
