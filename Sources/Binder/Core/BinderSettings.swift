import Catalog
import SQLTypes

/// What of a session's state decides how statements are bound.
package struct BinderSettings: Sendable {
    /// The user in whose name the statement runs: `$user` of the search path, the owner of new objects.
    package var user: UserDefinition
    /// What rights are looked up in; nil: the accounts of the catalog.
    package var accounts: AccountCatalog?
    /// Types of `$1`, `$2` ... as far as the client has said; ``SQLType/unknown`` or a short list where it has not.
    package var parameterTypes: [SQLType]
    /// Values of `$1`, `$2` ..., of the types above: the statement is bound as if they were written in it. nil while a
    /// statement is only prepared.
    package var parameterValues: [Datum]?
    /// The session's zone and date order, for literals that are folded to dates and times.
    package var datetime = DatetimeContext()
    /// `describe_field_name_in_uppercase`: of the columns that a client gets.
    package var capitalizesNames = false
    /// `enable_numeric_rounding` is off: casts of NUMERIC values cut.
    package var cutsNumerics = false
    /// `interval_forbid_composite_literals`.
    package var forbidsCompositeIntervals = false
    /// How SUPER is read.
    package var semistructured = SuperSettings()
    /// What binding may take.
    package var budget: PlanningBudget
    package init(
        user: UserDefinition = UserDefinition(id: UserDefinition.firstID, name: "dev", isSuperuser: true),
        parameterTypes: [SQLType] = [], budget: PlanningBudget = PlanningBudget()
    ) {
        self.budget = budget
        self.user = user
        self.parameterTypes = parameterTypes
    }
}

/// Limits of one statement. Each raises an SQLError.
enum BinderLimits {
    static let columns = 1_600
    /// Nesting in units of one expression level; a query level counts ``queryDepth``.
    static let depth = 1_200
    static let queryDepth = 12
    static let viewDepth = 30
    /// WITH entries of one statement and its views. Plans nest as deeply as there are entries.
    static let commonTables = 1_000
    /// Nodes of an expression that stands at several places.
    static let copiedNodes = 1 << 19
    /// What a node of a bound expression and a column of a relation take through all of planning, for the budget.
    static let expressionBytes = 192
    static let columnBytes = 256
    static let operatorBytes = 2_048
    static let groupingSets = 4_096
    static let groupingColumns = 30
    /// Expression nodes bound on behalf of SELECT aliases, against aliases that double themselves.
    static let aliasNodes = 100_000
}
