/// Text or binary, for all or for each: no code means text, one code stands for all.
struct FormatCodes: Sendable {
    private var codes: [Int16]

    static let text = FormatCodes([])

    init(_ codes: [Int16]) { self.codes = codes }

    init(_ reader: inout MessageReader) throws {
        var codes: [Int16] = []
        for _ in 0..<(try reader.count(ofAtLeast: 2)) {
            let code = try reader.int16()
            guard code == 0 || code == 1 else { throw ProtocolViolation.error("unsupported format code: \(code)") }
            codes.append(code)
        }
        self.codes = codes
    }

    func isBinary(_ index: Int) -> Bool {
        codes.count == 1 ? codes[0] == 1 : index < codes.count && codes[index] == 1
    }

    /// Whether the codes can stand for so many things.
    func covers(_ count: Int) -> Bool { codes.count <= 1 || codes.count == count }
    var count: Int { codes.count }
}
