/// Limits that keep one statement from exhausting memory or the stack. Every limit raises an SQLError.
package enum SyntaxLimits {
    /// Longest statement text in bytes, Redshift's own limit.
    package static let statementBytes = 16_777_216
    /// Deepest nesting that the parser descends into: parentheses, subqueries, NOT, unary minus, CASE.
    /// The right side of an operator counts as a level too: `(1 + (1 + ...` uses two levels for each pair.
    package static let nestingDepth = 500
    /// Tallest tree of expressions, joins and set operations. Chains such as `a + b + c`, `a JOIN b JOIN c` and
    /// `q UNION q UNION q` lean to the left without nesting, so they may be taller than ``nestingDepth``. Walks
    /// over the tree recurse once a level: 1,000 levels leave 8 kB a level on an 8 MB stack.
    /// AND, OR, IN lists, VALUES, select lists and argument lists are flat and not limited here.
    package static let treeHeight = 1_000
    /// Highest parameter number, `$65535`.
    package static let parameterNumber = 65_535
    /// What a token and its part of the syntax tree take, for the budget.
    static let tokenBytes = 64
    /// Longest name in bytes; the surplus is cut off as in PostgreSQL.
    package static let identifierBytes = 127
}
