import SQLSyntax
import SQLTypes

/// Statements about kinds of objects that there are not: they are read, and refused with a hint that names the kind, so
/// that a script's author knows that the statement is right and what it is about.
package enum RefusedStatement {
    /// - Parameter tag: the words that name the command: `CREATE EXTERNAL TABLE`, `SHOW MODEL`.
    package static func error(_ tag: String, at position: SourcePosition) -> SQLError {
        let hint = kinds.first { tag.contains($0.words) }.map { "Redbarn has no \($0.plural)." }
        return SQLError(.featureNotSupported, "\(tag) is not supported", hint: hint, at: position)
    }

    /// What the words of a command are about. The first one that is in a tag counts: longer ones stand in front.
    private static let kinds: [(words: String, plural: String)] = [
        ("ASSUMEROLE", "roles of AWS IAM that are granted to users"), ("EXTERNAL FUNCTION", "external functions"),
        ("EXTERNAL MODEL", "external models"),
        ("EXTERNAL VIEW", "external views"), ("EXTERNAL SCHEMA", "external schemas"),
        ("EXTERNAL TABLE", "external tables"), ("ICEBERG TABLE", "Iceberg tables"), ("DATASHARE", "datashares"),
        ("IDENTITY PROVIDER", "identity providers"), ("MASKING", "masking policies"),
        ("RLS POLICY", "row-level security policies"), ("ROW LEVEL SECURITY", "row-level security policies"),
        ("MODEL", "machine learning models"), ("LIBRARY", "libraries"),
        ("PARTITION", "external tables"), ("SYSTEM SET", "settings of a system catalog"), ("INDEX", "indexes"),
        ("SEQUENCE", "sequences"), ("TRIGGER", "triggers"), ("EXTENSION", "extensions"), ("DOMAIN", "domains"),
        ("TYPE", "types made by users"), ("RULE", "rules"), ("AGGREGATE", "aggregates made by users"),
        ("OPERATOR", "operators made by users"), ("TABLESPACE", "tablespaces"), ("CAST", "casts made by users"),
        ("SERVER", "foreign servers"), ("CONVERSION", "conversions made by users"),
    ]
}
