/// The words that UNLOAD knows, and which of them exclude each other.
enum UnloadOptionNames {
    static let formats: Set<String> = ["CSV", "PARQUET", "JSON"]
    static let compressions: Set<String> = ["GZIP", "BZIP2", "ZSTD"]
    static let all: Set<String> = formats.union(compressions).union(authorization).union([
        "DELIMITER", "FIXEDWIDTH", "ADDQUOTES", "ESCAPE", "NULL", "HEADER", "MANIFEST", "ENCRYPTED", "KMS_KEY_ID",
        "ALLOWOVERWRITE", "CLEANPATH", "PARALLEL", "MAXFILESIZE", "ROWGROUPSIZE", "EXTENSION",
    ])
    /// Nothing on a local disk needs them.
    static let authorization: Set<String> = [
        "IAM_ROLE", "CREDENTIALS", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "REGION",
        "MASTER_SYMMETRIC_KEY",
    ]

    /// Pairs that cannot stand in one statement.
    static let exclusions: [(String, String)] = {
        var pairs = [
            ("ALLOWOVERWRITE", "CLEANPATH"), ("FIXEDWIDTH", "DELIMITER"), ("FIXEDWIDTH", "HEADER"),
            ("FIXEDWIDTH", "ADDQUOTES"), ("FIXEDWIDTH", "ESCAPE"), ("KMS_KEY_ID", "MASTER_SYMMETRIC_KEY"),
        ]
        pairs += pairsOf("CSV", ["FIXEDWIDTH", "ADDQUOTES", "ESCAPE", "PARQUET", "JSON"])
        pairs += pairsOf("JSON", ["PARQUET", "DELIMITER", "FIXEDWIDTH", "ADDQUOTES", "ESCAPE", "NULL", "HEADER"])
        pairs += pairsOf(
            "PARQUET", ["DELIMITER", "FIXEDWIDTH", "ADDQUOTES", "ESCAPE", "NULL", "HEADER", "GZIP", "BZIP2", "ZSTD"])
        return pairs + pairsOf("GZIP", ["BZIP2", "ZSTD"]) + pairsOf("BZIP2", ["ZSTD"])
    }()
    private static func pairsOf(_ first: String, _ others: [String]) -> [(String, String)] {
        others.map { (first, $0) }
    }

    static func suggestion(for name: String) -> String? { CopyOptionNames.closest(to: name, among: all) }
}
