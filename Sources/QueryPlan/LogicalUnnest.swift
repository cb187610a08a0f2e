import SQLTypes

/// Unnesting of SUPER: for each row of the input as many rows as its array has elements, or its object members.
package struct LogicalUnnest: Hashable, Sendable {
    package var specification: UnnestSpecification
    package var input: LogicalPlan
    package init(_ specification: UnnestSpecification, input: LogicalPlan) {
        self.specification = specification
        self.input = input
    }
}

/// What is unnested, for plans before and after optimization.
package struct UnnestSpecification: Hashable, Sendable {
    package enum Form: Hashable, Sendable { case array, object }
    package var form: Form
    /// Of type SUPER. NULL has no elements.
    package var source: BoundExpression
    /// The element or the member's value, SUPER.
    package var value: OutputColumn
    /// The element's index, a BIGINT; the member's name, a VARCHAR.
    package var place: OutputColumn
    /// A row without elements stays, with NULL: LEFT JOIN.
    package var keepsRows: Bool
    /// For EXPLAIN.
    package var alias: String
    package init(
        form: Form, source: BoundExpression, value: OutputColumn, place: OutputColumn, keepsRows: Bool, alias: String
    ) {
        self.form = form
        self.source = source
        self.value = value
        self.place = place
        self.keepsRows = keepsRows
        self.alias = alias
    }

    package var columns: [OutputColumn] { [value, place] }
}
