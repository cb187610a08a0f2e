/// SUPER: a JSON value of up to 16 MB, in the binary form that ``SuperForm`` describes. Values stand in vectors as
/// strings whose bytes all count, as those of VARBYTE do; what they mean is asked of ``SuperView``.
extension TypeDescriptor {
    static let semistructured = TypeDescriptor(
        .semistructured, .semistructured, title: "super", keyword: "SUPER", catalogName: "super", names: ["super"],
        oid: 4000, wireSize: -1, binary: .document, storedTag: 19, loadName: "super", encodings: [.lzo, .zstd],
        textBytes: SQLType.maximumVarcharLength, usualBytes: 64)
}
