/// What one user may do: its memberships followed to their ends, once a statement.
package struct AccessRights: Sendable {
    package let user: UserDefinition
    /// The user, PUBLIC, its groups, and its roles with all roles granted to them.
    package let holders: Set<PrivilegeHolder>
    package let systemPrivileges: Set<String>
    package let accounts: AccountCatalog

    package init(_ user: UserDefinition, _ accounts: AccountCatalog) {
        self.user = user
        self.accounts = accounts
        var holders: Set<PrivilegeHolder> = [.everyone, .user(user.id)]
        for group in accounts.groups.values where group.members.contains(user.id) { holders.insert(.group(group.id)) }
        let roles = AccessRights.roles(of: .user(user.id), in: accounts)
        for role in roles { holders.insert(.role(role)) }
        self.holders = holders
        systemPrivileges = roles.reduce(into: []) { $0.formUnion(accounts.roles[$1]?.systemPrivileges ?? []) }
    }

    /// Roles of a user or role, directly or by way of other roles.
    package static func roles(of member: PrivilegeHolder, in accounts: AccountCatalog) -> Set<Int> {
        if accounts.roleGrants.isEmpty { return [] }
        var found: Set<Int> = []
        var open = [member]
        while let next = open.popLast() {
            for membership in accounts.roleGrants.keys where membership.member == next {
                if found.insert(membership.role).inserted { open.append(.role(membership.role)) }
            }
        }
        return found
    }

    package var isSuperuser: Bool { user.isSuperuser }
    /// Sees all rows of system tables.
    package var seesAllActivity: Bool {
        isSuperuser || user.isSyslogUnrestricted || systemPrivileges.contains("ACCESS SYSTEM TABLE")
    }
    package func has(system privilege: String) -> Bool { isSuperuser || systemPrivileges.contains(privilege) }
    /// - Parameter owner: the id that a definition carries. Names say nothing: a dropped user leaves its name to
    ///   others.
    package func owns(_ owner: Int) -> Bool { isSuperuser || owner == user.id }

    /// Privileges on an object of this owner.
    package func privileges(on object: SecuredObject, owner: Int) -> PrivilegeSet {
        if isSuperuser { return object.allPrivileges }
        if let list = accounts.access[object] { return list.privileges(of: holders) }
        return accounts.standardAccess(to: object, owner: owner).privileges(of: holders)
    }

    /// - Parameter catalog: seen from the relation's database.
    package func privileges(on relation: Relation, in catalog: CatalogSnapshot) -> PrivilegeSet {
        privileges(on: .relation(relation.id), owner: relation.owner)
            .union(scoped(.tables, catalog.schema(named: relation.schema)?.id, catalog))
    }
    package func privileges(on object: CatalogObject, in catalog: CatalogSnapshot) -> PrivilegeSet {
        let definition = object.definition
        return privileges(on: definition.secured, owner: definition.owner)
            .union(scoped(definition.kind.facts.scope, catalog.schema(named: definition.schema)?.id, catalog))
    }
    package func privileges(on schema: SchemaDefinition, in catalog: CatalogSnapshot) -> PrivilegeSet {
        privileges(on: .schema(schema.id), owner: schema.owner).union(scoped(.schemas, nil, catalog))
    }
    package func privileges(on database: DatabaseDefinition) -> PrivilegeSet {
        privileges(on: .database(database.id), owner: database.owner)
    }

    /// GRANT ... FOR TABLES IN SCHEMA and IN DATABASE.
    private func scoped(_ kind: ObjectKindInScope, _ schema: ObjectID?, _ catalog: CatalogSnapshot) -> PrivilegeSet {
        var result: PrivilegeSet = []
        if let list = accounts.access[.scope(kind, in: catalog.databaseID)] {
            result.formUnion(list.privileges(of: holders))
        }
        if let schema, let list = accounts.access[.scope(kind, in: schema)] {
            result.formUnion(list.privileges(of: holders))
        }
        return result
    }

    /// Privileges on single columns; a table's own are not among them.
    package func privileges(onColumn column: Int, of relation: Relation) -> PrivilegeSet {
        guard let list = accounts.access[.column(relation.id, relation.columnID(column))] else { return [] }
        return list.privileges(of: holders)
    }
    /// Whether any column of the relation has privileges of its own for the user.
    package func hasColumnPrivileges(_ relation: Relation) -> Bool {
        (0..<relation.columnCount).contains { !privileges(onColumn: $0, of: relation).isEmpty }
    }
}
