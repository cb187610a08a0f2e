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
        if operation.kind == .union && !operation.all { session.columnIDs.note(distinct: outputs.map(\.id)) }
        var outer = first.outerColumns
        for column in second.outerColumns where !outer.contains(column) { outer.append(column) }
        if operation.kind != .union || !operation.all {
            for type in types { try Comparability.require(type, .equality) }
        }
        let collations = Collations(session)
        let insensitive = outputs.indices.filter {
            collations.isInsensitive(first.column($0), second.column($0))
        }
        for index in insensitive { session.insensitiveColumns.insert(outputs[index].id) }
        if !insensitive.isEmpty && operation.kind != .union {
            return try matched(operation, first, second, outputs, Set(insensitive), outer)
        }
        for (index, output) in outputs.enumerated() where output.type.isString {
            let array = session.origins.arrayID(left.outputs[index].id)
            if array != 0 && array == session.origins.arrayID(right.outputs[index].id) {
                session.origins.note(output.id, arrayID: array)
            }
        }
        let plan = LogicalSetOperation(
            kind: operation.kind.logical, all: operation.all || !insensitive.isEmpty, outputs: outputs,
            left: first.plan, leftColumns: first.outputs.map(\.id), right: second.plan,
            rightColumns: second.outputs.map(\.id))
        guard !insensitive.isEmpty, !operation.all else {
            return BoundQuery(plan: .setOperation(plan), outputs: outputs, outerColumns: outer)
        }
        let distinct = try collations.distinct(.setOperation(plan), outputs)
        return BoundQuery(plan: distinct.plan, outputs: distinct.outputs, outerColumns: outer)
    }

    /// INTERSECT and EXCEPT where some columns ignore the case: the left rows with or without a right row that is the
    /// same.
    private func matched(
        _ operation: SetOperation, _ left: BoundQuery, _ right: BoundQuery, _ outputs: [OutputColumn],
        _ insensitive: Set<Int>, _ outer: [OutputColumn]
    ) throws -> BoundQuery {
        if operation.all {
            throw SQLError(
                .featureNotSupported,
                "\(operation.kind.rawValue) ALL of case-insensitive text and of SUPER is not supported",
                at: operation.position)
        }
        let collations = Collations(session)
        let renamed = zip(outputs, left.outputs).map {
            ProjectedColumn(id: $0.id, expression: .column($1.id, $1.type))
        }
        let rows = try collations.distinct(.project(renamed, left.plan), outputs)
        let sides = rows.outputs.indices.map { index -> BoundExpression in
            let (own, other) = (rows.outputs[index], right.column(index))
            let column = BoundExpression.column(own.id, own.type)
            guard insensitive.contains(index) else { return .comparison(.notDistinctFrom, column, other) }
            return .comparison(.notDistinctFrom, collations.folded(column), collations.folded(other))
        }
        let join = LogicalJoin(
            kind: operation.kind == .intersect ? .semi : .anti, condition: sides.count == 1 ? sides[0] : .and(sides),
            left: rows.plan, right: right.plan)
        let visible = rows.outputs.map { ProjectedColumn(id: $0.id, expression: .column($0.id, $0.type)) }
        return BoundQuery(plan: .project(visible, .join(join)), outputs: rows.outputs, outerColumns: outer)
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
    fileprivate func column(_ index: Int) -> BoundExpression { .column(outputs[index].id, outputs[index].type) }

    /// What an output brings to the common type: an untyped string literal as itself, everything else as its type.
    fileprivate func member(_ index: Int) -> BoundExpression {
        let output = outputs[index]
        guard output.type == .unknown, case .project(let columns, _) = plan,
            let column = columns.first(where: { $0.id == output.id }), case .constant = column.expression
        else { return .constant(.null, output.type) }
        return column.expression
    }
}
