import QueryPlan
import SQLSyntax
import SQLTypes

/// Aggregate functions and GROUPING().
struct AggregateBinder {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var session: BindingSession { binder.session }

    func bind(_ call: FunctionCall) throws -> BoundExpression {
        let owner = AggregateOwner(binder.scope)
        if binder.clause == .aggregateArgument || owner.isOutermost { try requireAggregates(of: binder, call) }
        let bound = try aggregate(call)
        let column =
            try owner.column(for: bound, session, at: call.position)
            ?? requireAggregates(of: binder, call).column(for: bound, session)
        if call.name.name == "hll" { return .call(.hllCardinality, [column], .bigint) }
        return IntervalKind.shown(Collations(session).shown(column, of: bound), of: bound)
    }

    @discardableResult
    private func requireAggregates(of binder: ExpressionBinder, _ call: FunctionCall) throws -> ComputedColumns {
        guard binder.clause.allowsAggregates, let computed = binder.computed else {
            throw binder.clause.aggregateError().at(call.position)
        }
        return computed
    }

    /// An aggregate over a window. Its arguments may themselves hold aggregates: `sum(sum(x)) OVER ()`.
    func windowAggregate(_ call: FunctionCall) throws -> AggregateCall {
        try aggregate(call, arguments: .windowArgument)
    }

    /// The call with its arguments, for aggregates over groups and over windows.
    private func aggregate(
        _ call: FunctionCall, arguments clause: Clause = .aggregateArgument
    ) throws -> AggregateCall {
        if let filter = call.filter {
            throw SQLError(
                .featureNotSupported, "FILTER is not supported for aggregate functions", at: filter.position)
        }
        if call.isStar {
            guard call.name.name == "count" else {
                throw SQLError(
                    .undefinedFunction, "function \(call.name)(*) does not exist", at: call.position)
            }
            return AggregateCall(function: .countRows, arguments: [], type: .bigint)
        }
        let signature = try signature(of: call)
        guard call.orderBy.isEmpty else {
            throw SQLError(
                .featureNotSupported, "ORDER BY inside of aggregate calls is not supported",
                hint: "Use WITHIN GROUP (ORDER BY ...).", at: call.position)
        }
        var arguments = try binder.inClause(clause) { try self.arguments(call, signature) }
        let orderBy = try binder.inClause(clause) { try order(call, signature) }
        var isDistinct = call.isDistinct
        switch signature.function {
        case .minimum, .maximum, .anyValue, .boolAnd, .boolOr, .bitAnd, .bitOr, .approximateCountDistinct,
            .hllSketch, .hllCombine:
            isDistinct = false
        default: break
        }
        if isDistinct && !signature.acceptsDistinct {
            throw SQLError(
                .featureNotSupported, "DISTINCT is not supported for \(call.name)", at: call.position)
        }
        if let first = arguments.first, Collations(session).isInsensitive(first) {
            arguments[0] = try insensitive(first, signature.function, isDistinct: isDistinct, call)
        }
        if signature.function == .hllSketch {
            return AggregateCall(
                function: .hllSketch, arguments: [.call(.hllHash, [arguments[0]], .bigint)], type: .hllsketch)
        }
        return AggregateCall(
            function: signature.function, arguments: arguments, distinct: isDistinct, orderBy: orderBy,
            type: signature.result.type(for: arguments.map(\.type)))
    }

    /// What an aggregate reads of a text that ignores the case.
    private func insensitive(
        _ text: BoundExpression, _ function: AggregateFunction, isDistinct: Bool, _ call: FunctionCall
    ) throws -> BoundExpression {
        switch function {
        case .minimum, .maximum: return Collations(session).ordered(text)
        case .count where isDistinct, .approximateCountDistinct, .hllSketch: return Collations(session).folded(text)
        case .listAggregate where isDistinct:
            throw SQLError(
                .featureNotSupported, "LISTAGG(DISTINCT ...) of case-insensitive text is not supported",
                hint: "Aggregate LOWER of it, or COLLATE(..., 'case_sensitive').", at: call.position)
        default: return text
        }
    }

    private func signature(of call: FunctionCall) throws -> AggregateSignature {
        var name = call.name.name
        if call.form == .approximate && name == "count" {
            guard call.isDistinct else {
                throw SQLError(.syntaxError, "APPROXIMATE COUNT requires DISTINCT", at: call.position)
            }
            name = "approximate count"
        }
        guard let signature = FunctionTable.aggregate(named: name) else {
            throw binder.unknownFunction(call, try call.arguments.map { try binder.bind($0).type })
        }
        if !call.withinGroup.isEmpty && !signature.acceptsOrder {
            throw SQLError(
                .wrongObjectType, "\(call.name) is not an ordered-set aggregate, so it cannot have WITHIN GROUP",
                at: call.position)
        }
        if signature.ordersItsValue && call.withinGroup.count != 1 {
            throw SQLError(
                .syntaxError, "WITHIN GROUP (ORDER BY expression) is required for \(call.name)", at: call.position)
        }
        return signature
    }

