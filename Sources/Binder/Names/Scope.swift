import QueryPlan
import SQLSyntax
import SQLTypes

/// A column that expressions can name.
struct ScopeColumn: Hashable {
    var name: String
    var id: ColumnID
    var type: SQLType
}

/// One named relation of FROM.
struct RangeTable {
    var alias: String
    /// Schema of a stored relation without alias: `schema.table.column` is legal then.
    var schema: String?
    /// As ``schema``: `database.schema.table.column`.
    var database: String?
    var columns: [ScopeColumn]
}

extension RangeTable {
    /// As errors list it; derived tables may have no name.
    var shownName: String { alias.isEmpty ? "unnamed_subquery" : alias }
}

/// What a FROM entry offers: its relations for qualified names, and its columns in the order of `*` for bare names.
struct FromItem {
    var plan: LogicalPlan
    var relations: [RangeTable]
    var visible: [VisibleColumn]

    struct VisibleColumn {
        var column: ScopeColumn
        /// nil for a column merged by USING.
        var relation: String?
    }
}

/// The names that expressions of one SELECT can use, and the way to the enclosing queries.
final class Scope {
    let parent: Scope?
    let commonTables: CommonTableScope?
    private(set) var relations: [RangeTable] = []
    private(set) var visible: [FromItem.VisibleColumn] = []
    /// Index in `visible` by name; several for an ambiguous one.
    private var visibleByName: [String: [Int]] = [:]
    /// Columns of enclosing queries used here or further inside, in order of first use.
    private(set) var outerColumns: [OutputColumn] = []
    /// Who binds the subquery that is being bound: aggregates inside of it may belong here.
    var openBinder: ExpressionBinder?
    /// Of CONNECT BY: what PRIOR and LEVEL mean.
    var hierarchy: Hierarchy?
    /// Columns that WHERE has marked with `(+)`.
    var outerMarks: [ColumnID] = []
    /// Select-list aliases, visible behind the columns of FROM.
    var aliases: SelectAliases?
    /// The SELECT's WINDOW clause.
    var namedWindows: [NamedWindow] = []
    /// Where a local column was first used outside of aggregates.
    var ungroupedUses: [ColumnID: SourcePosition] = [:]
    /// How often local and outer columns were named, to tell aggregates over outer columns.
    var localReferences = 0
    var outerReferences = 0
    /// The query aggregates by grouping sets: its columns change under subqueries of the select list.
    var hasGroupingSets = false

    /// Entries of GROUP BY with subqueries in them, as bound: a subquery that is bound again has columns of its own, so
    /// that the same text in the select list would not be the same expression.
    var groupedEntries: [Expression: BoundExpression] = [:]

    init(parent: Scope?, commonTables: CommonTableScope?) {
        self.parent = parent
        self.commonTables = commonTables
    }

    func setColumns(_ relations: [RangeTable], _ visible: [FromItem.VisibleColumn]) {
        self.relations = relations
        self.visible = visible
        visibleByName.removeAll(keepingCapacity: true)
        for (index, entry) in visible.enumerated() { visibleByName[entry.column.name, default: []].append(index) }
    }

    func visibleColumns(named name: String) -> [ScopeColumn] {
        (visibleByName[name] ?? []).map { visible[$0].column }
    }

    func isOuter(_ id: ColumnID) -> Bool { outerColumns.contains { $0.id == id } }
    func addOuterColumn(_ column: OutputColumn) {
        if !outerColumns.contains(where: { $0.id == column.id }) { outerColumns.append(column) }
    }

    func setOuterColumns(_ columns: [OutputColumn]) { outerColumns = columns }

    /// Everything that an inner scope (a derived table, a common table) took from outside is outside of this one, too.
    func inheritOuterColumns(of inner: Scope) {
        for column in inner.outerColumns { addOuterColumn(column) }
    }
}
