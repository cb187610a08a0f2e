import QueryPlan
import SQLSyntax
import SQLTypes

/// COLLATE(text, 'case_sensitive' | 'case_insensitive'): the text, to be compared so.
enum CollateCall {
    static func bind(_ binder: ExpressionBinder, _ call: FunctionCall) throws -> BoundExpression {
        var arguments = try call.arguments.map { try binder.bind($0) }
        guard arguments.count == 2, let word = try binder.constantText(call.arguments[1]) else {
            throw binder.unknownFunction(call, arguments.map(\.type))
        }
        let isInsensitive: Bool
        switch word.lowercased() {
        case "case_insensitive", "ci": isInsensitive = true
        case "case_sensitive", "cs": isInsensitive = false
        default:
            throw SQLError(
                .invalidParameterValue, "invalid collation \"\(word)\"",
                hint: "It is case_sensitive or case_insensitive.", at: call.arguments[1].position)
        }
        arguments[1] = .constant(.text(isInsensitive ? "case_insensitive" : "case_sensitive"), .varchar(16))
        guard let bound = try SignatureCall(binder.session).resolve("collate", arguments, at: call.position) else {
            throw binder.unknownFunction(call, arguments.map(\.type))
        }
        binder.session.usesCollate = true
        return bound
    }
}
