import Binder
import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// The one place that decides whether a user may run a statement: what it reads (from the binder's ``AccessRecord``)
/// and what it does. Superusers do not come here. Statements about accounts and grants carry rules of their own, in
/// ``AccountChange``.
struct StatementAuthorization {
    let rights: AccessRights
    let catalog: CatalogSnapshot
    let temporarySchema: String

    /// - Returns: the statement, without the tables that VACUUM and ANALYZE must leave alone.
    func authorize(
        _ statement: BoundStatement, _ access: AccessRecord, notice: (String) -> Void
    ) throws -> BoundStatement {
        try check(statement)
        try check(access, statement)
        if case .vacuum(let node, let tables) = statement {
            return .vacuum(node, maintained(tables, "VACUUM", names: node.table != nil, notice))
        }
        if case .analyze(let node, let tables, let columns) = statement {
            return .analyze(
                node, maintained(tables, "ANALYZE", names: node.table != nil, notice), columns: columns)
        }
        return statement
    }

    // MARK: What is read

    private func check(_ access: AccessRecord, _ statement: BoundStatement) throws {
        for use in access.systemUses where SystemVisibility.isRestricted(use.name) && !use.rights.seesAllActivity {
            throw denied("relation \(use.name)")
        }
        var referenced: Set<ColumnID>?
        for use in access.uses {
            let held = use.rights.privileges(on: use.relation, in: catalog)
            if held.contains(.select) { continue }
            if referenced == nil { referenced = ReferencedColumns.of(statement) }
            let read = use.columns.indices.filter { referenced?.contains(use.columns[$0]) ?? true }
            if use.needed.isEmpty && read.isEmpty { continue }
            let isAllowed =
                read.isEmpty
                ? (0..<use.relation.columnCount).contains { maySelect($0, use) }
                : read.allSatisfy { maySelect($0, use) }
            if !isAllowed { throw denied("relation \(use.relation.name)") }
        }
    }

    private func maySelect(_ column: Int, _ use: AccessRecord.Use) -> Bool {
        use.rights.privileges(onColumn: column, of: use.relation).contains(.select)
    }

    // MARK: What is done

    /// Each statement's rule. There is no `default`: a new statement does not compile before it has one.
    private func check(_ statement: BoundStatement) throws {
        switch statement {
        // They do nothing but read, which has been checked. Where UNLOAD may write is for its target's policy to say.
        case .query, .copyOut, .unload, .declareCursor: return
        case .insert(let insert): try require(.insert, on: insert.table)
        case .copy(let copy): try require(.insert, on: copy.table)
        case .delete(let delete): try require(.delete, on: delete.table)
        case .update(let update): try check(update)
        case .merge(let merge): try check(merge)
        case .truncate(let table): try checkTruncation(of: table)
        case .lock(let tables): try checkLock(of: tables)
        case .explain(_, let inner): try check(inner)
        case .createTable(let table, _), .createTableAs(let table, _, _): try checkCreation(of: table)
        case .createView(let view, _): try checkCreation(of: view)
        case .createSchema(let schema, _): try checkCreation(of: schema)
        case .alterTable(let change): try check(change)
        case .alterView(let view, let action): try check(view, action)
        case .alterSchema(let schema, let action): try check(schema, action)
        case .alterDatabase(let node): try checkDatabase(node.name.text)
        case .drop(let drop): try check(drop)
        case .comment(let comment): try check(comment)
        // Every change of accounts has its rule in AccountChange.
        case .grant, .account: return
        // The tables of others have been left out.
        case .vacuum, .analyze: return
        // The session's own state, and what is open to all. A FETCH reads what DECLARE was allowed to read.
        case .set, .reset, .show, .prepare, .deallocate, .fetch, .closeCursor, .transaction: return
        // The statement that was prepared is checked when it runs.
        case .execute: return
        // They ask for a superuser, or for the session's own user, where they run.
        case .cancel, .snapshot, .resize: return
        }
    }

    private func checkTruncation(of table: TableDefinition) throws {
        if !rights.has(system: "TRUNCATE TABLE") { try require(.truncate, on: table) }
    }

    private func checkLock(of tables: [TableDefinition]) throws {
        for table in tables {
            let held = rights.privileges(on: .table(table), in: catalog)
            if held.isDisjoint(with: [.update, .delete, .truncate]) { throw denied("relation \(table.name)") }
        }
    }

    private func check(_ update: BoundUpdate) throws {
        let relation = Relation.table(update.table)
        if rights.privileges(on: relation, in: catalog).contains(.update) { return }
        let isAllowed = update.assignments.allSatisfy {
            rights.privileges(onColumn: $0.column, of: relation).contains(.update)
        }
        if !isAllowed { throw denied("relation \(update.table.name)") }
    }

    private func check(_ merge: BoundMerge) throws {
        switch merge.matched {
        case .update(let update): try check(update)
        case .delete: try require(.delete, on: merge.table)
        case nil: break
        }
        if merge.insertion != nil { try require(.insert, on: merge.table) }
    }

    // MARK: New objects

    private func checkCreation(of table: TableDefinition) throws {
        if table.isTemporary {
            guard rights.privilegesOnDatabase(catalog).contains(.temporary) else {
                throw denied("database \(catalog.database)", "permission denied to create temporary tables in database")
            }
        } else if !rights.has(system: "CREATE TABLE") {
            try requireCreate(inSchema: table.schema)
        }
        for constraint in table.constraints { try checkReference(constraint) }
    }

    private func checkReference(_ constraint: Catalog.TableConstraint) throws {
        guard case .foreignKey(let target, _) = constraint.kind, case .table(let table)? = catalog.relation(id: target)
        else { return }
        try require(.references, on: table)
    }

