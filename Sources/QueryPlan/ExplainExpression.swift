import SQLTypes

/// Expressions as EXPLAIN writes them: fully parenthesised, constants with their types, columns by name.
struct ExplainExpression {
    /// How a column is written here.
    var column: (ColumnID) -> String

    func text(_ expression: BoundExpression) -> String {
        switch expression {
        case .column(let id, _): return column(id)
        case .constant(let value, let type): return Self.constant(value, type)
        case .parameter(let index, _): return "$\(index + 1)"
        case .call(let function, let arguments, _): return call(function, arguments)
        case .cast(let value, let type, _): return "(\(text(value)))::\(type.description)"
        case .comparison(let op, let left, let right): return "(\(text(left)) \(op.rawValue) \(text(right)))"
        case .and(let items): return "(" + items.map(text).joined(separator: " AND ") + ")"
        case .or(let items): return "(" + items.map(text).joined(separator: " OR ") + ")"
        case .not(.isNull(let value)): return "(\(text(value)) IS NOT NULL)"
        case .not(.inList(let value, let items)): return "(\(text(value)) <> ALL \(list(items)))"
        case .not(.call(.like, let arguments, _)) where arguments.count >= 2:
            return "(\(text(arguments[0])) !~~ \(text(arguments[1])))"
        case .not(let value): return "(NOT \(text(value)))"
        case .isNull(let value): return "(\(text(value)) IS NULL)"
        case .caseWhen(let branches, let otherwise, _):
            let parts = branches.map { "WHEN \(text($0.condition)) THEN \(text($0.result))" }
            return "CASE \(parts.joined(separator: " ")) ELSE \(text(otherwise)) END"
        case .inList(let value, let items): return "(\(text(value)) = ANY \(list(items)))"
        case .subquery: return "(subplan)"
        }
    }

    private func list(_ items: [BoundExpression]) -> String { "(" + items.map(text).joined(separator: ", ") + ")" }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression]) -> String {
        let parts = arguments.map(text)
        if parts.count >= 2, let symbol = Self.symbols[function] { return "(\(parts[0]) \(symbol) \(parts[1]))" }
        if function == .negate || function == .intervalNegate, parts.count == 1 { return "(- \(parts[0]))" }
        return "\(FunctionTable.name(of: function))(\(parts.joined(separator: ", ")))"
    }

    private static let symbols: [ScalarFunction: String] = [
        .add: "+", .subtract: "-", .multiply: "*", .divide: "/", .modulo: "%", .dateAddDays: "+",
        .dateSubtractDays: "-", .dateDifference: "-", .dateAddInterval: "+", .timestampAddInterval: "+",
        .timestampSubtract: "-", .timeAddInterval: "+", .intervalAdd: "+", .intervalSubtract: "-",
        .intervalMultiply: "*", .intervalDivide: "/", .concatenate: "||", .like: "~~", .ilike: "~~*",
        .similarTo: "SIMILAR TO", .regexMatch: "~", .regexMatchInsensitive: "~*", .bitAnd: "&", .bitOr: "|",
        .bitXor: "#", .shiftLeft: "<<", .shiftRight: ">>",
    ]

    static func constant(_ value: Datum, _ type: SQLType) -> String {
        guard let text = value.text(type: type) else { return "NULL" }
        switch type {
        case .smallint, .integer, .bigint, .decimal, .double, .real: return text
        case .boolean: return text == "t" ? "true" : "false"
        case .char: return "'\(escaped(text))'::bpchar"
        case .varchar, .unknown: return "'\(escaped(text))'::text"
        default: return "'\(text)'::\(type.description)"
        }
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            if character == "'" { result += "'" }
            result.unicodeScalars.append(character)
        }
        return result
    }

    func aggregate(_ call: AggregateCall) -> String {
        let name = Self.aggregateNames[call.function] ?? call.function.rawValue
        if call.function == .countRows { return "count(*)" }
        let arguments = call.arguments.map(text).joined(separator: ", ")
        return "\(name)(\(call.distinct ? "DISTINCT " : "")\(Self.unwrapped(arguments)))"
    }

    private static let aggregateNames: [AggregateFunction: String] = [
        .average: "avg", .minimum: "min", .maximum: "max", .standardDeviationSample: "stddev_samp",
        .standardDeviationPopulation: "stddev_pop", .varianceSample: "var_samp", .variancePopulation: "var_pop",
        .boolAnd: "bool_and", .boolOr: "bool_or", .bitAnd: "bit_and", .bitOr: "bit_or",
        .percentileContinuous: "percentile_cont", .percentileDiscrete: "percentile_disc", .listAggregate: "listagg",
        .anyValue: "any_value", .approximateCountDistinct: "approximate count",
        .hllSketch: "hll_create_sketch", .hllCombine: "hll_combine",
    ]

    func window(_ call: WindowCall) -> String {
        let name: String
        switch call.function {
        case .rowNumber: name = "row_number"
        case .rank: name = "rank"
        case .denseRank: name = "dense_rank"
        case .percentRank: name = "percent_rank"
        case .cumulativeDistribution: name = "cume_dist"
        case .ntile: name = "ntile"
        case .lag: name = "lag"
        case .lead: name = "lead"
        case .firstValue: name = "first_value"
        case .lastValue: name = "last_value"
        case .nthValue: name = "nth_value"
        case .ratioToReport: name = "ratio_to_report"
        case .aggregate(let function): name = Self.aggregateNames[function] ?? function.rawValue
        }
        return "\(name)(\(call.arguments.map(text).joined(separator: ", ")))"
    }

    /// Without a pair of parentheses around the whole.
    static func unwrapped(_ text: String) -> String {
        guard text.first == "(", text.last == ")" else { return text }
        var depth = 0
        for (offset, character) in text.utf8.enumerated() {
            if character == 0x28 { depth += 1 }
            if character == 0x29 { depth -= 1 }
            if depth == 0, offset < text.utf8.count - 1 { return text }
        }
        return String(text.dropFirst().dropLast())
    }
}

extension FunctionTable {
    /// The SQL name by which a function is shown.
    static func name(of function: ScalarFunction) -> String {
        for signature in signatures where signature.function == function {
            if let name = signature.names.first { return name }
        }
        return function.rawValue
    }
}
