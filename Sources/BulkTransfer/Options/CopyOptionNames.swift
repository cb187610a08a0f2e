/// The words that COPY knows, and which of them exclude each other.
enum CopyOptionNames {
    /// Handled by ``CopyOptions``.
    static let supported: Set<String> = [
        "DELIMITER", "CSV", "QUOTE", "FIXEDWIDTH", "GZIP", "ZSTD", "MANIFEST", "REGION", "ACCEPTANYDATE",
        "ACCEPTINVCHARS", "BLANKSASNULL", "DATEFORMAT", "TIMEFORMAT", "EMPTYASNULL", "ENCODING", "ESCAPE",
        "EXPLICIT_IDS", "FILLRECORD", "IGNOREBLANKLINES", "IGNOREHEADER", "NULL", "REMOVEQUOTES", "ROUNDEC",
        "TRIMBLANKS", "TRUNCATECOLUMNS", "COMPROWS", "COMPUPDATE", "STATUPDATE", "MAXERROR", "IGNOREALLERRORS",
        "NOLOAD", "IAM_ROLE", "CREDENTIALS", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "FORMAT",
        "PARQUET", "SERIALIZETOJSON",
    ]
    /// Redshift has them, this version does not.
    static let unsupported: Set<String> = [
        "JSON", "AVRO", "ORC", "SHAPEFILE", "BZIP2", "LZOP", "ENCRYPTED", "MASTER_SYMMETRIC_KEY", "SSH",
        "READRATIO", "JOB", "SIMPLIFY",
    ]
    static let authorization: Set<String> = [
        "IAM_ROLE", "CREDENTIALS", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION",
    ]
    /// What may stand beside PARQUET.
    static let columnar: Set<String> = authorization.union([
        "PARQUET", "SERIALIZETOJSON", "ACCEPTINVCHARS", "FILLRECORD", "MANIFEST", "STATUPDATE", "EXPLICIT_IDS",
    ])
    /// Pairs that cannot stand in one statement.
    static let exclusions: [(String, String)] = [
        ("CSV", "FIXEDWIDTH"), ("CSV", "REMOVEQUOTES"), ("CSV", "ESCAPE"), ("FIXEDWIDTH", "DELIMITER"),
        ("FIXEDWIDTH", "ESCAPE"), ("FIXEDWIDTH", "REMOVEQUOTES"), ("FIXEDWIDTH", "QUOTE"),
        ("IGNOREALLERRORS", "MAXERROR"), ("GZIP", "ZSTD"),
    ]

    /// One name for each of the ways in which an option can be written.
    static func canonical(_ name: String) -> String {
        let upper = name.uppercased()
        switch upper {
        case "NULL AS": return "NULL"
        case "MAXERRORS": return "MAXERROR"
        case "DELIMITER AS", "QUOTE AS", "DATEFORMAT AS", "TIMEFORMAT AS", "IGNOREHEADER AS", "ENCODING AS",
            "MAXERROR AS", "ACCEPTINVCHARS AS", "CREDENTIALS AS", "FORMAT AS", "REGION AS":
            return String(upper.dropLast(3))
        case "WITH CREDENTIALS", "WITH CREDENTIALS AS": return "CREDENTIALS"
        case "CSV QUOTE": return "QUOTE"
        default: return upper
        }
    }

    /// The known word closest to an unknown one, if it is close.
    static func suggestion(for name: String) -> String? {
        let ranked = supported.union(unsupported).map { ($0, distance(Array(name.utf8.prefix(64)), Array($0.utf8))) }
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
