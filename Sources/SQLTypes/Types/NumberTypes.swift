/// BOOLEAN, the integers, NUMERIC and the floats.
extension TypeDescriptor {
    static let boolean = TypeDescriptor(
        .boolean, .boolean, title: "boolean", keyword: "BOOLEAN", catalogName: "bool", names: ["boolean", "bool"],
        oid: 16, wireSize: 1, binary: .boolean, storedTag: 0, loadName: "bool", encodings: [.runlength, .zstd],
        range: 0...1, textBytes: 5, usualBytes: 1)

    static let smallint = TypeDescriptor(
        .smallint, .integer, title: "smallint", keyword: "SMALLINT", catalogName: "int2", names: ["smallint", "int2"],
        oid: 21, wireSize: 2, binary: .int16, storedTag: 1, loadName: "int2", reasonName: "Short",
        encodings: [.az64, .bytedict, .delta, .lzo, .mostly8, .runlength, .zstd],
        range: Int128(Int16.min)...Int128(Int16.max), numericPrecision: 16, textBytes: 6, usualBytes: 2)

    static let integer = TypeDescriptor(
        .integer, .integer, title: "integer", keyword: "INTEGER", catalogName: "int4",
        names: ["integer", "int", "int4"], oid: 23, wireSize: 4, binary: .int32, storedTag: 2, loadName: "int4",
        reasonName: "Integer",
        encodings: [.az64, .bytedict, .delta, .delta32k, .lzo, .mostly8, .mostly16, .runlength, .zstd],
        range: Int128(Int32.min)...Int128(Int32.max), numericPrecision: 32, textBytes: 11, usualBytes: 4)

    static let bigint = TypeDescriptor(
        .bigint, .integer, title: "bigint", keyword: "BIGINT", catalogName: "int8", names: ["bigint", "int8"],
        oid: 20, wireSize: 8, binary: .int64, storedTag: 3, loadName: "int8", reasonName: "Long",
        encodings: [.az64, .bytedict, .delta, .delta32k, .lzo, .mostly8, .mostly16, .mostly32, .runlength, .zstd],
        range: Int128(Int64.min)...Int128(Int64.max), numericPrecision: 64, textBytes: 20, usualBytes: 8)

    static let decimal = TypeDescriptor(
        .defaultDecimal, .decimal, title: "numeric", keyword: "NUMERIC", catalogName: "numeric",
        names: ["decimal", "numeric", "dec"], modifiers: .precisionAndScale, oid: 1700, wireSize: -1,
        binary: .numeric, storedTag: 4, loadName: "numeric", reasonName: "Decimal",
        encodings: [.az64, .bytedict, .delta, .delta32k, .lzo, .mostly8, .mostly16, .mostly32, .runlength, .zstd])

    static let real = TypeDescriptor(
        .real, .float, title: "real", keyword: "REAL", catalogName: "float4", names: ["real", "float4"], oid: 700,
        wireSize: 4, binary: .float32, storedTag: 5, loadName: "float4", reasonName: "Float",
        encodings: [.bytedict, .runlength, .zstd], numericPrecision: 24, textBytes: 32, usualBytes: 4)

    static let double = TypeDescriptor(
        .double, .float, title: "double precision", keyword: "DOUBLE PRECISION", catalogName: "float8",
        names: ["double precision", "float8", "double"], oid: 701, wireSize: 8, binary: .float64, storedTag: 6,
        loadName: "float8", reasonName: "Double", encodings: [.bytedict, .runlength, .zstd], numericPrecision: 53,
        textBytes: 32, usualBytes: 8)
}
