import Binder
import Catalog
import ColumnStore
import ColumnVectors
import SQLSyntax
import SQLTypes
import Workload

/// Saved snapshots. What is restored by SQL is written again, in one commit that readers do not wait for.
extension SnapshotStatement: StatementProgram {
    var kind: StatementKind {
        switch action {
        case .create: StatementKind("CREATE SNAPSHOT", .outside("CREATE SNAPSHOT"))
        case .drop: StatementKind("DROP SNAPSHOT", .outside("DROP SNAPSHOT"))
        case .restore: StatementKind("RESTORE SNAPSHOT", .outside("RESTORE SNAPSHOT"))
        case .restoreTable: StatementKind("RESTORE TABLE")
        }
    }
    var effects: StatementEffects {
        var effects = StatementEffects.definition()
        effects.admission = .maintenance
        return effects
    }
    func check(_ rights: StatementRights) throws { throw rights.notSuperuser("save and restore snapshots") }
    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.snapshot(self, snapshot)
    }
}

extension StatementExecution {
    fileprivate func snapshot(_ statement: SnapshotStatement, _ snapshot: StoreSnapshot) throws {
        let name = statement.name.text
        switch statement.action {
        case .create:
            try store.saveSnapshot(name)
        case .drop(let ifExists):
            if try ifExists && !store.savedSnapshots().contains(where: { $0.name == name }) {
                handler.notice("INFO:  Snapshot \"\(name)\" does not exist and will be skipped")
            } else {
                try store.dropSnapshot(name)
            }
        case .restore:
            try restoreAll(try store.openSavedSnapshot(name))
        case .restoreTable(let table, let newName):
            try restore(table, as: newName ?? table, try store.openSavedSnapshot(name), from: name, snapshot)
        }
        try handler.end(tag: statement.kind.name)
    }

    // MARK: One table

    private func restore(
        _ old: ObjectName, as new: ObjectName, _ saved: StoreSnapshot, from name: String, _ snapshot: StoreSnapshot
    ) throws {
        for name in [old, new] where name.database != nil && name.database != snapshot.catalog.database.name {
            throw name.isOfAnotherDatabase
        }
        let then = saved.catalog.within(snapshot.catalog.databaseID)
        let source = try find(old, in: then ?? CatalogSnapshot(), snapshot: name)
        var definition = source
        definition.schema = new.schema ?? (new.name == old.name ? source.schema : defaultSchema(snapshot.catalog))
        definition.name = new.name
        guard snapshot.catalog.schemas[definition.schema] != nil else {
            throw SQLError("3F000", "Schema \"\(definition.schema)\" does not exist", at: new.position)
        }
        if snapshot.catalog.relation(schema: definition.schema, name: definition.name) != nil {
            throw SQLError(
                .duplicateTable, "Relation \"\(definition.name)\" already exists",
                hint: "Drop it, or restore under another name with AS.", at: new.position)
        }
        var catalog = snapshot.catalog
        catalog.nextObjectID = store.reserveObjectIDs(1)
        definition.id = catalog.makeObjectID()
        if catalog.accounts.users[definition.owner] == nil { definition.owner = user.id }
        definition.constraints.removeAll { constraint in
            guard case .foreignKey(let target, _) = constraint.kind else { return false }
            return catalog.relation(id: target) == nil
        }
        catalog.put(.table(definition))
        var change = StoreChange()
        change.catalog = catalog
        rowCount = try add(source.id, of: saved, as: definition, to: &change)
        try apply(change, on: snapshot)
    }

    private func defaultSchema(_ catalog: CatalogSnapshot) -> String {
        session.settings.searchPath.first { catalog.schemas[$0] != nil } ?? "public"
    }

    private func find(_ name: ObjectName, in catalog: CatalogSnapshot, snapshot: String) throws -> TableDefinition {
        for schema in name.schema.map({ [$0] }) ?? session.settings.searchPath {
            let user = schema == "$user" ? warehouse.options.user : schema
            guard case .table(let table)? = catalog.relation(schema: user, name: name.name) else { continue }
            if table.materialized == nil { return table }
        }
        throw SQLError(
            .undefinedTable, "Relation \"\(name.name)\" does not exist in snapshot \"\(snapshot)\"", at: name.position)
    }

    /// Writes a saved table's rows again and adds them to the change, with the next identity values.
    ///
    /// - Returns: how many rows there are.
    private func add(
        _ id: ObjectID, of saved: StoreSnapshot, as definition: TableDefinition, to change: inout StoreChange
    ) throws -> Int {
        for column in definition.columns where column.identity != nil {
            guard let next = saved.nextIdentity(IdentityKey(table: id, column: column.id)) else { continue }
            change.identity[IdentityKey(table: definition.id, column: column.id)] = next
        }
        guard let table = saved.table(id), table.rowCount > 0 else { return 0 }
        let parts = try rewrite(try table.parts, of: table, as: definition)
        change.added.append(parts)
        return parts.rowCount
    }

    // MARK: Everything

    /// Definitions and rows become what they were; temporary tables stay.
    private func restoreAll(_ saved: StoreSnapshot) throws {
        let tables = store.snapshot().catalog.tablesOfAllDatabases.filter { !$0.isTemporary }.map(\.id)
        _ = try lock(tables, .exclusive)
        let base = store.settledSnapshot()
        var catalog = saved.catalog
        replaceTemporary(in: &catalog, by: base.catalog)
        // A number of a user of today must never become another one's.
        catalog.accounts.nextID = max(catalog.accounts.nextID, base.catalog.accounts.nextID)
        catalog.nextObjectID = max(store.reserveObjectIDs(1), catalog.nextObjectID)
        var change = StoreChange()
        for saving in saved.catalog.withinEach {
            catalog.enter(saving.databaseID)
            try restore(saving, of: saved, over: base, &catalog, &change)
        }
        change.catalog = catalog
        try apply(change, on: base)
    }

    private func replaceTemporary(in catalog: inout CatalogSnapshot, by present: CatalogSnapshot) {
        let isTemporary = { (name: String) in name.hasPrefix(Session.temporarySchemaPrefix) }
        let seen = catalog.databaseID
        for database in catalog.databases.keys {
            catalog.enter(database)
            for name in catalog.schemas.keys where isTemporary(name) { catalog.removeSchema(name) }
            guard let now = present.within(database) else { continue }
            for (name, schema) in now.schemas where isTemporary(name) {
                catalog.put(schema)
                for relation in now.relations(inSchema: name) { catalog.put(relation) }
            }
        }
        catalog.enter(seen)
    }

    /// The tables of one database.
    ///
    /// - Parameter catalog: what is restored, seen from that database.
    private func restore(
        _ saving: CatalogSnapshot, of saved: StoreSnapshot, over base: StoreSnapshot, _ catalog: inout CatalogSnapshot,
        _ change: inout StoreChange
    ) throws {
        for case .table(var table) in saving.allRelations where !table.isTemporary {
            if let present = base.table(table.id)?.definition {
                change.emptied.insert(table.id)
                // Columns that were added since have left their numbers with defaults of their own.
                table.nextColumnID = max(table.nextColumnID, present.nextColumnID)
                catalog.put(.table(table))
            }
            rowCount += try add(table.id, of: saved, as: table, to: &change)
        }
    }
}
