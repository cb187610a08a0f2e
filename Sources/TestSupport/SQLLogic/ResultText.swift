import SQLTypes
import Warehouse

/// Results as the lines that scripts expect: one line per row, columns parted by `|`, values as psql shows them.
package enum ResultText {
    /// NULL is `NULL`, an empty text `(empty)`; texts that begin or end with a blank, or look like either of these, are
    /// in double quotes; control characters and backslashes are written with a backslash.
    package static func value(_ text: String?) -> String {
        guard let text else { return "NULL" }
        if text.isEmpty { return "(empty)" }
        var output = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case "\0": output += "\\0"
            case "\\": output += "\\\\"
            default: output.unicodeScalars.append(scalar)
            }
        }
        let needsQuotes = output.hasPrefix(" ") || output.hasSuffix(" ") || output == "NULL" || output == "(empty)"
        return needsQuotes ? "\"\(output)\"" : output
    }

    package static func lines(
        _ result: QueryResult, zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres
    ) -> [String] {
        result.rows.map { row in
            zip(row, result.columns).map { value($0.text(type: $1.type, zone: zone, intervals: intervals)) }
                .joined(separator: "|")
        }
    }

    /// The letter of a type in a query's header.
    package static func letter(_ type: SQLType) -> Character {
        switch type {
        case .boolean: "B"
        case .smallint, .integer, .bigint: "I"
        case .decimal: "N"
        case .real, .double: "R"
        case .date: "D"
        case .time, .timetz: "M"
        case .timestamp: "S"
        case .timestamptz: "Z"
        case .interval, .yearMonthInterval, .dayTimeInterval: "V"
        default: "T"
        }
    }

    package static func letters(_ result: QueryResult) -> String { String(result.columns.map { letter($0.type) }) }

    /// Lines in the order in which they are compared.
    package static func sorted(_ lines: [String], _ sorting: QueryExpectation.Sorting) -> [String] {
        switch sorting {
        case .nosort: lines
        case .rowsort: lines.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        case .valuesort:
            lines.flatMap { $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init) }
                .sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        }
    }

    /// Results beyond this many lines are kept as a hash.
    package static let hashThreshold = 200

    package static func digest(_ lines: [String]) -> String {
        var bytes: [UInt8] = []
        for line in lines { bytes += Array(line.utf8) + [10] }
        return "\(lines.count) rows hashing to \(MessageDigest5.hexadecimal(bytes))"
    }
}
