import Catalog
import QueryPlan
import SQLTypes

/// Which texts are the same to whoever compares them. What is written with COLLATE(...) wins over columns; a column
/// that ignores the case wins over one that does not; literals go with what they meet, else with the database.
enum TextCollation: Int {
    case none, sensitive, insensitive, explicitlySensitive, explicitlyInsensitive

    static func strongest(_ collations: some Sequence<TextCollation>) -> TextCollation {
        collations.max { $0.rawValue < $1.rawValue } ?? .none
    }
}

/// Texts that ignore the case are compared, grouped and sorted by their lower case, which the binder writes into the
/// plan: what comes after it knows bytes alone. That keeps every way of the engine right, and costs such texts their
/// zone maps.
struct Collations {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    /// Nothing in the statement can ignore the case.
    private var isIdle: Bool {
        session.insensitiveColumns.isEmpty && !session.usesCollate
            && session.catalog.database.collation == .caseSensitive
    }

    // MARK: What an expression has

    private func collation(of expression: BoundExpression) -> TextCollation {
        guard expression.type.isString else { return .none }
        switch expression {
        case .column(let id, _): return session.insensitiveColumns.contains(id) ? .insensitive : .sensitive
        case .call(.collate, let arguments, _):
            return arguments.last?.asConstant == Self.insensitiveWord ? .explicitlyInsensitive : .explicitlySensitive
        case .call(_, let arguments, _): return .strongest(arguments.lazy.map { collation(of: $0) })
        case .cast(let value, _, _): return collation(of: value)
        case .caseWhen(let branches, let otherwise, _):
            return .strongest(branches.map { collation(of: $0.result) } + [collation(of: otherwise)])
        case .subquery(let subquery):
            return subquery.outputs.first.map { collation(of: .column($0.id, $0.type)) } ?? .none
        case .constant, .parameter, .comparison, .and, .or, .not, .isNull, .inList: return .none
        }
    }

    /// Whether these texts, compared with one another, ignore the case.
    func isInsensitive(_ expressions: BoundExpression...) -> Bool { isInsensitive(expressions) }
    func isInsensitive(_ expressions: [BoundExpression]) -> Bool {
        // Values of SUPER are equal without being the same, too, and have keys for that.
        if expressions.contains(where: { $0.type == .semistructured }) { return true }
        if isIdle { return false }
        guard expressions.contains(where: { $0.type.isString || $0.type == .unknown }) else { return false }
        switch TextCollation.strongest(expressions.lazy.map { collation(of: $0) }) {
        case .insensitive, .explicitlyInsensitive: return true
        case .sensitive, .explicitlySensitive: return false
        case .none: return session.catalog.database.collation == .caseInsensitive
        }
    }

    /// The column is what the expression is.
    func note(_ column: ColumnID, like expression: BoundExpression) { note(column, like: [expression]) }
    func note(_ column: ColumnID, like expressions: [BoundExpression]) {
        if expressions.count == 1 { session.origins.note(column, like: expressions[0]) }
        if expressions.contains(where: { $0.type == .semistructured }) { return }
        if isInsensitive(expressions) { session.insensitiveColumns.insert(column) }
    }
    func note(_ outputs: [OutputColumn], like others: [OutputColumn]) {
        session.origins.note(outputs, like: others)
        if isIdle { return }
        for (output, other) in zip(outputs, others) { note(output.id, like: .column(other.id, other.type)) }
    }

    // MARK: Keys

    /// What stands for an expression among the keys of a sort.
    func sortKey(_ expression: BoundExpression) throws -> BoundExpression {
        try Comparability.require(expression.type, .ordering)
        return try key(expression)
    }

    static let insensitiveWord = Datum.text("case_insensitive")

    /// What stands for a text among the keys of groups and sorts.
    func key(_ expression: BoundExpression) throws -> BoundExpression {
        try Comparability.require(expression.type, .equality)
        if expression.type == .semistructured { return SuperComparison.key(expression) }
        if isIdle { return expression }
        return isInsensitive([expression]) ? folded(expression) : plain(expression)
    }

    /// What stands for texts that are compared with one another.
    func keys(_ left: BoundExpression, _ right: BoundExpression) -> (BoundExpression, BoundExpression) {
        if isIdle { return (left, right) }
        return isInsensitive(left, right) ? (folded(left), folded(right)) : (plain(left), plain(right))
    }
    func keys(_ expressions: [BoundExpression]) throws -> [BoundExpression] {
        for expression in expressions { try Comparability.require(expression.type, .equality) }
        if expressions.contains(where: { $0.type == .semistructured }) {
            return expressions.map { SuperComparison.key($0) }
        }
        if isIdle { return expressions }
        let insensitive = isInsensitive(expressions)
        return expressions.map { insensitive ? folded($0) : plain($0) }
    }

