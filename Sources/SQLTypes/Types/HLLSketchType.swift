/// HLLSKETCH: a HyperLogLog sketch of up to 24,580 bytes, in the binary form that ``HLLForm`` describes. Values stand
/// in vectors as strings whose bytes all count; nothing compares them, and what reads them checks every byte.
extension TypeDescriptor {
    static let hllsketch = TypeDescriptor(
        .hllsketch, .hllsketch, title: "hllsketch", keyword: "HLLSKETCH", catalogName: "hllsketch",
        names: ["hllsketch"], oid: 2935, wireSize: -1, binary: .sketch, storedTag: 20, loadName: "hllsketch",
        encodings: [], textBytes: SQLType.maximumVarcharLength, usualBytes: 2_048)
}
