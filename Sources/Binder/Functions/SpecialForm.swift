import QueryPlan
import SQLSyntax
import SQLTypes

/// A function whose calls are more than a look-up in the function table: how they are written, and what binds them.
package struct SpecialForm: Sendable {
    package var names: [String]
    /// The lists of arguments, as catalogs show them; nil where the function table has the same ones.
    package var overloads: [[Parameter]]?
    package var result: ResultRule
    /// nil when the function table knows all about the call.
    let bind: @Sendable (ExpressionBinder, FunctionCall) throws -> BoundExpression?

    init(
        _ names: [String], _ overloads: [[Parameter]]? = nil, returns result: ResultRule = .argument(0),
        bind: @escaping @Sendable (ExpressionBinder, FunctionCall) throws -> BoundExpression?
    ) {
        self.names = names
        self.overloads = overloads
        self.result = result
        self.bind = bind
    }

    package static let all: [SpecialForm] = SpecialForms.all + TextForms.all + TextForms.threeWay + TimeForms.all

    private static let byName: [String: SpecialForm] = {
        var index: [String: SpecialForm] = [:]
        for form in all { for name in form.names { index[name] = form } }
        return index
    }()

    package static func named(_ name: String) -> SpecialForm? { byName[name] }
}
