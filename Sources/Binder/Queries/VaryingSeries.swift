import QueryPlan
import SQLSyntax
import SQLTypes

/// `generate_series(1, column)` in a SELECT list: a recursion, which begins with the SELECT's rows and the series'
/// first numbers, and whose rounds go on to the next number wherever there is one.
struct VaryingSeries {
    private let session: BindingSession
    private let position: SourcePosition
    private let start: BoundExpression
    private let end: BoundExpression
    /// nil: 1.
    private let step: BoundExpression?
    private let number: OutputColumn

    /// - Parameter arguments: of type BIGINT.
    init(_ arguments: [BoundExpression], _ binder: ExpressionBinder, at position: SourcePosition) throws {
        session = binder.session
        self.position = position
        start = arguments[0]
        end = arguments[1]
        step = arguments.count > 2 ? arguments[2] : nil
        number = OutputColumn(id: session.makeColumn(), name: "generate_series", type: .bigint)
        let isPlain = arguments.allSatisfy { argument in
            !argument.containsSubquery && !argument.columns.keys.contains(where: binder.scope.isOuter)
        }
        if case .constant(.integer(0), _)? = step {
            throw SQLError(.invalidParameterValue, "step size cannot equal zero", at: position)
        }
        guard isPlain else {
            throw binder.unsupported("generate_series of subqueries and of columns of an outer query", position)
        }
    }

    var value: BoundExpression { .column(number.id, number.type) }

    /// A row of the recursion: what of the SELECT's row is used further on, the number, where it ends, how it goes on.
    private struct Row {
        var kept: [OutputColumn]
        var number: OutputColumn
        var end: OutputColumn
        var step: OutputColumn?

        var columns: [OutputColumn] { kept + [number, end] + (step.map { [$0] } ?? []) }

        init(_ kept: [OutputColumn], hasStep: Bool, _ session: BindingSession) {
            func made(_ name: String, _ type: SQLType) -> OutputColumn {
                OutputColumn(id: session.makeColumn(), name: name, type: type)
            }
            self.kept = kept.map { made($0.name, $0.type) }
            number = made("number", .bigint)
            end = made("end", .bigint)
            step = hasStep ? made("step", .bigint) : nil
        }
    }

    /// - Parameter above: what is computed from the rows of the plan; it reads those of the recursion instead.
    func plan(over input: LogicalPlan, above: inout [BoundExpression]) throws -> LogicalPlan {
        var used: [ColumnID: SQLType] = [:]
        for expression in above {
            if expression.containsSubquery {
                throw SQLError(
                    .featureNotSupported, "subqueries beside generate_series of columns are not supported",
                    at: position)
            }
            used.merge(expression.columns) { first, _ in first }
        }
        used[number.id] = nil
        let kept = used.sorted { $0.key < $1.key }.map {
            OutputColumn(id: $0.key, name: "kept", type: $0.value)
        }
        let rows = Row(kept, hasStep: step != nil, session)
        let working = try session.makeCommonTableID()
        let all = try session.makeCommonTableID()
        let visible = kept.map { OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type) }
        let moved = Dictionary(uniqueKeysWithValues: zip(kept.map(\.id), visible))
        above = above.map { $0.replacing { id in moved[id].map { .column($0.id, $0.type) } } }
        let next = try following(rows, working: working)
        let recursion = LogicalRecursion(workingID: working, step: next.plan, stepColumns: next.columns)
        let reference = LogicalWithReference(
            id: all, alias: "generate_series", columns: visible + [number],
            sources: rows.kept.map(\.id) + [rows.number.id])
        return .with(
            LogicalWith(
                id: all, name: "generate_series", definition: try first(rows, kept, input),
                definitionColumns: rows.columns, recursion: recursion, body: .withReference(reference)))
    }

    private func first(_ rows: Row, _ kept: [OutputColumn], _ input: LogicalPlan) throws -> LogicalPlan {
        let values = kept.map { BoundExpression.column($0.id, $0.type) } + [start, end] + (step.map { [$0] } ?? [])
        let projected = zip(rows.columns, values).map { ProjectedColumn(id: $0.id, expression: $1) }
        let isInside = try continues(from: .column(rows.number.id, .bigint), rows, orEqual: true)
        return .filter(isInside, .project(projected, input))
    }

    private func following(_ rows: Row, working: Int) throws -> (plan: LogicalPlan, columns: [ColumnID]) {
        let last = Row(rows.kept, hasStep: step != nil, session)
        let reference = LogicalWithReference(
            id: working, alias: "generate_series", columns: last.columns, sources: rows.columns.map(\.id))
        let number = BoundExpression.column(last.number.id, .bigint)
        let one = BoundExpression.constant(.integer(1), .bigint)
        let width = last.step.map { BoundExpression.column($0.id, $0.type) }
        // The next number may be beyond BIGINT: it is looked at as a DECIMAL first.
        let goesOn: BoundExpression
        if let width {
            let wide = SQLType.decimal(precision: 19, scale: 0)
            let sides = try [number, width].map { try session.coercion.cast($0, to: wide, .explicit, at: position) }
            let sum = try ArithmeticBinder(session).bind(.add, sides[0], sides[1], at: position)
            goesOn = try continues(from: sum, last, orEqual: true)
        } else {
            goesOn = try continues(from: number, last, orEqual: false)
        }
        var values = last.columns.map { BoundExpression.column($0.id, $0.type) }
        values[last.kept.count] = .call(.add, [number, width ?? one], .bigint)
        let ids = values.map { _ in session.makeColumn() }
        let projected = zip(ids, values).map { ProjectedColumn(id: $0, expression: $1) }
        return (.project(projected, .filter(goesOn, .withReference(reference))), ids)
    }

    /// Whether a number is inside of the series, or at its end.
    private func continues(from number: BoundExpression, _ row: Row, orEqual: Bool) throws -> BoundExpression {
        let compare = ComparisonBinder(session)
        let end = BoundExpression.column(row.end.id, row.end.type)
        let ascending = try compare.compare(orEqual ? .lessOrEqual : .less, number, end, at: position)
        guard let step = row.step else { return ascending }
        let width = BoundExpression.column(step.id, step.type)
        let zero = BoundExpression.constant(.integer(0), .bigint)
        let descending = try compare.compare(.greaterOrEqual, number, end, at: position)
        return .or([
            .and([try compare.compare(.greater, width, zero, at: position), ascending]),
            .and([try compare.compare(.less, width, zero, at: position), descending]),
        ])
    }
}

extension BoundExpression {
    /// Its columns with their types. Subqueries are not entered.
    fileprivate var columns: [ColumnID: SQLType] {
        if case .column(let id, let type) = self { return [id: type] }
        var found: [ColumnID: SQLType] = [:]
        _ = containsChild { child in
            found.merge(child.columns) { first, _ in first }
            return false
        }
        return found
    }
}
