import QueryPlan
import SQLSyntax
import SQLTypes

/// SLICE_NUM(): the number of the slice that holds a row of the first stored table of FROM.
enum SliceNumber {
    static let functionName = "slice_num"

    static func bind(_ binder: ExpressionBinder, _ call: FunctionCall) throws -> BoundExpression {
        guard call.arguments.isEmpty else {
            throw binder.unknownFunction(call, try call.arguments.map { try binder.bind($0).type })
        }
        guard let computed = binder.computed, binder.scope.hierarchy == nil else { throw missing(at: call.position) }
        let id = computed.sliceColumn ?? binder.session.makeColumn()
        computed.sliceColumn = id
        if binder.clause != .aggregateArgument {
            binder.scope.noteUse(ScopeColumn(name: functionName, id: id, type: .integer), at: call.position)
        }
        return .column(id, .integer)
    }

    /// The plan of FROM with the column that the function reads.
    static func plan(_ plan: LogicalPlan, with column: ColumnID, at position: SourcePosition) throws -> LogicalPlan {
        guard let changed = reading(column, plan) else { throw missing(at: position) }
        return changed
    }

    private static func reading(_ column: ColumnID, _ plan: LogicalPlan) -> LogicalPlan? {
        switch plan {
        case .scan(var scan):
            scan.columns.append(ScanColumn(id: column, index: ScanColumn.sliceNumber, type: .integer))
            return .scan(scan)
        case .filter(let condition, let input):
            return reading(column, input).map { .filter(condition, $0) }
        case .project(let columns, let input):
            let output = ProjectedColumn(id: column, expression: .column(column, .integer))
            return reading(column, input).map { .project(columns + [output], $0) }
        case .join(var join):
            if let left = reading(column, join.left) {
                join.left = left
                return .join(join)
            }
            guard let right = reading(column, join.right) else { return nil }
            join.right = right
            return .join(join)
        default: return nil
        }
    }

    private static func missing(at position: SourcePosition) -> SQLError {
        SQLError(
            .featureNotSupported,
            "One or more of the used functions must be applied on at least one user created tables.",
            hint: "SLICE_NUM is a function of rows of stored tables.", at: position)
    }
}
