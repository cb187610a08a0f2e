import QueryPlan
import SQLSyntax
import SQLTypes

/// Makes expressions above an aggregation speak of its outputs, and refuses columns that are neither grouped nor
/// aggregated.
struct GroupingRewrite {
    private let scope: Scope
    private let groups: [BoundExpression: ColumnID]
    private let shown: [BoundExpression: BoundExpression]
    private let grouped: Set<ColumnID>
    private let local: [ColumnID: String]

    init(scope: Scope, computed: ComputedColumns) {
        self.scope = scope
        let columns = computed.grouping?.groups ?? []
        groups = Dictionary(columns.map { ($0.expression, $0.id) }, uniquingKeysWith: { first, _ in first })
        grouped = Set(columns.map(\.id))
        shown = computed.shownGroups
        var local: [ColumnID: String] = [:]
        for entry in scope.visible {
            let prefix = entry.relation.flatMap { $0.isEmpty ? nil : "\($0)." } ?? ""
            local[entry.column.id] = prefix + entry.column.name
        }
        for table in scope.relations {
            for column in table.columns where local[column.id] == nil {
                local[column.id] = "\(table.alias).\(column.name)"
            }
        }
        for column in scope.hierarchy?.pseudoColumns ?? [] { local[column.id] = column.name }
        if let slice = computed.sliceColumn { local[slice] = SliceNumber.functionName }
        self.local = local
    }

    func rewritten(_ expression: BoundExpression) throws -> BoundExpression {
        if !shown.isEmpty, let value = shown[expression] { return value }
        if let id = groups[expression] { return .column(id, expression.type) }
        switch expression {
        case .column(let id, _):
            if let name = local[id], !grouped.contains(id) { throw ungrouped(name, id) }
            return expression
        case .subquery(let subquery):
            for column in subquery.outerColumns { try check(column) }
            return try expression.mapChildren { try rewritten($0) }
        default:
            return try expression.mapChildren { try rewritten($0) }
        }
    }

    /// The subquery's plan names the column by its id, which a plain GROUP BY keeps.
    private func check(_ column: OutputColumn) throws {
        guard let name = local[column.id], !grouped.contains(column.id) else { return }
        if scope.hasGroupingSets && groups[.column(column.id, column.type)] != nil {
            throw SQLError(
                .featureNotSupported,
                "subqueries over columns of GROUPING SETS, ROLLUP or CUBE are not supported yet")
        }
        if shown[.column(column.id, column.type)] != nil {
            throw SQLError(
                .featureNotSupported,
                "subqueries over grouped columns that ignore the case, or are SUPER, are not supported",
                hint: "Group by the column in a derived table.")
        }
        throw ungrouped(name, column.id)
    }

    private func ungrouped(_ name: String, _ id: ColumnID) -> SQLError {
        SQLError(
            .groupingError,
            "column \"\(name)\" must appear in the GROUP BY clause or be used in an aggregate function",
            at: scope.ungroupedUses[id] ?? .unknown)
    }
}

extension BoundExpression {
    var containsSubquery: Bool {
        if case .subquery = self { return true }
        return containsChild { $0.containsSubquery }
    }
    /// Its value may differ from row to row.
    var readsColumns: Bool {
        switch self {
        case .column: true
        case .subquery(let subquery): !subquery.outerColumns.isEmpty || containsChild { $0.readsColumns }
        default: containsChild { $0.readsColumns }
        }
    }
    func containsChild(_ test: (BoundExpression) -> Bool) -> Bool {
        var found = false
        _ = mapChildren { child in
            found = found || test(child)
            return child
        }
        return found
    }

    /// The same expression over changed direct children. The plan of a subquery is not entered.
    func mapChildren(_ change: (BoundExpression) throws -> BoundExpression) rethrows -> BoundExpression {
        switch self {
        case .column, .constant, .parameter: return self
        case .call(let function, let arguments, let type): return .call(function, try arguments.map(change), type)
        case .cast(let value, let type, let behavior): return .cast(try change(value), type, behavior)
        case .comparison(let symbol, let left, let right):
            return .comparison(symbol, try change(left), try change(right))
        case .and(let terms): return .and(try terms.map(change))
        case .or(let terms): return .or(try terms.map(change))
        case .not(let value): return .not(try change(value))
        case .isNull(let value): return .isNull(try change(value))
        case .caseWhen(let branches, let otherwise, let type):
            let changed = try branches.map {
                CaseBranch(condition: try change($0.condition), result: try change($0.result))
            }
            return .caseWhen(changed, otherwise: try change(otherwise), type)
        case .inList(let value, let list): return .inList(try change(value), try list.map(change))
        case .subquery(var subquery):
            switch subquery.kind {
            case .scalar, .exists: break
            case .any(let symbol, let operands): subquery.kind = .any(symbol, try operands.map(change))
            case .all(let symbol, let operands): subquery.kind = .all(symbol, try operands.map(change))
            }
            return .subquery(subquery)
        }
    }
}
