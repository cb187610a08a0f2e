import QueryPlan
import SQLSyntax
import SQLTypes

/// UNION, INTERSECT, EXCEPT.
extension QueryBinder {
    func bindSetOperation(
        _ operation: SetOperation, parent: Scope?, commonTables: CommonTableScope?
    ) throws -> BoundQuery {
        // Chains lean to the left: walk down them in a loop, so that a thousand UNIONs do not recurse.
        var chain = [operation]
        while case .setOperation(let left) = chain[chain.count - 1].left { chain.append(left) }
        var result = try bindBody(
            chain[chain.count - 1].left, parent: parent, commonTables: commonTables, keepsUnknown: true)
        for step in chain.reversed() {
            let right = try bindBody(step.right, parent: parent, commonTables: commonTables, keepsUnknown: true)
            result = try combined(step, result, right)
        }
        return result
    }

    private func combined(
        _ operation: SetOperation, _ left: BoundQuery, _ right: BoundQuery
    ) throws -> BoundQuery {
        let word = operation.kind.rawValue
        guard left.outputs.count == right.outputs.count else {
            throw SQLError(
                .syntaxError, "each \(word) query must have the same number of columns", at: operation.position)
        }
        let types = try left.outputs.indices.map { index in
            let (first, second) = (left.outputs[index], right.outputs[index])
            guard let type = CommonType.of([left.member(index), right.member(index)]) else {
                throw SQLError(
                    .datatypeMismatch,
                    "\(word) types \(first.type.nameWithoutModifiers) and \(second.type.nameWithoutModifiers) "
                        + "cannot be matched", at: operation.position)
            }
            return type
        }
        let first = try coerced(left, to: types, .implicit, at: operation.position)
        let second = try coerced(right, to: types, .implicit, at: operation.position)
        let outputs = zip(left.outputs, types).map {
            OutputColumn(id: session.makeColumn(), name: $0.name, type: $1)
        }
        let plan = LogicalSetOperation(
            kind: operation.kind.logical, all: operation.all, outputs: outputs, left: first.plan,
            leftColumns: first.outputs.map(\.id), right: second.plan, rightColumns: second.outputs.map(\.id))
        if operation.kind == .union && !operation.all { session.columnIDs.note(distinct: outputs.map(\.id)) }
        var outer = first.outerColumns
        for column in second.outerColumns where !outer.contains(column) { outer.append(column) }
        return BoundQuery(plan: .setOperation(plan), outputs: outputs, outerColumns: outer)
    }
}

extension SetOperation.Kind {
    var logical: LogicalSetOperation.Kind {
        switch self {
        case .union: .union
        case .intersect: .intersect
        case .except: .except
        }
    }
}

extension BoundQuery {
    /// What an output brings to the common type: an untyped string literal as itself, everything else as its type.
    fileprivate func member(_ index: Int) -> BoundExpression {
        let output = outputs[index]
        guard output.type == .unknown, case .project(let columns, _) = plan,
            let column = columns.first(where: { $0.id == output.id }), case .constant = column.expression
        else { return .constant(.null, output.type) }
        return column.expression
    }
}
