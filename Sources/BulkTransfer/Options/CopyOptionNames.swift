/// The words that COPY knows, and which of them exclude each other.
enum CopyOptionNames {
    /// Handled by ``CopyOptions``.
    static let supported: Set<String> = [
        "DELIMITER", "CSV", "QUOTE", "FIXEDWIDTH", "GZIP", "ZSTD", "BZIP2", "LZOP", "MANIFEST", "REGION",
        "ACCEPTANYDATE",
        "ACCEPTINVCHARS", "BLANKSASNULL", "DATEFORMAT", "TIMEFORMAT", "EMPTYASNULL", "ENCODING", "ESCAPE",
        "EXPLICIT_IDS", "FILLRECORD", "IGNOREBLANKLINES", "IGNOREHEADER", "NULL", "REMOVEQUOTES", "ROUNDEC",
        "TRIMBLANKS", "TRUNCATECOLUMNS", "COMPROWS", "COMPUPDATE", "STATUPDATE", "MAXERROR", "IGNOREALLERRORS",
        "NOLOAD", "JSON", "AVRO", "ORC", "PARQUET", "SERIALIZETOJSON", "IAM_ROLE", "CREDENTIALS", "ACCESS_KEY_ID",
        "SECRET_ACCESS_KEY", "SESSION_TOKEN", "FORMAT", "ENCRYPTED", "MASTER_SYMMETRIC_KEY",
    ]
    /// Redshift has them, this version does not.
    static let unsupported: Set<String> = [
        "SHAPEFILE", "SSH", "READRATIO", "JOB", "SIMPLIFY",
    ]
    /// What to do without an option of ``unsupported``.
    static func hint(without name: String) -> String {
        switch name {
        case "SSH": "Copy the output of the hosts to files first."
        case "READRATIO": "DynamoDB tables cannot be loaded; export them to JSON files first."
        case "JOB": "Run COPY whenever files have come."
        default:
            "Delimited text, CSV, FIXEDWIDTH and JSON, also with GZIP, ZSTD, BZIP2 or LZOP, AVRO, ORC and PARQUET "
                + "can be loaded."
        }
    }
    static let authorization: Set<String> = [
        "IAM_ROLE", "CREDENTIALS", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION",
        "MASTER_SYMMETRIC_KEY", "ENCRYPTED",
    ]
    /// What may stand beside PARQUET.
    static let columnar: Set<String> = authorization.union([
        "PARQUET", "SERIALIZETOJSON", "ACCEPTINVCHARS", "FILLRECORD", "MANIFEST", "STATUPDATE", "EXPLICIT_IDS",
    ])
    /// Pairs that cannot stand in one statement.
    static let exclusions: [(String, String)] = [
        ("ORC", "CSV"), ("ORC", "JSON"), ("ORC", "AVRO"), ("ORC", "GZIP"), ("ORC", "ZSTD"), ("ORC", "BZIP2"),
        ("ORC", "LZOP"), ("ORC", "ENCODING"), ("ORC", "IGNOREHEADER"), ("ORC", "IGNOREALLERRORS"), ("ORC", "MAXERROR"),
        ("ORC", "DATEFORMAT"), ("ORC", "TIMEFORMAT"),
        ("CSV", "FIXEDWIDTH"), ("CSV", "REMOVEQUOTES"), ("CSV", "ESCAPE"), ("FIXEDWIDTH", "DELIMITER"),
        ("FIXEDWIDTH", "ESCAPE"), ("FIXEDWIDTH", "REMOVEQUOTES"), ("FIXEDWIDTH", "QUOTE"),
        ("IGNOREALLERRORS", "MAXERROR"), ("GZIP", "ZSTD"),
        ("AVRO", "CSV"), ("AVRO", "JSON"), ("AVRO", "GZIP"), ("AVRO", "ZSTD"), ("AVRO", "BZIP2"), ("AVRO", "LZOP"),
        ("AVRO", "ENCODING"), ("AVRO", "IGNOREHEADER"), ("GZIP", "BZIP2"), ("GZIP", "LZOP"), ("ZSTD", "BZIP2"),
        ("ZSTD", "LZOP"), ("BZIP2", "LZOP"),
    ]

    /// Options of text that has delimiters: formats with a structure of their own refuse them.
    static let textOnly = [
        "CSV", "QUOTE", "DELIMITER", "ESCAPE", "FILLRECORD", "FIXEDWIDTH", "IGNOREBLANKLINES", "NULL", "READRATIO",
        "REMOVEQUOTES",
    ]

    /// One name for each of the ways in which an option can be written.
    static func canonical(_ name: String) -> String {
        let upper = name.uppercased()
        switch upper {
        case "NULL AS": return "NULL"
        case "MAXERRORS": return "MAXERROR"
        case "DELIMITER AS", "QUOTE AS", "DATEFORMAT AS", "TIMEFORMAT AS", "IGNOREHEADER AS", "ENCODING AS",
            "MAXERROR AS", "ACCEPTINVCHARS AS", "CREDENTIALS AS", "FORMAT AS", "REGION AS", "JSON AS", "AVRO AS":
            return String(upper.dropLast(3))
        case "WITH CREDENTIALS", "WITH CREDENTIALS AS": return "CREDENTIALS"
        case "CSV QUOTE": return "QUOTE"
        default: return upper
        }
    }

    /// The known word closest to an unknown one, if it is close.
    static func suggestion(for name: String) -> String? { closest(to: name, among: supported.union(unsupported)) }

    static func closest(to name: String, among words: Set<String>) -> String? {
        let ranked = words.map { ($0, distance(Array(name.utf8.prefix(64)), Array($0.utf8))) }
        guard let best = ranked.min(by: { ($0.1, $0.0) < ($1.1, $1.0) }), best.1 <= max(1, name.utf8.count / 3)
        else { return nil }
        return best.0
    }

    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, byte) in left.enumerated() {
            var current = [row + 1]
            for (column, other) in right.enumerated() {
                let change = previous[column] + (byte == other ? 0 : 1)
                current.append(min(change, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
