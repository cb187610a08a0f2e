import QueryPlan
import SQLSyntax
import SQLTypes

/// Aggregates and window functions that the expressions of one SELECT have asked for. Equal calls share a column.
final class ComputedColumns {
    private(set) var aggregates: [LogicalAggregate.Aggregate] = []
    private var aggregateIDs: [AggregateCall: ColumnID] = [:]
    let windows = WindowColumns()
    /// The one array that the list expands into rows.
    var expansion: ArrayExpansion?
    /// The one function of FROM that the list calls.
    var series: SetReturningCall?
    /// Where SLICE_NUM() finds the number of a row's slice; nil: nobody has asked.
    var sliceColumn: ColumnID?
    /// nil without GROUP BY.
    var grouping: Grouping?
    /// Entries of GROUP BY that ignore the case, by what the rows are grouped by.
    var foldedGroups: [BoundExpression: BoundExpression] = [:]
    /// What shows such an entry above the aggregation.
    private(set) var shownGroups: [BoundExpression: BoundExpression] = [:]

    /// Of each group the first text in the order of bytes; NULL where the row's grouping set does not have the entry.
    func showFoldedGroups(_ session: BindingSession) {
        for (entry, key) in foldedGroups {
            let least = column(
                for: AggregateCall(function: .minimum, arguments: [entry], type: entry.type), session)
            guard grouping?.sets != nil, let group = grouping?.groups.first(where: { $0.expression == key }) else {
                shownGroups[entry] = least
                continue
            }
            let isAbsent = BoundExpression.isNull(.column(group.id, key.type))
            let branch = BoundExpression.CaseBranch(condition: isAbsent, result: .constant(.null, entry.type))
            shownGroups[entry] = .caseWhen([branch], otherwise: least, entry.type)
        }
    }

    func column(for call: AggregateCall, _ session: BindingSession) -> BoundExpression {
        if let id = aggregateIDs[call] { return .column(id, call.type) }
        let id = session.makeColumn()
        if call.type.isString, let value = call.arguments.first { Collations(session).note(id, like: value) }
        aggregates.append(LogicalAggregate.Aggregate(id: id, call: call))
        aggregateIDs[call] = id
        return .column(id, call.type)
    }
}

/// Window functions by their partitioning and ordering: each pair becomes one Window operator.
final class WindowColumns {
    private struct Group {
        var partitionBy: [BoundExpression]
        var orderBy: [SortItem]
        var functions: [LogicalWindow.Function]
    }
    private var groups: [Group] = []

    func column(
        for call: WindowCall, partitionBy: [BoundExpression], orderBy: [SortItem], _ session: BindingSession
    ) -> BoundExpression {
        let index = groups.firstIndex { $0.partitionBy == partitionBy && $0.orderBy == orderBy }
        if let index, let function = groups[index].functions.first(where: { $0.call == call }) {
            return .column(function.id, call.type)
        }
        let function = LogicalWindow.Function(id: session.makeColumn(), call: call)
        if call.type.isString, let value = call.arguments.first { Collations(session).note(function.id, like: value) }
        if let index {
            groups[index].functions.append(function)
        } else {
            groups.append(Group(partitionBy: partitionBy, orderBy: orderBy, functions: [function]))
        }
        return .column(function.id, call.type)
    }

    func rewrite(_ change: (BoundExpression) throws -> BoundExpression) throws {
        for index in groups.indices {
            groups[index].partitionBy = try groups[index].partitionBy.map(change)
            for key in groups[index].orderBy.indices {
                groups[index].orderBy[key].expression = try change(groups[index].orderBy[key].expression)
            }
            for function in groups[index].functions.indices {
                let arguments = groups[index].functions[function].call.arguments
                groups[index].functions[function].call.arguments = try arguments.map(change)
            }
        }
    }

    func plan(over input: LogicalPlan) -> LogicalPlan {
        groups.reduce(input) { plan, group in
            .window(
                LogicalWindow(
                    partitionBy: group.partitionBy, orderBy: group.orderBy, functions: group.functions, input: plan))
        }
    }
}
