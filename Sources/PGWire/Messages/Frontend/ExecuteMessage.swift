/// `E`: runs a portal, up to a number of rows.
struct ExecuteMessage: Sendable {
    var portal: String
    /// 0 for all.
    var maximumRows: Int

    init(_ reader: inout MessageReader) throws {
        portal = try reader.string()
        maximumRows = max(0, Int(try reader.int32()))
    }
}
