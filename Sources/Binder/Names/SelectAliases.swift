import QueryPlan
import SQLSyntax
import SQLTypes

/// Aliases of a SELECT list, which later items, WHERE, GROUP BY, HAVING and QUALIFY may use as names.
final class SelectAliases {
    private var items: [String: Expression] = [:]
    private var order: [String: Int] = [:]
    /// Aliases being expanded, against `a + 1 AS b, b + 1 AS a`.
    private var expanding: Set<String> = []
    /// Only items before this one are visible (inside the SELECT list); nil: all.
    var limit: Int?

    init(_ list: [SelectItem]) {
        for (index, item) in list.enumerated() {
            guard case .expression(let expression, let alias?) = item, items[alias.text] == nil else { continue }
            items[alias.text] = expression
            order[alias.text] = index
        }
    }

    func expression(named name: String) -> SQLSyntax.Expression? {
        guard let expression = items[name], !expanding.contains(name) else { return nil }
        if let limit, let index = order[name], index >= limit { return nil }
        return expression
    }

    func expand<Result>(_ name: String, _ body: () throws -> Result) rethrows -> Result {
        expanding.insert(name)
        defer { expanding.remove(name) }
        return try body()
    }
}
