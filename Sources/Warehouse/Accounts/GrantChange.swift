import Binder
import Catalog
import SQLTypes

/// GRANT, REVOKE, ALTER DEFAULT PRIVILEGES.
extension AccountChange {
    mutating func perform(_ grant: BoundGrant) throws {
        switch grant.subject {
        case .objects(let targets): for target in targets { try perform(grant, on: target) }
        case .defaults(let keys, let privileges): for key in keys { try perform(grant, on: key, privileges) }
        case .system(let names): try performSystem(grant, names)
        }
    }

    // MARK: Objects

    private mutating func perform(_ grant: BoundGrant, on target: BoundGrant.Target) throws {
        var list = accounts.accessList(of: target.object, owner: target.owner)
        let (grantor, privileges) = try grantor(grant, target, list)
        for holder in grant.holders {
            if grant.isRevoke {
                try revoke(privileges, from: holder, grant, &list, by: grantor)
            } else {
                list.grant(privileges, to: holder, withGrantOption: grant.grantOption, by: grantor)
            }
        }
        accounts.access[target.object] = list
        if grant.isRevoke { try revokeColumns(grant, target, privileges, by: grantor) }
    }

    /// Who is entered as grantor, and what of the privileges it can give. Superusers act for the owner.
    private mutating func grantor(
        _ grant: BoundGrant, _ target: BoundGrant.Target, _ list: AccessList
    ) throws -> (Int, PrivilegeSet) {
        if rights.owns(target.owner) { return (target.owner, target.privileges) }
        var grantable = list.grantable(by: [.user(rights.user.id)])
        if case .column(let relation, _) = target.object, let whole = accounts.access[.relation(relation)] {
            grantable.formUnion(whole.grantable(by: [.user(rights.user.id)]))
        }
        let possible = target.privileges.intersection(grantable)
        guard !possible.isEmpty else {
            throw SQLError(.insufficientPrivilege, "permission denied for \(target.title)")
        }
        if possible != target.privileges {
            notices.append("WARNING:  not all privileges were \(grant.isRevoke ? "revoked" : "granted")")
        }
        return (rights.user.id, possible)
    }

    private func revoke(
        _ privileges: PrivilegeSet, from holder: PrivilegeHolder, _ grant: BoundGrant, _ list: inout AccessList,
        by grantor: Int
    ) throws {
        let isDone = list.revoke(
            privileges, from: holder, grantOptionOnly: grant.grantOption, cascade: grant.cascade, by: grantor)
        if !isDone {
            throw SQLError(
                .dependentObjects, "dependent privileges exist", hint: "Use CASCADE to revoke them too.")
        }
    }

    /// A privilege that is taken back for a whole relation is gone for its columns, too.
    private mutating func revokeColumns(
        _ grant: BoundGrant, _ target: BoundGrant.Target, _ privileges: PrivilegeSet, by grantor: Int
    ) throws {
        for column in target.columns {
            guard var list = accounts.access[column] else { continue }
            for holder in grant.holders { try revoke(privileges, from: holder, grant, &list, by: grantor) }
            accounts.access[column] = list.entries.isEmpty ? nil : list
        }
    }

    // MARK: Default privileges

    private mutating func perform(
        _ grant: BoundGrant, on key: DefaultPrivilegeKey, _ privileges: PrivilegeSet
    ) throws {
        try require(
            key.owner == rights.user.id || rights.has(system: "ALTER DEFAULT PRIVILEGES"),
            "must be superuser to alter default privileges of other users")
        if let schema = key.schema { try checkCreation(in: schema, by: key.owner) }
        let object = key.kind.secured(ObjectID(0))
        // Without a schema the list replaces what new objects start with, with one it adds to it.
        let standard = key.schema == nil ? accounts.standardAccess(to: object, owner: key.owner) : AccessList()
        var list = accounts.defaultAccess[key] ?? standard
        for holder in grant.holders {
            if grant.isRevoke {
                try revoke(privileges, from: holder, grant, &list, by: key.owner)
            } else {
                list.grant(privileges, to: holder, withGrantOption: grant.grantOption, by: key.owner)
            }
        }
        accounts.defaultAccess[key] = list == standard ? nil : list
    }

    /// As in PostgreSQL: who can make nothing in a schema has nothing to decide there.
    private func checkCreation(in id: ObjectID, by owner: Int) throws {
        guard !rights.isSuperuser, let schema = catalog.schemas.values.first(where: { $0.id == id }) else { return }
        let maker = accounts.users[owner].map { AccessRights($0, accounts) }
        let mayCreate =
            maker.map { $0.privileges(on: schema, in: catalog).contains(.create) || $0.has(system: "CREATE TABLE") }
            ?? false
        try require(mayCreate, "permission denied for schema \(schema.name)")
    }

    // MARK: System privileges

    private mutating func performSystem(_ grant: BoundGrant, _ names: [String]) throws {
        try require(rights.isSuperuser, "must be superuser to grant or revoke system privileges")
        for case .role(let id) in grant.holders {
            if let role = accounts.roles[id], role.isSystemDefined {
                throw SQLError(.insufficientPrivilege, "system-defined role \"\(role.name)\" cannot be altered")
            }
            if grant.isRevoke {
                accounts.roles[id]?.systemPrivileges.subtract(names)
            } else {
                accounts.roles[id]?.systemPrivileges.formUnion(names)
            }
        }
    }
}
