import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes

/// SHOW GRANTS ON an object, SHOW GRANTS FOR a user, role or group, SHOW COLUMN GRANTS ON TABLE.
struct ShowGrants {
    private let statement: ShowMetadataStatement
    private let snapshot: SystemSnapshot
    private let privileges: PrivilegeRows

    init(_ statement: ShowMetadataStatement, _ snapshot: SystemSnapshot) {
        self.statement = statement
        self.snapshot = snapshot
        privileges = PrivilegeRows(snapshot)
    }

    func rows() throws -> [[Datum]] {
        let rows = try statement.name == nil ? privileges.all : objectRows()
        let wanted = try holder()
        return rows.filter { wanted == nil || $0.holder == wanted }.map { datums($0) }
            + (statement.name == nil ? try roleRows(wanted) : [])
    }

    func columnRows() throws -> [[Datum]] {
        let like = statement.like.map { LikeText($0) }
        let relation = try ShowMetadata(statement, snapshot).relation()
        return privileges.columns(of: relation).filter { like?.matches($0.column ?? "") ?? true }.map { datums($0) }
    }

    private func datums(_ row: PrivilegeRow) -> [Datum] {
        [
            .text(snapshot.database), .optional(row.schema), .text(row.object), .text(row.kind),
            .text(row.privilege.word),
        ] + snapshot.identity(row.holder) + [
            .boolean(row.isGrantable), .text(row.scope), .text(snapshot.userName(row.grantor)),
            .optional(row.column),
        ]
    }

    private func objectRows() throws -> [PrivilegeRow] {
        guard let name = statement.name else { return [] }
        switch statement.objectWords {
        case "SCHEMA":
            guard let schema = snapshot.store.catalog.schemas[name.name] else {
                throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.position)
            }
            return privileges.schema(schema)
        case "DATABASE":
            return privileges.database
        case nil, "TABLE", "VIEW":
            let relation = try ShowMetadata(statement, snapshot).relation()
            return privileges.relation(relation) + privileges.columns(of: relation)
        default: return []
        }
    }

    /// FOR: a user where nothing else is said.
    private func holder() throws -> PrivilegeHolder? {
        guard let name = statement.grantee else { return nil }
        let accounts = snapshot.accounts
        let found: PrivilegeHolder? =
            switch statement.objectWords {
            case "FOR ROLE": accounts.role(named: name.text).map { .role($0.id) }
            case "FOR GROUP": accounts.group(named: name.text).map { .group($0.id) }
            default:
                name.text == "public"
                    ? .everyone
                    : accounts.userID(named: name.text).map { .user($0) }
                        ?? accounts.role(named: name.text).map { .role($0.id) }
                        ?? accounts.group(named: name.text).map { .group($0.id) }
            }
        guard let found else {
            throw SQLError(.undefinedObject, "user or role \"\(name)\" does not exist", at: name.position)
        }
        return found
    }

    /// Roles that the holder has.
    private func roleRows(_ holder: PrivilegeHolder?) throws -> [[Datum]] {
        guard let holder else { return [] }
        return snapshot.roleGrants.filter { $0.key.member == holder }.map { membership, grant in
            [
                .text(snapshot.database), .null, .optional(snapshot.accounts.roles[membership.role]?.name),
                .text("ROLE"), .text("USAGE"),
            ] + snapshot.identity(holder) + [
                .boolean(grant.adminOption), .text("ROLE"), .text(snapshot.userName(grant.grantor)), .null,
            ]
        }
    }
}
