import SQLTypes

/// Writes syntax trees as SQL text that parses to an equal tree: view definitions, SHOW, EXPLAIN filters.
///
/// Keywords are upper case, names are quoted only where they must be, parentheses only where precedence asks for them.
package struct SQLPrinter {
    var text = ""

    package static func print(_ statement: Statement) -> String {
        var printer = SQLPrinter()
        printer.write(statement)
        return printer.text
    }

    package static func print(_ expression: Expression) -> String {
        var printer = SQLPrinter()
        printer.write(expression, Precedence.or)
        return printer.text
    }

    package static func print(_ query: Query) -> String {
        var printer = SQLPrinter()
        printer.write(query)
        return printer.text
    }

    package static func print(_ type: ParsedTypeName) -> String {
        var printer = SQLPrinter()
        printer.write(type)
        return printer.text
    }

    /// The name, in quotes if it would not be read back as itself.
    package static func quoted(_ name: String) -> String {
        let bytes = Array(name.utf8)
        let isPlain =
            !bytes.isEmpty && (ASCII.isNameStart(bytes[0]) || bytes[0] == 35 && bytes.count > 1)
            && bytes.dropFirst().allSatisfy(ASCII.isNamePart) && !bytes.contains(where: ASCII.isUpper)
        if isPlain {
            let keyword = Keyword(rawValue: name) ?? .none
            if keyword == .none || keyword.category == .unreserved && !keyword.isContextual { return name }
        }
        return "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }

    /// A string literal.
    package static func literal(_ text: String) -> String { LiteralText.quoted(text) }

    mutating func write(_ part: String) { text += part }

    mutating func write(_ name: Identifier) { text += Self.quoted(name.text) }

    mutating func write(_ name: ObjectName) { list(name.parts, separator: ".") { $0.write($1) } }

    mutating func write(_ type: ParsedTypeName) {
        text += type.name
        if let qualifier = type.intervalQualifier {
            text += " "
            write(qualifier)
        }
        if !type.modifiers.isEmpty {
            let modifiers = "(" + type.modifiers.map { $0.map(String.init) ?? "MAX" }.joined(separator: ", ") + ")"
            // `timestamp(3) with time zone`: the number stands behind the first word.
            if let space = type.name.firstIndex(of: " "), type.name.hasPrefix("time") {
                text.removeLast(type.name.distance(from: space, to: type.name.endIndex))
                text += modifiers + type.name[space...]
            } else {
                text += modifiers
            }
        }
        for _ in 0..<type.arrayDepth { text += "[]" }
    }

    mutating func write(_ qualifier: IntervalQualifier) {
        text += Self.fieldName(qualifier.first)
        if qualifier.last != qualifier.first { text += " TO " + Self.fieldName(qualifier.last) }
        if let precision = qualifier.precision { text += "(\(precision))" }
    }

    private static func fieldName(_ field: IntervalField) -> String {
        switch field {
        case .year: "YEAR"
        case .month: "MONTH"
        case .day: "DAY"
        case .hour: "HOUR"
        case .minute: "MINUTE"
        case .second: "SECOND"
        }
    }

    mutating func list<Elements: Sequence>(
        _ elements: Elements, separator: String = ", ", _ body: (inout SQLPrinter, Elements.Element) -> Void
    ) {
        var isFirst = true
        for element in elements {
            if !isFirst { text += separator }
            isFirst = false
            body(&self, element)
        }
    }

    mutating func parenthesized(_ names: [Identifier]) {
        text += "("
        list(names) { $0.write($1) }
        text += ")"
    }

    /// ` (a, b)` if there are any.
    mutating func optional(_ names: [Identifier]) {
        guard !names.isEmpty else { return }
        text += " "
        parenthesized(names)
    }
}

extension Keyword {
    /// Unreserved words that some place of the grammar reads as a clause.
    var isContextual: Bool {
        switch self {
        case .exclude, .qualify, .connect, .start, .window, .fetch, .set, .over, .at, .lateral, .escape, .prior,
            .values, .approximate, .unknown, .range, .rows, .groups, .rollup, .cube, .grouping, .first, .last, .next,
            .with, .filter, .within, .if, .role, .predicate, .comprows, .boost, .public, .distkey, .sortkey,
            .diststyle, .stdin, .year, .month, .day, .hour, .minute, .second, .sets, .none, .local, .session, .work,
            .transaction:
            true
        default: false
        }
    }
}
