/// CHAR, VARCHAR, and literals without a type.
extension TypeDescriptor {
    static let char = TypeDescriptor(
        .char(1), .char, title: "character", keyword: "CHAR", catalogName: "bpchar",
        names: ["char", "character", "nchar", "national character", "national char"],
        modifiers: .length(standard: 1, maximum: SQLType.maximumCharLength) { .char($0) }, oid: 1042, wireSize: -1,
        binary: .paddedText, storedTag: 7, loadName: "char", encodings: [.bytedict, .lzo, .runlength, .zstd])

    static let varchar = TypeDescriptor(
        .text, .varchar, title: "character varying", keyword: "VARCHAR", catalogName: "varchar",
        names: [
            "varchar", "character varying", "nvarchar", "national character varying", "national varchar",
            "char varying", "text",
        ], modifiers: .length(standard: 256, maximum: SQLType.maximumVarcharLength) { .varchar($0) }, oid: 1043,
        wireSize: -1, binary: .text, storedTag: 8, loadName: "varchar",
        encodings: [.bytedict, .lzo, .runlength, .text255, .text32k, .zstd])

    static let unknown = TypeDescriptor(
        .unknown, .unknown, title: "unknown", keyword: "VARCHAR", catalogName: "unknown", names: ["unknown"],
        oid: 705, wireSize: -2, binary: .text, storedTag: 15, loadName: "unknown", encodings: [], textBytes: 256,
        usualBytes: 16)
}
