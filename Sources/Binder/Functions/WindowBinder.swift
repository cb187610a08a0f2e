import QueryPlan
import SQLSyntax
import SQLTypes

/// Functions with OVER.
struct WindowBinder {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    private var session: BindingSession { binder.session }

    func bind(_ call: FunctionCall) throws -> BoundExpression {
        guard binder.clause.allowsWindows, let computed = binder.computed, let over = call.over else {
            throw binder.clause.windowError().at(call.position)
        }
        if call.isDistinct && call.name.name != "listagg" {
            throw SQLError(
                .featureNotSupported, "DISTINCT is not supported for window functions", at: call.position)
        }
        let window = try WindowResolution(binder, binder.scope.namedWindows).resolve(over)
        return try binder.inClause(.windowArgument) {
            let collations = Collations(session)
            let partitionBy = try window.partitionBy.map {
                try collations.key(try binder.coercion.resolved(try binder.bind($0)))
            }
            var orderBy = try window.orderBy.map {
                $0.key(try collations.sortKey(try binder.coercion.resolved(try binder.bind($0.expression))))
            }
            var bound = try function(call, window)
            if orderBy.isEmpty && bound.requiresOrder {
                throw SQLError(
                    .windowingError, "\(call.name) requires an ORDER BY clause in its window", at: call.position)
            }
            // The order of LISTAGG and percentiles is the window's.
            if !bound.withinGroup.isEmpty {
                orderBy = bound.withinGroup
                bound.call.frame = QueryPlan.WindowFrame(
                    unit: .rows, start: .unboundedPreceding, end: .unboundedFollowing)
            }
            if let frame = window.frame {
                bound.call.frame = try FrameBinder(binder).bind(frame)
            } else if bound.needsFrame && !orderBy.isEmpty {
                throw SQLError(
                    .windowingError, "Aggregate window functions with an ORDER BY clause require a frame clause",
                    at: call.position)
            }
            let column = computed.windows.column(
                for: bound.call, partitionBy: partitionBy, orderBy: orderBy, session)
            guard case .aggregate(let function) = bound.call.function else { return column }
            let aggregate = AggregateCall(
                function: function, arguments: bound.call.arguments, type: bound.call.type)
            return IntervalKind.shown(collations.shown(column, of: aggregate), of: aggregate)
        }
    }

    private struct BoundFunction {
        var call: WindowCall
        var requiresOrder = false
        /// Redshift has no default frame for ordered windows.
        var needsFrame = false
        var withinGroup: [SortItem] = []
    }

    private func function(_ call: FunctionCall, _ window: ResolvedWindow) throws -> BoundFunction {
        if let signature = FunctionTable.window(named: call.name.name) { return try pure(call, signature, window) }
        guard call.isStar || FunctionTable.aggregate(named: call.name.name) != nil else {
            let types = try call.arguments.map { try binder.bind($0).type }
            guard FunctionTable.scalars(named: call.name.name).isEmpty else {
                throw SQLError(
                    .wrongObjectType,
                    "OVER specified, but \(call.name) is not a window function nor an aggregate function",
                    at: call.position)
            }
            throw binder.unknownFunction(call, types)
        }
        let aggregate = try AggregateBinder(binder).windowAggregate(call)
        if aggregate.type == .hllsketch {
            throw SQLError(
                .featureNotSupported, "\(call.name) is not supported as a window function", at: call.position)
        }
        let order = aggregate.function == .listAggregate ? aggregate.orderBy : []
        return BoundFunction(
            call: WindowCall(
                function: .aggregate(aggregate.function), arguments: aggregate.arguments, type: aggregate.type),
            needsFrame: aggregate.function != .listAggregate, withinGroup: order)
    }

    private func pure(
        _ call: FunctionCall, _ signature: WindowSignature, _ window: ResolvedWindow
    ) throws -> BoundFunction {
        if let filter = call.filter {
            throw SQLError(.featureNotSupported, "FILTER is not supported for window functions", at: filter.position)
        }
        let ordered = !call.orderBy.isEmpty ? "ORDER BY" : !call.withinGroup.isEmpty ? "WITHIN GROUP" : nil
        if let ordered {
            throw SQLError(
                .wrongObjectType, "\(ordered) specified, but \(call.name) is not an aggregate function",
                at: call.position)
        }
        if window.frame != nil && !signature.acceptsFrame {
            throw SQLError(
                .windowingError, "\(call.name) does not accept a window frame", at: call.position)
        }
        var bound = try call.arguments.map { try binder.bind($0) }
        let parameters = signature.parameters
        let required = parameters.count { !$0.isOptional }
        guard bound.count >= required, bound.count <= parameters.count,
            zip(parameters, bound).allSatisfy({ $0.accepts.distance(from: $1.type) != nil }),
            bound.allSatisfy({ $0.type.family.isComparable })
        else { throw binder.unknownFunction(call, bound.map(\.type)) }
        // LAG and LEAD put their default where the value would stand.
        if bound.count == 3 {
            guard let type = CommonType.of([bound[0], bound[2]]) else {
                throw binder.unknownFunction(call, bound.map(\.type))
            }
            bound[0] = try binder.coercion.cast(bound[0], to: type, .implicit, at: call.position)
            bound[2] = try binder.coercion.cast(bound[2], to: type, .implicit, at: call.position)
        }
        let arguments = try SignatureCall(session).casted(
            bound, to: parameters, parameter: { parameters[min($0, parameters.count - 1)] }, at: call.position)
        let type = signature.result.type(for: arguments.map(\.type))
        return BoundFunction(
            call: WindowCall(
                function: signature.function, arguments: arguments, ignoreNulls: call.nullTreatment == .ignore,
                type: type),
            requiresOrder: signature.requiresOrder, needsFrame: signature.acceptsFrame)
    }
}

