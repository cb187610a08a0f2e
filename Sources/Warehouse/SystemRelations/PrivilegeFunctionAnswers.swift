import Catalog
import ColumnStore
import QueryPlan
import SQLTypes

/// The functions that ask who may do what: `has_table_privilege` and its relatives. Users and objects may be given by
/// name or by id; the user is the session's when it is left out.
struct PrivilegeFunctionAnswers {
    private let answers: CatalogFunctionAnswers
    private var snapshot: SystemSnapshot { answers.snapshot }
    private var accounts: AccountCatalog { answers.snapshot.accounts }
    private var catalog: CatalogSnapshot { answers.snapshot.store.catalog }

    init(_ answers: CatalogFunctionAnswers) { self.answers = answers }

    func answer(_ function: ScalarFunction, _ words: [String]) throws -> Datum {
        switch function {
        case .hasRole: return .boolean(try hasRole(words))
        case .isMemberOf: return .boolean(try isMember(words))
        case .roleIsMemberOf: return .boolean(try roleIsMember(words))
        case .hasAssumeRolePrivilege: return .boolean(try rights(words.count > 2 ? words[0] : nil).isSuperuser)
        default: break
        }
        let count = function == .hasColumnPrivilege ? 3 : 2
        guard (count...count + 1).contains(words.count), let last = words.last else {
            throw SQLError(.undefinedFunction, "this privilege function takes \(count) or \(count + 1) arguments")
        }
        let rights = try rights(words.count > count ? words[0] : nil)
        let names = Array(words.dropLast().suffix(count - 1))
        let wanted = try requests(last, function)
        guard let held = try held(function, names, rights) else { return .null }
        return .boolean(
            wanted.contains { request in
                (request.withGrantOption ? held.grantable : held.privileges).contains(request.privilege)
            })
    }

    // MARK: Arguments

    private func rights(_ name: String?) throws -> AccessRights {
        guard let name else { return snapshot.rights }
        if let user = accounts.user(named: name) ?? Int(name).flatMap({ accounts.users[$0] }) {
            return user.id == snapshot.account.id ? snapshot.rights : AccessRights(user, accounts)
        }
        throw SQLError(.undefinedObject, "user \"\(name)\" does not exist")
    }

    private struct Request {
        var privilege: PrivilegeSet
        var withGrantOption: Bool
    }

    /// `select, insert with grant option`: any of them is enough.
    private func requests(_ text: String, _ function: ScalarFunction) throws -> [Request] {
        try text.split(separator: ",").map { part in
            var words = part.lowercased().split(separator: " ").map(String.init)
            let withOption = words.count == 4 && Array(words.suffix(3)) == ["with", "grant", "option"]
            if withOption { words.removeLast(3) }
            guard words.count == 1, let privilege = privilege(words[0], function) else {
                throw SQLError(.invalidParameterValue, "unrecognized privilege type: \"\(text)\"")
            }
            return Request(privilege: privilege, withGrantOption: withOption)
        }
    }

    private func privilege(_ word: String, _ function: ScalarFunction) -> PrivilegeSet? {
        // CONNECT came after 8.0; everybody may.
        if function == .hasDatabasePrivilege && word == "connect" { return [] }
        guard let found = PrivilegeSet(word: word) else { return nil }
        let possible: PrivilegeSet =
            switch function {
            case .hasTablePrivilege: .allOnRelation
            case .hasColumnPrivilege: [.select, .insert, .update, .references]
            case .hasSchemaPrivilege: .allOnSchema
            case .hasDatabasePrivilege: .allOnDatabase
            case .hasFunctionPrivilege: .execute
            default: .usage
            }
        return possible.contains(found) ? found : nil
    }

    // MARK: Objects

    private struct Held {
        var privileges: PrivilegeSet
        var grantable: PrivilegeSet
    }

    private func held(_ object: SecuredObject, owner: Int, _ rights: AccessRights) -> Held {
        if rights.owns(owner) {
            return Held(privileges: rights.privileges(on: object, owner: owner), grantable: object.allPrivileges)
        }
        let grantable = accounts.access[object]?.grantable(by: [.user(rights.user.id)]) ?? []
        return Held(privileges: rights.privileges(on: object, owner: owner), grantable: grantable)
    }

    /// nil for ids that nothing has.
    private func held(_ function: ScalarFunction, _ names: [String], _ rights: AccessRights) throws -> Held? {
        switch function {
        case .hasTablePrivilege: return try relation(names[0]).map { heldOn($0, rights) }
        case .hasColumnPrivilege: return try column(names[0], names[1], rights)
        case .hasSchemaPrivilege: return try schema(names[0], rights)
        case .hasDatabasePrivilege: return try database(names[0], rights)
        case .hasFunctionPrivilege: return try routine(names[0], rights)
        default:
            let object = SecuredObject.language(names[0].lowercased())
            return held(object, owner: UserDefinition.bootstrapID, rights)
        }
    }

    private func relation(_ name: String) throws -> CatalogFunctionAnswers.Found? {
        if let id = Int(name) { return answers.relation(id: id) }
        guard let found = try answers.relation(named: name) else {
            throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist")
        }
        return found
    }

    private func heldOn(_ found: CatalogFunctionAnswers.Found, _ rights: AccessRights) -> Held {
        switch found {
        case .stored(let relation):
            var result = held(.relation(relation.id), owner: relation.owner, rights)
            result.privileges.formUnion(rights.privileges(on: relation, in: catalog.within(databaseOf: relation)))
            return result
        case .system(let relation):
            if rights.isSuperuser { return Held(privileges: .allOnRelation, grantable: .allOnRelation) }
            let isOpen = !SystemVisibility.isRestricted(relation.name) || rights.seesAllActivity
            return Held(privileges: isOpen ? .select : [], grantable: [])
        }
    }

