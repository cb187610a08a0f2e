import Binder
import Catalog
import ColumnStore
import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

extension BoundAlterTable: StatementProgram {
    var kind: StatementKind {
        for action in actions {
            if case .append = action {
                return StatementKind("ALTER TABLE", .outside("ALTER TABLE APPEND"))
            }
            if case .columnType = action {
                return StatementKind("ALTER TABLE", .outside("ALTER TABLE ALTER COLUMN TYPE"))
            }
        }
        return StatementKind(table.materialized == nil ? "ALTER TABLE" : "ALTER MATERIALIZED VIEW")
    }

    var effects: StatementEffects {
        let appended = actions.compactMap { if case .append(let append) = $0 { append.source.id } else { nil } }
        return .definition(of: [table.id] + appended)
    }

    func check(_ rights: StatementRights) throws {
        let relation = Relation.table(table)
        let mayAlter =
            rights.session.owns(table.owner) || rights.session.has(system: "ALTER TABLE")
            || rights.session.privileges(on: relation, in: rights.catalog).contains(.alter)
        if !mayAlter { throw rights.notOwner("relation \(table.name)") }
        for action in actions {
            switch action {
            case .owner(let owner):
                try rights.requireOwner(of: relation)
                try rights.requireSelf(owner)
            case .setSchema(let schema): try rights.requireCreate(inSchema: schema)
            case .append(let append):
                try rights.require(.insert, on: table)
                try rights.requireOwner(of: .table(append.source))
            case .addConstraint(let constraint): try rights.checkReference(constraint)
            // The right to alter the table is all that they need.
            case .addColumn, .dropColumn, .renameTable, .renameColumn, .columnType, .columnEncoding, .columnDefault,
                .columnNotNull, .distribution, .sortKey, .encodeAuto, .dropConstraint, .autoRefresh:
                continue
            }
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        try execution.alterTable(self, snapshot)
    }
}

extension StatementExecution {
    /// Changes of names and columns touch only the catalog; changes of the physical design rewrite the table.
    fileprivate func alterTable(_ change: BoundAlterTable, _ snapshot: StoreSnapshot) throws {
        var table = change.table
        var commit = StoreChange()
        var catalog = snapshot.catalog
        var rewrites = false
        for action in change.actions {
            switch action {
            case .addColumn(let column, let initial):
                try addColumn(column, initial, to: &table, &commit, snapshot)
            case .dropColumn(let index, let cascade):
                try dropColumn(index, cascade: cascade, from: &table, &catalog)
            case .renameTable(let name): try rename(&table, to: name, &catalog)
            case .owner(let owner): table.owner = try catalog.handOver(table, to: owner)
            case .columnType(let index, let type):
                try checkLengths(index, type, of: table, snapshot)
                table.columns[index].type = type
            case .autoRefresh(let isOn): table.materialized?.refreshesAutomatically = isOn
            case .setSchema(let schema):
                catalog.removeRelation(schema: table.schema, name: table.name)
                table.schema = schema
            case .append(let append):
                return try self.append(append, to: table, snapshot)
            case .renameColumn, .columnEncoding, .columnDefault, .columnNotNull, .distribution, .sortKey, .encodeAuto,
                .addConstraint, .dropConstraint:
                rewrites = try apply(action, to: &table) || rewrites
            }
        }
        catalog.put(.table(table))
        commit.catalog = catalog
        if rewrites, let data = snapshot.table(table.id), data.rowCount > 0 {
            commit.emptied = [table.id]
            commit.added = [try rewrite(try data.parts, of: data, as: table)]
        }
        try apply(commit, on: snapshot)
        try handler.end(tag: change.kind.name)
    }

    /// Actions on the definition alone; true when the rows must be written again.
    private func apply(_ action: BoundAlterTable.Action, to table: inout TableDefinition) throws -> Bool {
        switch action {
        case .renameColumn(let index, let name): table.columns[index].name = name
        case .owner: break
        case .columnDefault(let index, let text): table.columns[index].defaultExpression = text
        case .columnNotNull(let index, let notNull): table.columns[index].notNull = notNull
        case .addConstraint(let constraint): table.constraints.append(constraint)
        case .dropConstraint(let name, _):
            guard let index = table.constraints.firstIndex(where: { $0.name == name }) else {
                throw SQLError(.undefinedObject, "constraint \"\(name)\" does not exist")
            }
            table.constraints.remove(at: index)
        case .encodeAuto:
            table.encodeAuto = true
            for index in table.columns.indices { table.columns[index].encoding = .auto }
            return true
        case .columnEncoding(let index, let encoding):
            table.columns[index].encoding = encoding
            table.encodeAuto = false
            return true
        case .distribution(let style):
            table.distribution = style
            return true
        case .sortKey(let key):
            table.sortKey = key
            return true
        case .addColumn, .dropColumn, .renameTable, .setSchema, .append, .columnType, .autoRefresh: break
        }
        return false
    }

