/// `C`: lets go of a statement or portal.
struct CloseMessage: Sendable {
    var target: NamedTarget
    init(_ reader: inout MessageReader) throws { target = try NamedTarget(&reader, "CLOSE") }
}