    private func checkCreation(of view: ViewDefinition) throws {
        if let existing = catalog.relation(schema: view.schema, name: view.name) { try requireOwner(of: existing) }
        if !rights.has(system: "CREATE OR REPLACE VIEW") { try requireCreate(inSchema: view.schema) }
    }

    private func checkCreation(of schema: SchemaDefinition) throws {
        if !rights.has(system: "CREATE SCHEMA") { try requireCreateOnDatabase() }
        if schema.owner != rights.user.id { throw notSelf() }
    }

    private func requireCreate(inSchema name: String) throws {
        guard let schema = catalog.schemas[name] else { return }
        if !rights.privileges(on: schema).contains(.create) { throw denied("schema \(name)") }
    }

    private func requireCreateOnDatabase() throws {
        if rights.privilegesOnDatabase(catalog).contains(.create) { return }
        throw denied("database \(catalog.database)")
    }

    /// Objects are given away by superusers only.
    private func requireSelf(_ owner: String) throws {
        if owner != rights.user.name { throw notSelf() }
    }
    private func notSelf() -> SQLError {
        SQLError(.insufficientPrivilege, "must be superuser to give objects to other users")
    }

    // MARK: Changes of objects

    private func check(_ change: BoundAlterTable) throws {
        let relation = Relation.table(change.table)
        let mayAlter =
            rights.owns(change.table.owner) || rights.has(system: "ALTER TABLE")
            || rights.privileges(on: relation, in: catalog).contains(.alter)
        if !mayAlter { throw notOwner("relation \(change.table.name)") }
        for action in change.actions {
            switch action {
            case .owner(let owner):
                try requireOwner(of: relation)
                try requireSelf(owner)
            case .setSchema(let schema): try requireCreate(inSchema: schema)
            case .append(let append):
                try require(.insert, on: change.table)
                try requireOwner(of: .table(append.source))
            case .addConstraint(let constraint): try checkReference(constraint)
            // The right to alter the table is all that they need.
            case .addColumn, .dropColumn, .renameTable, .renameColumn, .columnType, .columnEncoding, .columnDefault,
                .columnNotNull, .distribution, .sortKey, .encodeAuto, .dropConstraint:
                continue
            }
        }
    }

    private func check(_ view: ViewDefinition, _ action: BoundAlterTable.Action) throws {
        try requireOwner(of: .view(view))
        if case .owner(let owner) = action { try requireSelf(owner) }
        if case .setSchema(let schema) = action { try requireCreate(inSchema: schema) }
    }

    private func checkDatabase(_ name: String) throws {
        if rights.owns(catalog.databaseOwner) || rights.privilegesOnDatabase(catalog).contains(.alter) { return }
        throw notOwner("database \(name)")
    }

    private func check(_ drop: BoundDrop) throws {
        for target in drop.targets {
            switch target {
            case .relation(let relation):
                let noun = if case .view = relation { "VIEW" } else { "TABLE" }
                if rights.has(system: "DROP \(noun)") || rights.owns(relation.owner) { continue }
                if rights.privileges(on: relation, in: catalog).contains(.drop) { continue }
                if let schema = catalog.schemas[relation.schema], rights.owns(schema.owner) { continue }
                throw notOwner("relation \(relation.name)")
            case .schema(let schema):
                if rights.has(system: "DROP SCHEMA") || rights.owns(schema.owner) { continue }
                if rights.privileges(on: schema).contains(.drop) { continue }
                throw notOwner("schema \(schema.name)")
            }
        }
    }

    private func check(_ schema: SchemaDefinition, _ action: AlterSchemaStatement.Action) throws {
        guard rights.owns(schema.owner) || rights.privileges(on: schema).contains(.alter) else {
            throw notOwner("schema \(schema.name)")
        }
        switch action {
        case .renameTo: try requireCreateOnDatabase()
        case .ownerTo(let owner): try requireSelf(owner.text)
        case .quota: throw SQLError(.insufficientPrivilege, "must be superuser to set quotas of schemas")
        }
    }

    private func check(_ comment: BoundComment) throws {
        switch comment.target {
        case .relation(let relation): try requireOwner(of: relation)
        case .column(let table, _): try requireOwner(of: .table(table))
        case .viewColumn(let view, _): try requireOwner(of: .view(view))
        case .schema(let schema): if !rights.owns(schema.owner) { throw notOwner("schema \(schema.name)") }
        case .database(let name): if !rights.owns(catalog.databaseOwner) { throw notOwner("database \(name)") }
        }
    }

    /// Of all tables those of others are left out without a word, of named ones with a warning.
    private func maintained(
        _ tables: [TableDefinition], _ command: String, names: Bool, _ notice: (String) -> Void
    ) -> [TableDefinition] {
        if rights.has(system: command) { return tables }
        return tables.filter { table in
            if rights.owns(table.owner) || rights.owns(catalog.databaseOwner) { return true }
            if names {
                let verb = command.lowercased()
                notice("WARNING:  skipping \"\(table.name)\" --- only table or database owner can \(verb) it")
            }
            return false
        }
    }

    // MARK: Requirements

    private func require(_ privilege: PrivilegeSet, on table: TableDefinition) throws {
        if rights.privileges(on: .table(table), in: catalog).contains(privilege) { return }
        throw denied("relation \(table.name)")
    }

    private func requireOwner(of relation: Relation) throws {
        if !rights.owns(relation.owner) { throw notOwner("relation \(relation.name)") }
    }

    private func denied(_ object: String, _ message: String? = nil) -> SQLError {
        SQLError(.insufficientPrivilege, message ?? "permission denied for \(object)")
    }
    private func notOwner(_ object: String) -> SQLError {
        SQLError(.insufficientPrivilege, "must be owner of \(object)")
    }
}