    /// A VARCHAR may become shorter only as far as its longest value.
    private func checkLengths(
        _ index: Int, _ type: SQLType, of table: TableDefinition, _ snapshot: StoreSnapshot
    ) throws {
        guard case .varchar(let length) = type, case .varchar(let present) = table.columns[index].type,
            length < present, let data = snapshot.table(table.id),
            let stored = data.definition.columns.firstIndex(where: { $0.id == table.columns[index].id })
        else { return }
        for part in try data.parts {
            for group in 0..<part.rowGroupCount {
                try cancellation.check()
                let values = ColumnBuffer(.string)
                try part.decode(column: stored, group: group, into: values)
                for row in 0..<values.count where values.validity.map({ $0[row] != 0 }) ?? true {
                    guard values.values(as: StringView.self)[row].count > length else { continue }
                    throw SQLError(
                        .featureNotSupported,
                        "target column size should be equal or larger than current maximum column size")
                }
            }
        }
    }

    private func addColumn(
        _ column: ColumnDefinition, _ initial: BoundExpression, to table: inout TableDefinition,
        _ commit: inout StoreChange, _ snapshot: StoreSnapshot
    ) throws {
        var added = column
        added.id = table.nextColumnID
        table.nextColumnID += 1
        let value = try constant(initial, snapshot)
        let hasRows = (snapshot.table(table.id)?.rowCount ?? 0) > 0
        if added.notNull && value.isNull && hasRows {
            throw SQLError(
                .notNullViolation, "ALTER TABLE ADD COLUMN defined as NOT NULL must have a non-null default expression")
        }
        if !value.isNull {
            commit.columnDefaults[IdentityKey(table: table.id, column: added.id)] = value
        }
        table.columns.append(added)
    }

    private func dropColumn(
        _ index: Int, cascade: Bool, from table: inout TableDefinition, _ catalog: inout CatalogSnapshot
    ) throws {
        let column = table.columns[index]
        let dependents = catalog.dependents(of: table.id, column: column.id)
        if let first = dependents.first, !cascade {
            throw SQLError(
                .dependentObjects,
                "cannot drop table \(table.name) column \(column.name) because other objects depend on it",
                detail: "\(first.kind.noun) \(first.title) depends on table \(table.name) column \(column.name)",
                hint: "Use DROP ... CASCADE to drop the dependent objects too.")
        }
        for dependent in dependents where catalog.object(id: dependent.id) != nil {
            handler.notice("NOTICE:  drop cascades to \(dependent.kind.noun) \(dependent.title)")
            try remove(dependent, cascade: true, besides: [], from: &catalog)
        }
        table.removeColumn(index)
    }

    private func rename(_ table: inout TableDefinition, to name: String, _ catalog: inout CatalogSnapshot) throws {
        if catalog.relation(schema: table.schema, name: name) != nil {
            throw SQLError(.duplicateTable, "Relation \"\(name)\" already exists")
        }
        catalog.removeRelation(schema: table.schema, name: table.name)
        table.name = name
    }
}

extension TableDefinition {
    /// Indexes in keys and constraints move with the columns.
    fileprivate mutating func removeColumn(_ index: Int) {
        columns.remove(at: index)
        func moved(_ other: Int) -> Int { other > index ? other - 1 : other }
        if case .key(let column) = distribution { distribution = .key(moved(column)) }
        switch sortKey {
        case .compound(let columns): sortKey = .compound(columns.map(moved))
        case .interleaved(let columns): sortKey = .interleaved(columns.map(moved))
        case .none, .auto: break
        }
        constraints = constraints.filter { !$0.columns.contains(index) }
        for place in constraints.indices { constraints[place].columns = constraints[place].columns.map(moved) }
    }
}
