import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// GRANT, REVOKE and ALTER DEFAULT PRIVILEGES.
struct GrantBinder {
    private let session: BindingSession
    private let node: GrantStatement
    private var catalog: CatalogSnapshot { session.catalog }
    private var accounts: AccountCatalog { session.catalog.accounts }

    init(_ session: BindingSession, _ node: GrantStatement) {
        self.session = session
        self.node = node
    }

    func bind() throws -> BoundGrant {
        let subject: BoundGrant.Subject
        if let defaults = node.defaults {
            subject = try bindDefaults(defaults)
        } else if case .system = node.target {
            subject = .system(try systemPrivileges())
        } else {
            subject = .objects(try targets())
        }
        let holders = try node.grantees.map { try PrincipalLookup(accounts, at: node.position).holder($0) }
        if node.grantOption && !node.isRevoke {
            for holder in holders {
                if case .user = holder { continue }
                throw SQLError(
                    "0LP01", "grant options can only be granted to individual users", at: node.position)
            }
        }
        return BoundGrant(
            isRevoke: node.isRevoke, subject: subject, holders: holders, grantOption: node.grantOption,
            cascade: node.cascade)
    }

    // MARK: Privileges

    private func systemPrivileges() throws -> [String] {
        for grantee in node.grantees {
            if case .role = grantee { continue }
            throw SQLError(
                "0LP01", "system privileges can only be granted to roles", at: node.position)
        }
        var names: [String] = []
        for privilege in node.privileges {
            if privilege.name == "ALL" {
                names += SystemPrivileges.all.sorted()
            } else if SystemPrivileges.all.contains(privilege.name) {
                names.append(privilege.name)
            } else {
                throw SQLError(
                    .syntaxError, "unrecognized privilege type \"\(privilege.name.lowercased())\"",
                    at: privilege.position)
            }
        }
        return names
    }

    /// The privileges without a column list, checked against what the kind of object knows.
    private func privileges(on object: SecuredObject, noun: String) throws -> PrivilegeSet {
        var result: PrivilegeSet = []
        for privilege in node.privileges where privilege.columns.isEmpty {
            result.formUnion(try self.privilege(privilege, on: object, noun: noun))
        }
        return result
    }

    private func privilege(_ privilege: Privilege, on object: SecuredObject, noun: String) throws -> PrivilegeSet {
        if privilege.name == "ALL" { return object.allPrivileges }
        guard let found = PrivilegeSet(word: privilege.name) else {
            throw SQLError(
                .syntaxError, "unrecognized privilege type \"\(privilege.name.lowercased())\"", at: privilege.position)
        }
        guard object.allPrivileges.contains(found) else {
            throw SQLError(
                "0LP01", "invalid privilege type \(privilege.name) for \(noun)", at: privilege.position)
        }
        return found
    }

    // MARK: Objects

    private func targets() throws -> [BoundGrant.Target] {
        switch node.target {
        case .objects(let kind, let names): return try names.flatMap { try targets(kind, $0) }
        case .allInSchema(let kind, let schemas):
            return try schemas.flatMap { try allObjects(kind, in: try schema($0)) }
        case .scoped(let kind, let container, let name): return [try scope(kind, container, name)]
        case .system: return []
        case .other(let words):
            throw SQLError(
                .featureNotSupported, "GRANT and REVOKE on \(words) are not supported", at: node.position)
        }
    }