    /// The text in lower case; the key of a SUPER value.
    func folded(_ expression: BoundExpression) -> BoundExpression {
        if expression.type == .semistructured { return SuperComparison.key(expression) }
        let value = plain(expression)
        guard value.type.isString else { return value }
        switch value {
        case .constant(.string(let bytes), let type) where bytes.allSatisfy { $0 < 0x80 }:
            return .constant(.string(bytes.map { TextInput.lower($0) }), type)
        case .constant(.null, _), .call(.lower, _, _): return value
        default: return .call(.lower, [value], value.type)
        }
    }

    /// Without the mark of COLLATE(...), which matters to the binder only.
    private func plain(_ expression: BoundExpression) -> BoundExpression {
        if case .call(.collate, let arguments, _) = expression { return plain(arguments[0]) }
        return expression
    }

    // MARK: Least and greatest

    private static let separator = BoundExpression.constant(.string([0]), .varchar(1))

    /// A text that is ordered by its lower case and holds the text itself behind it: no text has a NUL.
    func ordered(_ text: BoundExpression) -> BoundExpression {
        if text.type == .semistructured { return SuperComparison.ordered(text) }
        let value = plain(text)
        let length = SQLType.varchar(min(2 * max(value.type.textLength, 1) + 1, SQLType.maximumVarcharLength))
        let blank = BoundExpression.constant(.text(" "), .varchar(1))
        let key = folded(.call(.trimTrailing, [value, blank], .varchar(max(value.type.textLength, 1))))
        return .call(.concatenate, [.call(.concatenate, [key, Self.separator], length), value], length)
    }

    /// The text in one of ``ordered(_:)``.
    func unordered(_ value: BoundExpression, _ type: SQLType) -> BoundExpression {
        if type == .semistructured { return .call(.superUnordered, [value], type) }
        let text = BoundExpression.call(
            .splitPart, [value, Self.separator, .constant(.integer(2), .integer)], .varchar(max(type.textLength, 1)))
        return text.type == type ? text : .cast(text, type, .explicit)
    }

    /// What shows the value of an aggregate whose argument may have been ``ordered(_:)``.
    func shown(_ column: BoundExpression, of call: AggregateCall) -> BoundExpression {
        guard call.function == .minimum || call.function == .maximum, let argument = call.arguments.first else {
            return column
        }
        if case .call(.superOrdered, _, _) = argument { return unordered(column, .semistructured) }
        guard case .call(.concatenate, let parts, _) = argument, parts.count == 2,
            case .call(.concatenate, let first, _) = parts[0], first.last == Self.separator
        else { return column }
        return unordered(column, parts[1].type)
    }

    // MARK: Rows

    /// Groups of rows that are the same, and which columns show one row's values of each.
    struct Rows {
        var groups: [ProjectedColumn] = []
        var aggregates: [LogicalAggregate.Aggregate] = []
        /// Columns with other ids than before.
        var replaced: [ColumnID: ColumnID] = [:]
    }

    /// Texts that ignore the case show the first of a group in the order of bytes.
    func rows(_ columns: [(id: ColumnID, type: SQLType)]) throws -> Rows {
        var result = Rows()
        for (id, type) in columns {
            try Comparability.require(type, .equality)
            let column = BoundExpression.column(id, type)
            guard isInsensitive(column) else {
                result.groups.append(ProjectedColumn(id: id, expression: column))
                continue
            }
            let shown = session.makeColumn()
            result.groups.append(ProjectedColumn(id: session.makeColumn(), expression: folded(column)))
            result.aggregates.append(
                LogicalAggregate.Aggregate(
                    id: shown, call: AggregateCall(function: .minimum, arguments: [column], type: type)))
            result.replaced[id] = shown
            session.insensitiveColumns.insert(shown)
        }
        return result
    }

    /// The rows of a plan without repetitions.
    func distinct(
        _ plan: LogicalPlan, _ columns: [OutputColumn]
    ) throws -> (plan: LogicalPlan, outputs: [OutputColumn]) {
        let rows = try rows(columns.map { ($0.id, $0.type) })
        let outputs = columns.map { column in
            var copy = column
            copy.id = rows.replaced[column.id] ?? column.id
            return copy
        }
        return (
            .aggregate(LogicalAggregate(groups: rows.groups, aggregates: rows.aggregates, input: plan)), outputs
        )
    }
}
