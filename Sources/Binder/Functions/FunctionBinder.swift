import QueryPlan
import SQLSyntax
import SQLTypes

/// Function calls: special forms, aggregates, window functions, then the function table.
extension ExpressionBinder {
    func bindFunction(_ call: FunctionCall) throws -> BoundExpression {
        let name = call.name.name
        if name == ArrayExpansion.functionName, call.name.schema == "information_schema" {
            return try ArrayExpansion.bind(call, self)
        }
        if let schema = call.name.schema, schema != "pg_catalog" {
            return try bindStored(call, try call.arguments.map { try bind($0) })
        }
        if call.over != nil { return try WindowBinder(self).bind(call) }
        if call.form == .approximate || call.isStar || FunctionTable.aggregate(named: name) != nil {
            return try AggregateBinder(self).bind(call)
        }
        if name == "grouping" || name == "grouping_id" { return try AggregateBinder(self).grouping(call) }
        if FunctionTable.window(named: name) != nil {
            throw SQLError(
                .windowingError, "window function call requires an OVER clause", at: call.position)
        }
        try refuseAggregateClauses(call)
        if let special = try SpecialForms(self).bind(call) { return special }
        let arguments = try call.arguments.map { try bind($0) }
        if let bound = try SignatureCall(session).resolve(name, arguments, at: call.position) { return bound }
        if let set = try SetReturningCall.bind(call, arguments, self) { return set }
        return try bindStored(call, arguments)
    }

    /// A function that somebody has made.
    private func bindStored(_ call: FunctionCall, _ arguments: [BoundExpression]) throws -> BoundExpression {
        guard call.over == nil, !call.isStar, let bound = try FunctionInlining(binder: self).call(call, arguments)
        else {
            throw unknownFunction(call, arguments.map(\.type))
        }
        try refuseAggregateClauses(call)
        return bound
    }

    private func refuseAggregateClauses(_ call: FunctionCall) throws {
        let word =
            call.isDistinct
            ? "DISTINCT"
            : !call.withinGroup.isEmpty
                ? "WITHIN GROUP"
                : call.filter != nil ? "FILTER" : !call.orderBy.isEmpty ? "ORDER BY" : nil
        guard let word else { return }
        throw SQLError(
            .wrongObjectType, "\(word) specified, but \(call.name) is not an aggregate function", at: call.position)
    }

    func unknownFunction(_ call: FunctionCall, _ types: [SQLType]) -> SQLError {
        OperatorError.noFunction("\(call.name)", types, at: call.position)
    }

    /// The text of a constant string argument.
    func constantText(_ expression: Expression) throws -> String? {
        guard case .constant(.string(let bytes), _) = try bind(expression) else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}