    private func targets(_ kind: String, _ target: DropStatement.Target) throws -> [BoundGrant.Target] {
        let name = target.name
        switch kind {
        case "TABLE", "VIEW":
            guard let relation = try session.findRelation(name) else { throw session.unknownRelation(name) }
            return try targets(relation)
        case "SCHEMA": return [try self.target(try schema(name))]
        case "DATABASE":
            let database = try session.requireDatabase(name.last)
            let object = SecuredObject.database(database.id)
            let privileges = try privileges(on: object, noun: "database")
            return [plain(object, database.owner, "database \(name.name)", privileges)]
        case "LANGUAGE":
            guard ["sql", "plpgsql", "plpythonu", "exfunc", "mlfunc"].contains(name.name) else {
                throw SQLError(.undefinedObject, "language \"\(name.name)\" does not exist", at: name.position)
            }
            let object = SecuredObject.language(name.name)
            let privileges = try privileges(on: object, noun: "language")
            return [plain(object, UserDefinition.bootstrapID, "language \(name.name)", privileges)]
        case "FUNCTION":
            guard let object = try session.findObject(.function, name, arguments: target.argumentTypes) else {
                throw session.unknownObject(.function, name, arguments: target.argumentTypes)
            }
            return [try self.target(object)]
        case "PROCEDURE":
            guard let object = try session.findObject(.procedure, name, arguments: target.argumentTypes) else {
                throw session.unknownObject(.procedure, name, arguments: target.argumentTypes)
            }
            return [try self.target(object)]
        default:
            throw SQLError(
                .featureNotSupported, "GRANT and REVOKE on \(kind) are not supported", at: node.position)
        }
    }

    private func plain(
        _ object: SecuredObject, _ owner: Int, _ title: String, _ privileges: PrivilegeSet
    ) -> BoundGrant.Target {
        BoundGrant.Target(object: object, owner: owner, title: title, privileges: privileges, columns: [])
    }

    private func target(_ object: CatalogObject) throws -> BoundGrant.Target {
        let definition = object.definition
        let noun = object.kind.noun
        return plain(
            definition.secured, definition.owner, "\(noun) \(definition.title)",
            try privileges(on: definition.secured, noun: noun))
    }

    private func target(_ schema: SchemaDefinition) throws -> BoundGrant.Target {
        let object = SecuredObject.schema(schema.id)
        return plain(object, schema.owner, "schema \(schema.name)", try privileges(on: object, noun: "schema"))
    }

    /// The relation itself, and each column that the statement names.
    private func targets(_ relation: Relation) throws -> [BoundGrant.Target] {
        var result: [BoundGrant.Target] = []
        let title = "relation \(relation.name)"
        let object = SecuredObject.relation(relation.id)
        let whole = try privileges(on: object, noun: "relation")
        if !whole.isEmpty {
            var target = plain(object, relation.owner, title, whole)
            target.columns = (0..<relation.columnCount).map { .column(relation.id, relation.columnID($0)) }
            result.append(target)
        }
        for privilege in node.privileges {
            for column in privilege.columns {
                let index = try self.column(column, of: relation)
                let object = SecuredObject.column(relation.id, relation.columnID(index))
                result.append(
                    plain(object, relation.owner, title, try self.privilege(privilege, on: object, noun: "column")))
            }
        }
        return result
    }

    private func column(_ name: Identifier, of relation: Relation) throws -> Int {
        for index in 0..<relation.columnCount where relation.columnName(index) == name.text { return index }
        throw SQLError(
            .undefinedColumn, "column \"\(name)\" of relation \"\(relation.name)\" does not exist", at: name.position)
    }

    private func allObjects(_ kind: String, in schema: SchemaDefinition) throws -> [BoundGrant.Target] {
        switch kind {
        case "TABLES": return try catalog.relations(inSchema: schema.name).flatMap { try targets($0) }
        case "FUNCTIONS":
            return try catalog.objects(inSchema: schema.name).filter { $0.kind == .function }.map { try target($0) }
        case "PROCEDURES":
            return try catalog.objects(inSchema: schema.name).filter { $0.kind == .procedure }.map { try target($0) }
        default:
            throw SQLError(
                .syntaxError, "ALL \(kind) IN SCHEMA is not possible: TABLES, FUNCTIONS or PROCEDURES are",
                at: node.position)
        }
    }

