import Catalog
import QueryPlan
import SQLTypes

extension BoundExpression {
    /// True when the expression is NULL whenever one of `nullable` is NULL.
    func isStrict(in nullable: ColumnSet) -> Bool {
        switch self {
        case .column(let id, _): return nullable.contains(id)
        case .constant(let value, _): return value.isNull
        case .parameter, .isNull, .subquery, .caseWhen: return false
        case .call(let function, let arguments, _):
            return arguments.contains { $0.isStrict(in: nullable) } && FunctionTable.isStrict(function)
        case .cast(let value, _, _), .not(let value): return value.isStrict(in: nullable)
        case .comparison(let op, let left, let right):
            if op == .distinctFrom || op == .notDistinctFrom { return false }
            return left.isStrict(in: nullable) || right.isStrict(in: nullable)
        case .and(let items), .or(let items): return items.allSatisfy { $0.isStrict(in: nullable) }
        case .inList(let value, _): return value.isStrict(in: nullable)
        }
    }

    /// True when a filter of this expression drops every row in which all of `nullable` are NULL.
    func rejectsNulls(of nullable: ColumnSet) -> Bool {
        switch self {
        case .and(let items): return items.contains { $0.rejectsNulls(of: nullable) }
        case .or(let items): return items.allSatisfy { $0.rejectsNulls(of: nullable) }
        case .not(.isNull(let value)): return value.isStrict(in: nullable)
        case .constant(let value, _): return value.isNull || value == .integer(0)
        default: return isStrict(in: nullable)
        }
    }

    /// False only when the value is proved not to be NULL, given columns that never are.
    func mayBeNull(_ nonNull: ColumnSet) -> Bool {
        switch self {
        case .column(let id, _): return !nonNull.contains(id)
        case .constant(let value, _): return value.isNull
        case .parameter, .subquery: return true
        case .isNull: return false
        case .cast(let value, _, let behavior): return behavior == .orNull || value.mayBeNull(nonNull)
        case .not(let value): return value.mayBeNull(nonNull)
        case .comparison(let op, let left, let right):
            if op == .distinctFrom || op == .notDistinctFrom { return false }
            return left.mayBeNull(nonNull) || right.mayBeNull(nonNull)
        case .and(let items), .or(let items): return items.contains { $0.mayBeNull(nonNull) }
        case .inList(let value, let items):
            return value.mayBeNull(nonNull) || items.contains { $0.mayBeNull(nonNull) }
        case .caseWhen(let branches, let otherwise, _):
            return otherwise.mayBeNull(nonNull) || branches.contains { $0.result.mayBeNull(nonNull) }
        case .call(let function, let arguments, _):
            switch function {
            case .add, .subtract, .multiply, .negate, .absolute, .lower, .upper, .length, .dateAddDays:
                return arguments.contains { $0.mayBeNull(nonNull) }
            case .coalesce: return arguments.allSatisfy { $0.mayBeNull(nonNull) }
            default: return true
            }
        }
    }
}

extension LogicalPlan {
    /// Output columns that never are NULL, by NOT NULL constraints, filters and aggregate rules.
    func nonNullColumns(_ context: OptimizerContext) -> ColumnSet {
        var result = ColumnSet()
        switch self {
        case .scan(let scan):
            for column in scan.columns where column.isHidden || scan.table.columns[column.index].notNull {
                result.insert(column.id)
            }
        case .filter(let condition, let input):
            result = input.nonNullColumns(context)
            for conjunct in condition.conjuncts {
                conjunct.forEachColumn { if conjunct.rejectsNulls(of: ColumnSet($0)) { result.insert($0) } }
            }
        case .project(let columns, let input):
            let inner = input.nonNullColumns(context)
            for column in columns where !column.expression.mayBeNull(inner) { result.insert(column.id) }
        case .join(let join): result = join.nonNullColumns(context)
        case .aggregate(let aggregate):
            let inner = aggregate.input.nonNullColumns(context)
            for item in aggregate.aggregates where item.call.function.isCount { result.insert(item.id) }
            guard aggregate.groupingSets == nil else { break }
            for group in aggregate.groups where !group.expression.mayBeNull(inner) { result.insert(group.id) }
            guard !aggregate.groups.isEmpty else { break }
            for item in aggregate.aggregates where item.call.filter == nil {
                switch item.call.function {
                case .sum, .average, .minimum, .maximum, .anyValue:
                    if !item.call.arguments[0].mayBeNull(inner) { result.insert(item.id) }
                default: break
                }
            }
        case .window(let window): result = window.input.nonNullColumns(context)
        case .unnest(let unnest): result = unnest.input.nonNullColumns(context)
        case .sort(_, let input): result = input.nonNullColumns(context)
        case .limit(let limit): result = limit.input.nonNullColumns(context)
        case .with(let with): result = with.body.nonNullColumns(context)
        case .systemScan, .values, .setOperation, .withReference: break
        }
        return result
    }
}

extension LogicalJoin {
    func nonNullColumns(_ context: OptimizerContext) -> ColumnSet {
        switch kind {
        case .inner:
            var result = left.nonNullColumns(context).union(right.nonNullColumns(context))
            for conjunct in condition?.conjuncts ?? [] {
                conjunct.forEachColumn { if conjunct.rejectsNulls(of: ColumnSet($0)) { result.insert($0) } }
            }
            return result
        case .left, .single, .semi, .anti, .antiNullAware: return left.nonNullColumns(context)
        case .right: return right.nonNullColumns(context)
        case .full: return ColumnSet()
        case .mark(let id, let nullAware):
            var result = left.nonNullColumns(context)
            if !nullAware { result.insert(id) }
            return result
        }
    }
}

extension AggregateFunction {
    /// Functions that give 0, or an empty sketch, and not NULL for no rows.
    var isCount: Bool {
        switch self {
        case .count, .countRows, .approximateCountDistinct, .hllSketch: true
        default: false
        }
    }

    /// What such a function gives for no rows.
    var valueOfNoRows: Datum { self == .hllSketch ? .string(HLLSketch.emptyBytes) : .integer(0) }
}
