import QueryPlan
import SQLSyntax
import SQLTypes

/// Column names: of FROM, then aliases of the SELECT list, then of enclosing queries.
extension ExpressionBinder {
    func bindName(_ name: ObjectName) throws -> BoundExpression {
        if let found = try ColumnLookup.find(name, from: scope) {
            noteUse(found, at: name.position)
            return .column(found.column.id, found.column.type)
        }
        if name.parts.count == 1, let aliases = scope.aliases, let expression = aliases.expression(named: name.name) {
            return try aliases.expand(name.name) { try session.insideAlias { try bind(expression) } }
        }
        if name.parts.count == 1, Self.factNames.contains(name.name) {
            return try bindFunction(FunctionCall(name: name, arguments: [], form: .niladic, position: name.position))
        }
        if let value = try SuperNavigation(self).path(name) { return value }
        throw ColumnLookup.unknown(name, from: scope)
    }

    /// Functions that are written without parentheses, but are no reserved words.
    private static let factNames: Set<String> = ["current_namespace", "current_aws_account"]

    func noteUse(_ found: FoundColumn, at position: SourcePosition) {
        if clause == .aggregateArgument { return }
        var owner: Scope? = scope
        for _ in 0..<found.level { owner = owner?.parent }
        owner?.noteUse(found.column, at: position)
    }
}
