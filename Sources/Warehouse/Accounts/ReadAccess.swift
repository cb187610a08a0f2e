import Binder
import Catalog
import Optimizer
import QueryPlan

/// What a planned statement reads and which schemas its names were found in, as the rights of any user can be compared
/// with it. Immutable.
struct ReadAccess: Sendable {
    struct Use: Sendable {
        var relation: Relation
        var needed: PrivilegeSet
        /// Columns that something computes with or returns.
        var readColumns: [Int]
        /// In whose name; nil: whoever runs the statement.
        var owner: Int?
    }
    private(set) var uses: [Use] = []
    private(set) var systemUses: [StatementAccess.SystemUse] = []
    private(set) var functionUses: [StatementAccess.FunctionUse] = []
    private(set) var schemaUses: Set<StatementAccess.SchemaUse> = []
    private(set) var searchesUserSchema = false

    /// Nothing, as for the session's own statements.
    init() {}

    init(_ access: StatementAccess, _ statement: BoundStatement) {
        systemUses = access.systemUses
        functionUses = access.functionUses
        schemaUses = access.schemaUses
        searchesUserSchema = access.searchesUserSchema
        if access.uses.isEmpty { return }
        let referenced = ReferencedColumns.of(statement)
        uses = access.uses.map { use in
            Use(
                relation: use.relation, needed: use.needed,
                readColumns: use.columns.indices.filter { referenced.contains(use.columns[$0]) }, owner: use.owner)
        }
    }

    /// Whether another user's names would have been found in the same places.
    func meansTheSame(to rights: StatementRights) -> Bool {
        if searchesUserSchema && rights.catalog.schemas[rights.session.user.name] != nil { return false }
        return schemaUses.allSatisfy { use in
            guard let catalog = rights.catalog.within(use.database), let schema = catalog.schemas[use.schema] else {
                return false
            }
            return rights.session.isSuperuser
                ? use.isAllowed
                : rights.of(use.owner).privileges(on: schema, in: catalog).contains(.usage) == use.isAllowed
        }
    }
}
