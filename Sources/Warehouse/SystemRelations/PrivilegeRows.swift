import Catalog
import ColumnStore
import SQLTypes

/// One privilege of one holder on one object: what the privilege views, information_schema and SHOW GRANTS show.
struct PrivilegeRow {
    var schema: String?
    var object: String
    /// DATABASE, SCHEMA, TABLE, VIEW, COLUMN, LANGUAGE.
    var kind: String
    var column: String?
    var privilege: PrivilegeSet
    var holder: PrivilegeHolder
    var isGrantable: Bool
    var grantor: Int
    /// What a grant FOR ... IN reaches; the object itself otherwise.
    var scope: String
}

/// All privileges of a warehouse that a user may know of: those that it holds, has given, or that are on objects of
/// its own. Superusers know all.
struct PrivilegeRows {
    private let snapshot: SystemSnapshot
    private let accounts: AccountCatalog
    private let rights: AccessRights

    init(_ snapshot: SystemSnapshot) {
        self.snapshot = snapshot
        accounts = snapshot.accounts
        rights = snapshot.rights
    }

    private func isShown(_ entry: AccessEntry, owner: Int) -> Bool {
        rights.seesAllActivity || rights.owns(owner) || rights.holders.contains(entry.holder)
            || entry.grantor == rights.user.id
    }

    private func rows(
        _ object: SecuredObject, owner: Int, _ make: (PrivilegeSet, AccessEntry) -> PrivilegeRow
    ) -> [PrivilegeRow] {
        rows(accounts.accessList(of: object, owner: owner), owner: owner, make)
    }

    private func rows(
        _ list: AccessList, owner: Int, _ make: (PrivilegeSet, AccessEntry) -> PrivilegeRow
    ) -> [PrivilegeRow] {
        list.entries.filter { isShown($0, owner: owner) }.flatMap { entry in
            entry.privileges.members.map { make($0, entry) }
        }
    }

    func relation(_ relation: Relation) -> [PrivilegeRow] {
        rows(.relation(relation.id), owner: relation.owner) { privilege, entry in
            PrivilegeRow(
                schema: relation.schema, object: relation.name, kind: relation.kind.words, column: nil,
                privilege: privilege, holder: entry.holder, isGrantable: entry.grantable.contains(privilege),
                grantor: entry.grantor, scope: "TABLE")
        }
    }

    /// Privileges that are on columns alone.
    func columns(of relation: Relation) -> [PrivilegeRow] {
        (0..<relation.columnCount).flatMap { index -> [PrivilegeRow] in
            guard let list = accounts.access[.column(relation.id, relation.columnID(index))] else { return [] }
            return rows(list, owner: relation.owner) { privilege, entry in
                PrivilegeRow(
                    schema: relation.schema, object: relation.name, kind: "COLUMN",
                    column: relation.columnName(index), privilege: privilege, holder: entry.holder,
                    isGrantable: entry.grantable.contains(privilege), grantor: entry.grantor, scope: "COLUMN")
            }
        }
    }

    func schema(_ schema: SchemaDefinition) -> [PrivilegeRow] {
        rows(.schema(schema.id), owner: schema.owner) { privilege, entry in
            PrivilegeRow(
                schema: schema.name, object: schema.name, kind: "SCHEMA", column: nil, privilege: privilege,
                holder: entry.holder, isGrantable: entry.grantable.contains(privilege), grantor: entry.grantor,
                scope: "SCHEMA")
        } + scoped(schema.id, name: schema.name, owner: schema.owner)
    }

    var database: [PrivilegeRow] {
        databaseRows(snapshot.store.catalog.database)
    }

    func databaseRows(_ database: DatabaseDefinition) -> [PrivilegeRow] {
        let owner = database.owner
        return rows(.database(database.id), owner: owner) { privilege, entry in
            PrivilegeRow(
                schema: nil, object: database.name, kind: "DATABASE", column: nil, privilege: privilege,
                holder: entry.holder, isGrantable: entry.grantable.contains(privilege), grantor: entry.grantor,
                scope: "DATABASE")
        } + scoped(database.id, isSchema: false, name: database.name, owner: owner)
    }

    private func scoped(_ container: ObjectID, isSchema: Bool = true, name: String, owner: Int) -> [PrivilegeRow] {
        let kinds: [ObjectKindInScope] = [.tables, .schemas, .functions, .procedures, .languages]
        return kinds.flatMap { kind -> [PrivilegeRow] in
            guard let list = accounts.access[.scope(kind, in: container)] else { return [] }
            return rows(list, owner: owner) { privilege, entry in
                PrivilegeRow(
                    schema: isSchema ? name : nil, object: name, kind: isSchema ? "SCHEMA" : "DATABASE",
                    column: nil, privilege: privilege, holder: entry.holder,
                    isGrantable: entry.grantable.contains(privilege), grantor: entry.grantor,
                    scope: "\(kind)".uppercased())
            }
        }
    }

    /// Of stored relations and schemas, the database included.
    var all: [PrivilegeRow] {
        database + snapshot.schemas.flatMap { schema($0) }
            + snapshot.relations.flatMap { relation($0) + columns(of: $0) }
    }
}

extension SystemSnapshot {
    /// Stored schemas, those of other sessions' temporary tables left out.
    var schemas: [SchemaDefinition] {
        store.catalog.schemas.values.filter {
            !$0.name.hasPrefix(Session.temporarySchemaPrefix) || $0.name == temporarySchema
        }.sorted { $0.id < $1.id }
    }

    /// Id, name and kind of a holder as the views write them.
    func identity(_ holder: PrivilegeHolder) -> [Datum] {
        let name = Datum.optional(accounts.name(of: holder))
        switch holder {
        case .everyone: return [.zero, name, .text("public")]
        case .user(let id): return [.number(id), name, .text("user")]
        case .group(let id): return [.number(id), name, .text("group")]
        case .role(let id): return [.number(id), name, .text("role")]
        }
    }

    /// An access list as catalogs show it: NULL where nobody has granted anything.
    func accessText(_ object: SecuredObject) -> Datum {
        guard let list = accounts.access[object] else { return .null }
        return .string(CatalogArray.text(AccessText(accounts).items(list)))
    }
    /// One entry a line, for the views of schemas and tables.
    func accessLines(_ object: SecuredObject) -> Datum {
        guard let list = accounts.access[object] else { return .null }
        return .text(AccessText(accounts).items(list).joined(separator: "|"))
    }
}