/// A window with the parts of its named base filled in.
struct ResolvedWindow {
    var partitionBy: [Expression]
    var orderBy: [OrderItem]
    var frame: SQLSyntax.WindowFrame?
}

struct WindowResolution {
    let binder: ExpressionBinder
    let named: [NamedWindow]

    init(_ binder: ExpressionBinder, _ named: [NamedWindow]) {
        self.binder = binder
        self.named = named
    }

    func resolve(_ over: OverClause) throws -> ResolvedWindow {
        switch over {
        case .named(let name): try resolve(try find(name).specification, before: named.count)
        case .specification(let specification): try resolve(specification, before: named.count)
        }
    }

    /// A base must be defined earlier, so that definitions cannot go in circles.
    private func resolve(_ specification: WindowSpecification, before limit: Int) throws -> ResolvedWindow {
        var result = ResolvedWindow(
            partitionBy: specification.partitionBy, orderBy: specification.orderBy, frame: specification.frame)
        guard let base = specification.base else { return result }
        guard let index = named[..<limit].firstIndex(where: { $0.name == base }) else { throw unknown(base) }
        let inherited = try resolve(named[index].specification, before: index)
        guard result.partitionBy.isEmpty else {
            throw SQLError(
                .windowingError, "cannot override PARTITION BY clause of window \"\(base)\"", at: base.position)
        }
        if !inherited.orderBy.isEmpty && !result.orderBy.isEmpty {
            throw SQLError(
                .windowingError, "cannot override ORDER BY clause of window \"\(base)\"", at: base.position)
        }
        result.partitionBy = inherited.partitionBy
        if result.orderBy.isEmpty { result.orderBy = inherited.orderBy }
        if result.frame == nil { result.frame = inherited.frame }
        return result
    }

    private func find(_ name: Identifier) throws -> NamedWindow {
        guard let window = named.first(where: { $0.name == name }) else { throw unknown(name) }
        return window
    }

    private func unknown(_ name: Identifier) -> SQLError {
        SQLError(.undefinedObject, "window \"\(name)\" does not exist", at: name.position)
    }
}

/// ROWS and RANGE frames; offsets are constants.
struct FrameBinder {
    let binder: ExpressionBinder

    init(_ binder: ExpressionBinder) { self.binder = binder }

    func bind(_ frame: SQLSyntax.WindowFrame) throws -> QueryPlan.WindowFrame {
        if frame.unit == .groups { throw binder.unsupported("GROUPS frames", frame.position) }
        if let exclusion = frame.exclusion, exclusion != .noOthers {
            throw binder.unsupported("EXCLUDE in a window frame", frame.position)
        }
        let start = try bound(frame.start, frame)
        let end = try bound(frame.end, frame)
        if start == .unboundedFollowing || end == .unboundedPreceding || rank(start) > rank(end) {
            throw SQLError(
                .windowingError, "frame starting bound cannot be after its ending bound", at: frame.position)
        }
        return QueryPlan.WindowFrame(unit: frame.unit == .rows ? .rows : .range, start: start, end: end)
    }

    private func rank(_ bound: QueryPlan.WindowFrame.Bound) -> Int64 {
        switch bound {
        case .unboundedPreceding: Int64.min
        case .preceding(let count): -count
        case .currentRow: 0
        case .following(let count): count
        case .unboundedFollowing: Int64.max
        }
    }

    private func bound(
        _ bound: SQLSyntax.WindowFrame.Bound, _ frame: SQLSyntax.WindowFrame
    ) throws -> QueryPlan.WindowFrame.Bound {
        switch bound {
        case .unboundedPreceding: .unboundedPreceding
        case .preceding(let count): .preceding(try offset(count, frame))
        case .currentRow: .currentRow
        case .following(let count): .following(try offset(count, frame))
        case .unboundedFollowing: .unboundedFollowing
        }
    }

    private func offset(_ expression: Expression, _ frame: SQLSyntax.WindowFrame) throws -> Int64 {
        if frame.unit == .range { throw binder.unsupported("RANGE with an offset", frame.position) }
        let value = try binder.bind(expression)
        guard case .constant(.integer(let count), let type) = value, type.isInteger, count >= 0 else {
            throw SQLError(
                .windowingError, "frame offset must be a non-negative integer constant", at: expression.position)
        }
        return Int64(clamping: count)
    }
}
