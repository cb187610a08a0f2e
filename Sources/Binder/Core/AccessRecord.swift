import Catalog
import QueryPlan

/// Takes down what a statement uses while it is bound. Confined to one thread.
final class AccessRecord {
    private(set) var access = StatementAccess()
    private let accounts: AccountCatalog
    private let sessionRights: AccessRights
    /// Owners of the views that are being bound, innermost last.
    private var owners: [(id: Int, rights: AccessRights)] = []

    init(_ user: UserDefinition, _ accounts: AccountCatalog) {
        self.accounts = accounts
        sessionRights = AccessRights(user, accounts)
    }

    private var owner: Int? { owners.last?.id }

    func add(_ relation: Relation, needed: PrivilegeSet, columns: [ColumnID], asSession: Bool = false) {
        access.uses.append(
            StatementAccess.Use(
                relation: relation, needed: needed, columns: columns, owner: asSession ? nil : owner))
    }

    func add(_ function: FunctionDefinition) {
        access.functionUses.append(StatementAccess.FunctionUse(function: function, owner: owner))
    }

    func addSystem(_ name: String) {
        access.systemUses.append(StatementAccess.SystemUse(name: name, owner: owner))
    }

    func noteSearchOfUserSchema() { access.searchesUserSchema = true }

    /// Whether names may be looked up in a schema. Superusers look everywhere, also through the views of others.
    ///
    /// - Parameter catalog: seen from the schema's database.
    func mayUse(_ schema: SchemaDefinition, _ catalog: CatalogSnapshot) -> Bool {
        let rights = sessionRights.isSuperuser ? sessionRights : owners.last?.rights ?? sessionRights
        let isAllowed = rights.privileges(on: schema, in: catalog).contains(.usage)
        access.schemaUses.insert(
            StatementAccess.SchemaUse(
                database: catalog.databaseID, schema: schema.name, owner: owner, isAllowed: isAllowed))
        return isAllowed
    }

    /// What is bound in `body` is used in the name of a view's owner.
    func inName<Result>(of owner: Int, _ body: () throws -> Result) rethrows -> Result {
        owners.append((owner, AccessRights.ofUser(owner, accounts)))
        defer { owners.removeLast() }
        return try body()
    }
}

extension AccessRights {
    /// Who is no more has no rights.
    package static func ofUser(_ id: Int, _ accounts: AccountCatalog) -> AccessRights {
        AccessRights(accounts.users[id] ?? UserDefinition(id: -1, name: ""), accounts)
    }
}