    private func schema(_ name: ObjectName) throws -> SchemaDefinition {
        try session.checkDatabase(ofSchema: name)
        guard let schema = catalog.schemas[name.name] else {
            throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.position)
        }
        return schema
    }

    private func scope(_ kind: String, _ container: String, _ name: ObjectName) throws -> BoundGrant.Target {
        let kinds: [String: ObjectKindInScope] = [
            "TABLES": .tables, "SCHEMAS": .schemas, "FUNCTIONS": .functions, "PROCEDURES": .procedures,
            "LANGUAGES": .languages,
        ]
        guard let found = kinds[kind] else {
            throw SQLError(.featureNotSupported, "GRANT FOR \(kind) is not supported", at: node.position)
        }
        if container == "SCHEMA" {
            let schema = try schema(name)
            let object = SecuredObject.scope(found, in: schema.id)
            return plain(
                object, schema.owner, "schema \(schema.name)", try privileges(on: object, noun: kind.lowercased()))
        }
        let database = try session.requireDatabase(name.last)
        let object = SecuredObject.scope(found, in: database.id)
        return plain(
            object, database.owner, "database \(name.name)", try privileges(on: object, noun: kind.lowercased()))
    }

    // MARK: Default privileges

    private func bindDefaults(_ defaults: DefaultPrivileges) throws -> BoundGrant.Subject {
        guard case .objects(let word, _) = node.target else {
            throw SQLError(
                .syntaxError, "ALTER DEFAULT PRIVILEGES takes ON TABLES, FUNCTIONS or PROCEDURES",
                at: node.position)
        }
        let kinds: [String: DefaultPrivilegeKey.Kind] = [
            "TABLES": .relation, "FUNCTIONS": .function, "PROCEDURES": .procedure,
        ]
        guard let kind = kinds[word] else {
            throw SQLError(.syntaxError, "syntax error at or near \"\(word.lowercased())\"", at: node.position)
        }
        let lookup = PrincipalLookup(accounts, at: node.position)
        let owners =
            defaults.users.isEmpty ? [session.settings.user.id] : try defaults.users.map { try lookup.user($0).id }
        let schemas: [ObjectID?] = defaults.schemas.isEmpty ? [nil] : try defaults.schemas.map { try schema($0).id }
        let object = kind.secured(ObjectID(0))
        let keys = owners.flatMap { owner in
            schemas.map {
                DefaultPrivilegeKey(owner: owner, database: catalog.databaseID, schema: $0, kind: kind)
            }
        }
        return .defaults(keys, try privileges(on: object, noun: kind.words.lowercased()))
    }
}

/// Users, groups and roles by name.
package struct PrincipalLookup {
    private let accounts: AccountCatalog
    private let position: SourcePosition

    /// - Parameter position: for errors about names that have none of their own.
    package init(_ accounts: AccountCatalog, at position: SourcePosition) {
        self.accounts = accounts
        self.position = position
    }

    package func user(_ name: Identifier) throws -> UserDefinition {
        if let user = accounts.user(named: name.text) { return user }
        throw missing("user", name)
    }
    package func group(_ name: Identifier) throws -> GroupDefinition {
        if let group = accounts.group(named: name.text) { return group }
        throw missing("group", name)
    }
    package func role(_ name: Identifier) throws -> RoleDefinition {
        if let role = accounts.role(named: name.text) { return role }
        throw missing("role", name)
    }
    package func holder(_ grantee: Grantee) throws -> PrivilegeHolder {
        switch grantee {
        case .publicRole: .everyone
        case .user(let name): .user(try user(name).id)
        case .group(let name): .group(try group(name).id)
        case .role(let name): .role(try role(name).id)
        }
    }

    private func missing(_ noun: String, _ name: Identifier) -> SQLError {
        let place = name.position == .unknown ? position : name.position
        return SQLError(.undefinedObject, "\(noun) \"\(name)\" does not exist", at: place)
    }
}