    private func column(_ table: String, _ column: String, _ rights: AccessRights) throws -> Held? {
        guard let found = try relation(table) else { return nil }
        var result = heldOn(found, rights)
        guard case .stored(let relation) = found else { return result }
        let wanted = CatalogArray.nameParts(column).last ?? column
        let indexes = 0..<relation.columnCount
        // Columns count from 1; a text may be any number.
        let number = Int(column).flatMap { $0 > 0 && indexes.contains($0 - 1) ? $0 - 1 : nil }
        guard let index = number ?? indexes.first(where: { relation.columnName($0) == wanted }) else {
            throw SQLError(
                .undefinedColumn, "column \"\(column)\" of relation \"\(relation.name)\" does not exist")
        }
        result.privileges.formUnion(rights.privileges(onColumn: index, of: relation))
        return result
    }

    private func schema(_ name: String, _ rights: AccessRights) throws -> Held? {
        let wanted = CatalogArray.nameParts(name).last ?? name
        let id = Int(name)
        let schemas = catalog.schemas
        if let schema = schemas[wanted] ?? schemas.values.first(where: { Int($0.id.raw) == id }) {
            var result = held(.schema(schema.id), owner: schema.owner, rights)
            result.privileges.formUnion(rights.privileges(on: schema, in: catalog))
            return result
        }
        if SystemSnapshot.systemNamespaces.contains(where: { $0.name == wanted || $0.id == id }) {
            return Held(privileges: rights.isSuperuser ? .allOnSchema : .usage, grantable: [])
        }
        if id != nil { return nil }
        throw SQLError(.invalidSchemaName, "schema \"\(name)\" does not exist")
    }

    private func database(_ name: String, _ rights: AccessRights) throws -> Held? {
        let id = Int(name)
        let byID = id.flatMap { catalog.databases[ObjectID(Int64($0))] }
        if let database = catalog.database(named: name) ?? byID {
            return held(.database(database.id), owner: database.owner, rights)
        }
        if DatabaseDefinition.systemNames.contains(where: { $0.name == name || $0.id == id }) {
            return Held(privileges: rights.isSuperuser ? .allOnDatabase : [], grantable: [])
        }
        if id != nil { return nil }
        throw DatabaseDefinition.isUnknown(name)
    }

    /// Functions of the system are everybody's.
    private func routine(_ name: String, _ rights: AccessRights) throws -> Held? {
        if Int(name) != nil { return Held(privileges: .execute, grantable: []) }
        let head = name.prefix { $0 != "(" }
        let parts = CatalogArray.nameParts(String(head))
        guard let last = parts.last,
            !FunctionTable.scalars(named: last).isEmpty || FunctionTable.aggregate(named: last) != nil
        else {
            throw SQLError(.undefinedFunction, "function \"\(name)\" does not exist")
        }
        return Held(privileges: .execute, grantable: rights.isSuperuser ? .execute : [])
    }

    // MARK: Membership

    /// A user, group or role by name or id.
    private func principal(_ name: String) throws -> PrivilegeHolder {
        let id = Int(name)
        if let role = accounts.role(named: name) { return .role(role.id) }
        if let group = accounts.group(named: name) { return .group(group.id) }
        if let user = accounts.userID(named: name) { return .user(user) }
        if let id, accounts.roles[id] != nil { return .role(id) }
        if let id, accounts.groups[id] != nil { return .group(id) }
        if let id, accounts.users[id] != nil { return .user(id) }
        throw SQLError(.undefinedObject, "role \"\(name)\" does not exist")
    }

    /// pg_has_role([user,] role, privilege).
    private func hasRole(_ words: [String]) throws -> Bool {
        guard (2...3).contains(words.count) else {
            throw SQLError(.undefinedFunction, "pg_has_role takes 2 or 3 arguments")
        }
        let known: Set<String> = [
            "member", "usage", "member with grant option", "usage with grant option", "member with admin option",
            "usage with admin option",
        ]
        let word = words[words.count - 1].lowercased()
        guard known.contains(word) else {
            throw SQLError(.invalidParameterValue, "unrecognized privilege type: \"\(words[words.count - 1])\"")
        }
        let rights = try rights(words.count == 3 ? words[0] : nil)
        let holder = try principal(words[words.count - 2])
        if rights.isSuperuser { return true }
        if word.hasSuffix("option"), case .role(let role) = holder {
            let own = RoleMembership(role: role, member: .user(rights.user.id))
            return accounts.roleGrants[own]?.adminOption ?? false
        }
        return rights.holders.contains(holder)
    }

    /// user_is_member_of(user, role or group).
    private func isMember(_ words: [String]) throws -> Bool {
        guard words.count == 2 else {
            throw SQLError(.undefinedFunction, "user_is_member_of takes 2 arguments")
        }
        let rights = try rights(words[0])
        if !snapshot.account.isSuperuser && rights.user.id != snapshot.account.id {
            throw SQLError(.insufficientPrivilege, "permission denied to check membership of other users")
        }
        let holder = try principal(words[1])
        if rights.isSuperuser { return true }
        return rights.holders.contains(holder)
    }

    /// role_is_member_of(role, granted role).
    private func roleIsMember(_ words: [String]) throws -> Bool {
        guard words.count == 2 else {
            throw SQLError(.undefinedFunction, "role_is_member_of takes 2 arguments")
        }
        let roles = try words.map { name in
            guard let role = accounts.role(named: name) else {
                throw SQLError(.undefinedObject, "role \"\(name)\" does not exist")
            }
            return role.id
        }
        return AccessRights.roles(of: .role(roles[0]), in: accounts).contains(roles[1])
    }
}
