import Glibc
import SQLTypes
import Warehouse

/// Says whether a result is the reference answer. Numbers must agree exactly at the smaller of the two scales; AVG and
/// division within 0.01 per cent or at that scale; text without trailing blanks. Rows that the query's ORDER BY leaves
/// equal may change places.
struct AnswerComparison {
    let answer: AnswerTable
    let orderColumns: [Int]
    let inexactColumns: Set<String>
    static let tolerance = 1e-4

    /// nil when it agrees, else the first difference.
    func difference(_ result: QueryResult) -> String? {
        guard result.columns.count == answer.columns.count else {
            return "\(result.columns.count) columns instead of \(answer.columns.count)"
        }
        guard result.rows.count == answer.rows.count else {
            return "\(result.rows.count) rows instead of \(answer.rows.count)"
        }
        let rows = result.rows.indices.map { row in
            result.columns.indices.map { result.text(row: row, column: $0) }
        }
        let numeric = result.columns.map { $0.type.isNumeric }
        for row in rows.indices {
            for column in orderColumns where !equal(rows[row][column], row, column, numeric) {
                return mismatch(rows[row], row, column)
            }
        }
        return unmatched(rows, numeric)
    }

    /// Every row needs a partner of its own. Nearly all find it at their own place.
    private func unmatched(_ rows: [[String?]], _ numeric: [Bool]) -> String? {
        var free = Set(answer.rows.indices)
        var searching: [Int] = []
        for row in rows.indices {
            if rowsEqual(rows[row], row, numeric) { free.remove(row) } else { searching.append(row) }
        }
        for row in searching {
            guard let partner = free.first(where: { rowsEqual(rows[row], $0, numeric) }) else {
                let column = rows[row].indices.first { !equal(rows[row][$0], row, $0, numeric) } ?? 0
                return mismatch(rows[row], row, column)
            }
            free.remove(partner)
        }
        return nil
    }

    private func rowsEqual(_ values: [String?], _ answerRow: Int, _ numeric: [Bool]) -> Bool {
        values.indices.allSatisfy { equal(values[$0], answerRow, $0, numeric) }
    }

    private func equal(_ value: String?, _ answerRow: Int, _ column: Int, _ numeric: [Bool]) -> Bool {
        guard let expected = answer.rows[answerRow][column], let value else {
            return answer.rows[answerRow][column] == nil && value == nil
        }
        if !numeric[column] {
            return AnswerComparison.withoutTrailingBlanks(value) == AnswerComparison.withoutTrailingBlanks(expected)
        }
        if inexactColumns.contains(answer.columns[column]) && AnswerComparison.close(value, expected) { return true }
        return AnswerComparison.equalAtSmallerScale(value, expected)
    }

    private func mismatch(_ values: [String?], _ row: Int, _ column: Int) -> String {
        "row \(row + 1), \(answer.columns[column]): \(values[column] ?? "NULL") instead of "
            + (answer.rows[row][column] ?? "NULL")
    }

    static func withoutTrailingBlanks(_ text: String) -> String {
        var text = text[...]
        while text.last == " " { text.removeLast() }
        return String(text)
    }

    static func close(_ a: String, _ b: String) -> Bool {
        guard let a = Double(a), let b = Double(b) else { return false }
        return abs(a - b) <= tolerance * max(abs(a), abs(b))
    }

    /// Plain decimal numbers, compared as integers at the scale of the one with fewer digits.
    static func equalAtSmallerScale(_ a: String, _ b: String) -> Bool {
        guard let first = DecimalNumber(a), let second = DecimalNumber(b) else { return close(a, b) }
        let scale = min(first.scale, second.scale)
        return first.rounded(to: scale) == second.rounded(to: scale)
    }
}

/// An unscaled integer and its scale.
struct DecimalNumber {
    var unscaled: Int128
    var scale: Int

    init?(_ text: String) {
        var digits = text.hasPrefix("-") ? String(text.dropFirst()) : text
        scale = 0
        if let point = digits.firstIndex(of: ".") {
            scale = digits.distance(from: point, to: digits.endIndex) - 1
            digits.remove(at: point)
        }
        guard digits.count <= 38, let value = Int128(digits) else { return nil }
        unscaled = text.hasPrefix("-") ? -value : value
    }

    /// Half away from zero.
    func rounded(to scale: Int) -> Int128 {
        var value = unscaled
        var drop = self.scale - scale
        guard drop > 0 else { return value }
        while drop > 1 {
            value /= 10
            drop -= 1
        }
        let last = value % 10
        return value / 10 + (last >= 5 ? 1 : last <= -5 ? -1 : 0)
    }
}