    private func arguments(_ call: FunctionCall, _ signature: AggregateSignature) throws -> [BoundExpression] {
        let (locals, outers) = (binder.scope.localReferences, binder.scope.outerReferences)
        var bound = try call.arguments.map { try binder.bind($0) }
        if signature.ordersItsValue { bound.insert(try binder.bind(call.withinGroup[0].expression), at: 0) }
        if binder.clause == .windowArgument, binder.scope.localReferences == locals,
            binder.scope.outerReferences > outers
        {
            throw SQLError(
                .featureNotSupported, "window functions over columns of an enclosing query are not supported",
                at: call.position)
        }
        // Of integers: whether they are not zero.
        if [.boolAnd, .boolOr].contains(signature.function), let first = bound.first, first.type.isInteger {
            bound[0] = try binder.coercion.cast(first, to: .boolean, .explicit, at: call.position)
        }
        let types = bound.map(\.type)
        let parameters = signature.parameters
        let required = parameters.count { !$0.isOptional }
        guard bound.count >= required, bound.count <= parameters.count,
            zip(parameters, types).allSatisfy({ $0.accepts.distance(from: $1) != nil }),
            try isAccepted(signature.function, types[0], isDistinct: call.isDistinct)
        else { throw binder.unknownFunction(call, types) }
        if bound[0].type == .unknown, [.sum, .average].contains(signature.function) {
            bound[0] = try binder.coercion.cast(bound[0], to: .double, .implicit, at: call.position)
        }
        if bound[0].type.isInterval, [.sum, .average].contains(signature.function) {
            bound[0] = try binder.coercion.cast(bound[0], to: .interval, .implicit, at: call.position)
        }
        try requireConstant(signature.function, bound.dropFirst().first, at: call.position)
        return try SignatureCall(session).casted(
            bound, to: parameters, parameter: { parameters[min($0, parameters.count - 1)] }, at: call.position)
    }

    /// A percentile has one fraction for all rows of a group.
    private func requireConstant(
        _ function: AggregateFunction, _ argument: BoundExpression?, at position: SourcePosition
    ) throws {
        guard binder.clause == .aggregateArgument, function != .listAggregate, let argument, argument.readsColumns
        else { return }
        throw SQLError(.featureNotSupported, "the percentile must be a constant", at: position)
    }

    private func isAccepted(_ function: AggregateFunction, _ type: SQLType, isDistinct: Bool) throws -> Bool {
        if type == .hllsketch { return function == .hllCombine || function == .count && !isDistinct }
        return switch function {
        case .hllSketch: type.family != .bytes
        case .sum, .average: type.isNumeric || type == .unknown || type.isInterval
        case .minimum, .maximum: type != .boolean
        case .percentileDiscrete: type != .semistructured
        case .median, .percentileContinuous: type.isNumeric || type.isDatetime
        default: true
        }
    }

    private func order(_ call: FunctionCall, _ signature: AggregateSignature) throws -> [SortItem] {
        try call.withinGroup.map {
            $0.key(try Collations(session).sortKey(try binder.coercion.resolved(try binder.bind($0.expression))))
        }
    }

    // MARK: GROUPING

    /// GROUPING(a, b): one bit per argument, the last one lowest; set when the row's grouping set lacks it.
    func grouping(_ call: FunctionCall) throws -> BoundExpression {
        guard binder.clause.allowsAggregates, let computed = binder.computed, let grouping = computed.grouping else {
            throw SQLError(
                .groupingError, "\(call.name) is only allowed with GROUP BY", at: call.position)
        }
        var total: BoundExpression?
        for argument in call.arguments {
            let bit = try groupingBit(argument, grouping, call)
            guard let left = total else {
                total = bit
                continue
            }
            let shifted = BoundExpression.call(.multiply, [left, ExpressionBinder.integer(2)], .integer)
            total = .call(.add, [shifted, bit], .integer)
        }
        guard let total else { throw binder.unknownFunction(call, []) }
        return total
    }

    private func groupingBit(
        _ argument: Expression, _ grouping: Grouping, _ call: FunctionCall
    ) throws -> BoundExpression {
        let bound = try binder.coercion.resolved(try binder.inClause(.aggregateArgument) { try binder.bind(argument) })
        let key = try Collations(session).key(bound)
        guard let index = grouping.groups.firstIndex(where: { $0.expression == bound || $0.expression == key }) else {
            throw SQLError(
                .groupingError, "arguments to GROUPING must be grouping expressions of the associated query level",
                at: argument.position)
        }
        if grouping.sets == nil { return ExpressionBinder.integer(0) }
        let mask = BoundExpression.column(grouping.useMask(), .integer)
        let shifted = BoundExpression.call(.shiftRight, [mask, ExpressionBinder.integer(Int64(index))], .integer)
        return .call(.bitAnd, [shifted, ExpressionBinder.integer(1)], .integer)
    }
}
