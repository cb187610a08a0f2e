/// Users, groups, roles, and who may do what: the part of a ``CatalogSnapshot`` that security stands on. An immutable
/// value like the rest.
package struct AccountCatalog: Hashable, Sendable {
    package var users: [Int: UserDefinition] {
        didSet { userIDs = AccountCatalog.index(users) }
    }
    private var userIDs: [String: Int]
    package var groups: [Int: GroupDefinition]
    package var roles: [Int: RoleDefinition]
    package var roleGrants: [RoleMembership: RoleGrant]
    /// Objects without a list here have what ``standardAccess(to:owner:)`` says.
    package var access: [SecuredObject: AccessList]
    package var defaultAccess: [DefaultPrivilegeKey: AccessList]
    /// For users, groups and roles; never goes down.
    package var nextID: Int

    /// Of a new warehouse, and of one from before there were accounts.
    package static let initial = AccountCatalog()
    /// `public` of the first database, where everybody may make tables.
    package static let publicSchema = ObjectID(2200)

    init() {
        let bootstrap = UserDefinition(
            id: UserDefinition.bootstrapID, name: "rdsdb", isSuperuser: true, canCreateDatabases: true,
            isSyslogUnrestricted: true)
        users = [bootstrap.id: bootstrap]
        userIDs = AccountCatalog.index(users)
        groups = [:]
        roles = Dictionary(uniqueKeysWithValues: SystemPrivileges.roles.map { ($0.id, $0) })
        roleGrants = [:]
        access = [:]
        defaultAccess = [:]
        nextID = UserDefinition.firstID
        open(publicSchema: AccountCatalog.publicSchema)
    }

    /// As a database's `public` is from the start.
    package mutating func open(publicSchema schema: ObjectID) {
        let open = AccessEntry(holder: .everyone, privileges: [.usage, .create], grantor: UserDefinition.firstID)
        let own = AccessEntry(
            holder: .user(UserDefinition.firstID), privileges: .allOnSchema, grantor: UserDefinition.firstID)
        access[.schema(schema)] = AccessList([own, open])
    }

    package mutating func makeID() -> Int {
        defer { nextID += 1 }
        return nextID
    }

    // MARK: Names

    private static func index(_ users: [Int: UserDefinition]) -> [String: Int] {
        Dictionary(users.values.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    }

    package func userID(named name: String) -> Int? { userIDs[name] }
    package func user(named name: String) -> UserDefinition? { userIDs[name].flatMap { users[$0] } }
    package func group(named name: String) -> GroupDefinition? { groups.values.first { $0.name == name } }
    package func role(named name: String) -> RoleDefinition? { roles.values.first { $0.name == name } }

    /// nil for an id that nobody has (any more).
    package func name(of holder: PrivilegeHolder) -> String? {
        switch holder {
        case .everyone: "public"
        case .user(let id): users[id]?.name
        case .group(let id): groups[id]?.name
        case .role(let id): roles[id]?.name
        }
    }

    package var sortedUsers: [UserDefinition] { users.values.sorted { $0.id < $1.id } }
    package var sortedGroups: [GroupDefinition] { groups.values.sorted { $0.id < $1.id } }
    package var sortedRoles: [RoleDefinition] { roles.values.sorted { $0.id < $1.id } }

    // MARK: Access

    /// Whether any column has privileges of its own.
    package var hasColumnAccess: Bool {
        access.keys.contains { if case .column = $0 { true } else { false } }
    }

    /// What holds for objects that nobody has granted anything on.
    package func standardAccess(to object: SecuredObject, owner: Int) -> AccessList {
        let own = AccessEntry(holder: .user(owner), privileges: object.allPrivileges, grantor: owner)
        func open(_ privileges: PrivilegeSet) -> AccessEntry {
            AccessEntry(holder: .everyone, privileges: privileges, grantor: owner)
        }
        switch object {
        case .database: return AccessList([open(.temporary), own])
        case .routine: return AccessList([open(.execute), own])
        case .language: return AccessList([open(.usage), own])
        case .schema, .relation, .procedure: return AccessList([own])
        case .column, .scope: return AccessList()
        }
    }

    package func accessList(of object: SecuredObject, owner: Int) -> AccessList {
        access[object] ?? standardAccess(to: object, owner: owner)
    }

    /// What a new object starts with; nil where ALTER DEFAULT PRIVILEGES has nothing to say.
    package func initialAccess(
        to object: SecuredObject, kind: DefaultPrivilegeKey.Kind, owner: Int, database: ObjectID, schema: ObjectID?
    ) -> AccessList? {
        func defaults(_ schema: ObjectID?) -> AccessList? {
            defaultAccess[DefaultPrivilegeKey(owner: owner, database: database, schema: schema, kind: kind)]
        }
        let general = defaults(nil)
        let special = schema.flatMap { defaults($0) }
        if general == nil && special == nil { return nil }
        var result = general ?? standardAccess(to: object, owner: owner)
        for entry in special?.entries ?? [] {
            result.grant(entry.privileges, to: entry.holder, withGrantOption: false, by: entry.grantor)
            result.grant(entry.grantable, to: entry.holder, withGrantOption: true, by: entry.grantor)
        }
        return result
    }

    /// Everything on objects that are no more.
    package mutating func removeAccess(where isGone: (SecuredObject) -> Bool) {
        for object in Array(access.keys) where isGone(object) { access[object] = nil }
    }

    /// Every trace of a holder in access lists and role grants.
    package mutating func removeGrants(to holder: PrivilegeHolder) {
        for object in Array(access.keys) { access[object]?.remove(holder) }
        for key in Array(defaultAccess.keys) { defaultAccess[key]?.remove(holder) }
        for membership in Array(roleGrants.keys) where membership.member == holder { roleGrants[membership] = nil }
    }

    // MARK: Concurrent changes

    /// My changes since `base`, made to `current`; nil when both changed the same thing.
    package func rebased(from base: AccountCatalog, onto current: AccountCatalog) -> AccountCatalog? {
        if self == base { return current }
        if current == base { return self }
        var result = current
        let isMerged =
            AccountCatalog.merge(base.users, users, &result.users)
            && AccountCatalog.merge(base.groups, groups, &result.groups)
            && AccountCatalog.merge(base.roles, roles, &result.roles)
            && AccountCatalog.merge(base.roleGrants, roleGrants, &result.roleGrants)
            && AccountCatalog.merge(base.access, access, &result.access)
            && AccountCatalog.merge(base.defaultAccess, defaultAccess, &result.defaultAccess)
        result.nextID = max(nextID, current.nextID)
        return isMerged ? result : nil
    }

    private static func merge<Key: Hashable, Value: Equatable>(
        _ base: [Key: Value], _ mine: [Key: Value], _ current: inout [Key: Value]
    ) -> Bool {
        for key in Set(base.keys).union(mine.keys) where base[key] != mine[key] {
            guard current[key] == base[key] else { return false }
            current[key] = mine[key]
        }
        return true
    }
}
