/// How a column's values are stored.
enum ParquetPhysical: Int, Sendable {
    case boolean, int32, int64, int96, float, double, byteArray, fixedByteArray

    var name: String {
        switch self {
        case .boolean: "boolean"
        case .int32: "int32"
        case .int64: "int64"
        case .int96: "int96"
        case .float: "float"
        case .double: "double"
        case .byteArray: "binary"
        case .fixedByteArray: "fixed_len_byte_array"
        }
    }
}

enum ParquetCodec: Int, Sendable {
    case uncompressed, snappy, gzip, lzo, brotli
    /// Blocks in Hadoop's frames, or bare ones.
    case lz4
    case zstd
    case lz4Raw
}

enum ParquetEncoding: Int, Sendable {
    case plain = 0
    case plainDictionary = 2
    case rle = 3
    case bitPacked = 4
    case deltaBinaryPacked = 5
    case deltaLengthByteArray = 6
    case deltaByteArray = 7
    case rleDictionary = 8
    case byteStreamSplit = 9
}

/// Parts of a second.
enum ParquetUnit: Int, Sendable, Hashable { case millis = 1, micros, nanos }

/// What a column's values mean, from the logical type or the older converted type.
enum ParquetLogical: Sendable, Hashable {
    case none
    /// STRING, ENUM, JSON, BSON, which is bytes for us.
    case string
    case uuid
    case float16
    case decimal(precision: Int, scale: Int)
    case date
    case time(ParquetUnit)
    case timestamp(ParquetUnit, isUTC: Bool)
    case integer(bits: Int, isSigned: Bool)
    case interval
    /// Only NULLs.
    case unknown
    case list
    case map

    /// As Parquet's tools print it.
    var name: String? {
        switch self {
        case .none: nil
        case .string: "UTF8"
        case .uuid: "UUID"
        case .float16: "FLOAT16"
        case .decimal(let precision, let scale): "DECIMAL(\(precision),\(scale))"
        case .date: "DATE"
        case .time(let unit): "TIME_\(unit)".uppercased()
        case .timestamp(let unit, _): "TIMESTAMP_\(unit)".uppercased()
        case .integer(let bits, let isSigned): "\(isSigned ? "INT" : "UINT")_\(bits)"
        case .interval: "INTERVAL"
        case .unknown: "NULL"
        case .list: "LIST"
        case .map: "MAP"
        }
    }
}
