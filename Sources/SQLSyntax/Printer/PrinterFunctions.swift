/// Calls, windows, ORDER BY.
extension SQLPrinter {
    mutating func write(_ call: FunctionCall) {
        switch call.form {
        case .niladic: return writeNiladic(call)
        case .positionIn where call.arguments.count == 2:
            text += "POSITION("
            write(call.arguments[1], Precedence.other)
            text += " IN "
            write(call.arguments[0])
            text += ")"
            return
        default: break
        }
        if call.name.parts.count == 1, call.name.name == "overlaps", call.arguments.count == 4 {
            return writeOverlaps(call)
        }
        if call.form == .approximate { text += "APPROXIMATE " }
        writeFunctionName(call.name)
        text += "("
        if call.isDistinct { text += "DISTINCT " }
        if call.isStar { text += "*" }
        write(call.arguments)
        orderBy(call.orderBy)
        text += ")"
        writeSuffixes(call)
    }

    private mutating func writeOverlaps(_ call: FunctionCall) {
        text += "ROW("
        write(Array(call.arguments[..<2]))
        text += ") OVERLAPS ROW("
        write(Array(call.arguments[2...]))
        text += ")"
    }

    private mutating func writeNiladic(_ call: FunctionCall) {
        text += TokenText.uppered(call.name.name)
        if !call.arguments.isEmpty {
            text += "("
            write(call.arguments)
            text += ")"
        }
    }

    /// Words such as LEFT name functions without quotes.
    private mutating func writeFunctionName(_ name: ObjectName) {
        let keyword = Keyword(rawValue: name.name) ?? .none
        let isWord = keyword != .none && name.parts.count == 1
        text += isWord ? name.name : ""
        if !isWord { write(name) }
    }

    private mutating func writeSuffixes(_ call: FunctionCall) {
        if !call.withinGroup.isEmpty {
            text += " WITHIN GROUP ("
            text += "ORDER BY "
            list(call.withinGroup) { $0.write($1) }
            text += ")"
        }
        if let filter = call.filter {
            text += " FILTER (WHERE "
            write(filter)
            text += ")"
        }
        if let treatment = call.nullTreatment { text += " " + treatment.rawValue }
        switch call.over {
        case nil: break
        case .named(let name):
            text += " OVER "
            write(name)
        case .specification(let window):
            text += " OVER "
            write(window)
        }
    }

    mutating func orderBy(_ items: [OrderItem]) {
        guard !items.isEmpty else { return }
        text += " ORDER BY "
        list(items) { $0.write($1) }
    }

    mutating func write(_ item: OrderItem) {
        write(item.expression)
        if item.descending { text += " DESC" }
        if let first = item.nullsFirst { text += first ? " NULLS FIRST" : " NULLS LAST" }
    }

    mutating func write(_ window: WindowSpecification) {
        var parts: [String] = []
        if let base = window.base { parts.append(Self.quoted(base.text)) }
        if !window.partitionBy.isEmpty {
            parts.append("PARTITION BY " + window.partitionBy.map { Self.print($0) }.joined(separator: ", "))
        }
        if !window.orderBy.isEmpty {
            var inner = SQLPrinter()
            inner.list(window.orderBy) { $0.write($1) }
            parts.append("ORDER BY " + inner.text)
        }
        if let frame = window.frame { parts.append(Self.frame(frame)) }
        text += "(" + parts.joined(separator: " ") + ")"
    }

    private static func frame(_ frame: WindowFrame) -> String {
        var result = frame.unit.rawValue + " BETWEEN " + bound(frame.start) + " AND " + bound(frame.end)
        if let exclusion = frame.exclusion { result += " EXCLUDE " + exclusion.rawValue }
        return result
    }

    private static func bound(_ bound: WindowFrame.Bound) -> String {
        switch bound {
        case .unboundedPreceding: return "UNBOUNDED PRECEDING"
        case .currentRow: return "CURRENT ROW"
        case .unboundedFollowing: return "UNBOUNDED FOLLOWING"
        case .preceding(let amount): return amountText(amount) + " PRECEDING"
        case .following(let amount): return amountText(amount) + " FOLLOWING"
        }
    }

    private static func amountText(_ amount: Expression) -> String {
        var inner = SQLPrinter()
        inner.write(amount, Precedence.other)
        return inner.text
    }
}
