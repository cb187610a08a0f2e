import BulkTransfer
import SQLSyntax
import SQLTypes

/// The statements that load files which were looked at.
struct ImportStatements {
    let create: String
    /// One for each of the files that the command names.
    let copies: [(file: String, text: String)]
    private let heading: String

    /// - Parameter table: as the user writes it; nil: after the first file.
    init(_ survey: FileSurvey, _ locations: [String], table: String?) {
        let parts = table.map { $0.split(separator: ".", maxSplits: 1).map(String.init) }
        let name = (parts ?? [ImportStatements.tableName(locations.first ?? "")]).map { SQLPrinter.quoted($0) }
            .joined(separator: ".")
        let columns = survey.columns.map { (SQLPrinter.quoted($0.name), $0.type.columnText) }
        let width = columns.map { Terminal.displayWidth($0.0) }.max() ?? 0
        let lines = columns.map { name, type in
            "    \(name)\(String(repeating: " ", count: width - Terminal.displayWidth(name)))  \(type)"
        }
        create = "CREATE TABLE \(name) (\n\(lines.joined(separator: ",\n"))\n)"
        let options = survey.options.map(ImportStatements.text).joined(separator: " ")
        copies = locations.map { ($0, "COPY \(name) FROM \(SQLPrinter.literal($0)) \(options)") }
        let seen = survey.isWhole ? "all" : "the first"
        heading =
            "-- \(survey.format), \(survey.columns.count) column\(survey.columns.count == 1 ? "" : "s"); types from "
            + "\(seen) \(DecimalFigure.grouped(survey.rows)) row\(survey.rows == 1 ? "" : "s")"
    }

    /// A script.
    var text: String {
        ([heading, create + ";"] + copies.map { $0.text + ";" }).joined(separator: "\n") + "\n"
    }

    /// `/data/Sales 2026.csv.gz` is sales_2026.
    private static func tableName(_ location: String) -> String {
        let path = location.split(separator: "/").last.map(String.init) ?? ""
        let stem = path.split(separator: ".", omittingEmptySubsequences: true).first.map(String.init) ?? ""
        let name = FileSurvey.name(stem)
        return name.isEmpty ? "imported" : name
    }

    private static func text(_ option: RawCopyOption) -> String {
        let values = option.values.map { value in
            switch value {
            // With backslashes as they are: COPY reads '\\t' itself.
            case .string(let text): "'\(text.replacing("'", with: "''"))'"
            case .number(let text), .word(let text): text
            }
        }
        let formats = ["JSON", "AVRO", "ORC", "PARQUET"]
        let name = formats.contains(option.name) ? "FORMAT AS \(option.name)" : option.name
        return ([name] + values).joined(separator: " ")
    }
}

extension SQLType {
    /// As people write it.
    fileprivate var columnText: String {
        switch self {
        case .varchar(let length): "VARCHAR(\(length))"
        case .char(let length): "CHAR(\(length))"
        case .decimal(let precision, let scale): "DECIMAL(\(precision),\(scale))"
        case .timestamp: "TIMESTAMP"
        case .timestamptz: "TIMESTAMPTZ"
        case .time: "TIME"
        case .timetz: "TIMETZ"
        default: description.uppercased()
        }
    }
}
