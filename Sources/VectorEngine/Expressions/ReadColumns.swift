import QueryPlan

extension BoundExpression {
    /// Adds the columns that the expression reads; physical plans have no subqueries. The plans that the engine makes
    /// for itself number some columns below zero, so that they are nobody else's; a `ColumnSet` holds none of these.
    func collectColumns(into columns: inout Set<ColumnID>) {
        forEachColumn({ columns.insert($0) }, subquery: { _ in })
    }
}
