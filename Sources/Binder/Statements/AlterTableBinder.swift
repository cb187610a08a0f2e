import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// ALTER TABLE: every action checked against the table as it is.
struct AlterTableBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: AlterTableStatement) throws -> BoundStatement {
        try refuseOthers(node)
        if node.actions.count == 1, case .view(let view)? = try session.findRelation(node.name) {
            func change(_ action: BoundAlterObject.Action) -> BoundStatement {
                .alterObject(BoundAlterObject(object: view.object, action: action))
            }
            switch node.actions[0] {
            case .ownerTo(let owner): return change(.owner(owner.text))
            case .renameTable(let name):
                try checkFree(name, schema: view.schema)
                return change(.rename(name.text))
            case .setSchema(let schema):
                try checkSchema(schema)
                return change(.setSchema(schema.text))
            default: throw SQLError(.wrongObjectType, "\"\(view.name)\" is not a table", at: node.name.position)
            }
        }
        if case .table(let table)? = try session.findRelation(node.name), table.materialized != nil {
            return try bind(node, ofView: table)
        }
        let table = try session.requireTable(node.name, for: "alter")
        return .alterTable(
            BoundAlterTable(table: table, actions: try node.actions.map { try bind($0, table, at: node.position) }))
    }

    /// Of a materialized view only owner and physical design can be changed.
    func bind(_ node: AlterTableStatement, ofView table: TableDefinition) throws -> BoundStatement {
        try refuseOthers(node)
        let actions = try node.actions.map { action -> BoundAlterTable.Action in
            switch action {
            case .ownerTo, .distributionStyle, .sortKey, .encodeAuto:
                return try bind(action, table, at: node.position)
            case .addColumn, .dropColumn, .renameTable, .renameColumn, .alterColumnType, .alterColumnEncode,
                .alterColumnDefault, .alterColumnNullability, .addConstraint, .dropConstraint, .append,
                .rowLevelSecurity, .setSchema, .other:
                throw SQLError(
                    .featureNotSupported, "this cannot be changed of materialized view \"\(table.name)\"",
                    hint: "Drop it and create it anew.", at: node.position)
            }
        }
        return .alterTable(BoundAlterTable(table: table, actions: actions))
    }

    private func checkFree(_ name: Identifier, schema: String) throws {
        if session.catalog.relation(schema: schema, name: name.text) != nil {
            throw SQLError(.duplicateTable, "relation \"\(name)\" already exists", at: name.position)
        }
    }

    private func checkSchema(_ schema: Identifier) throws {
        guard session.catalog.schemas[schema.text] != nil else {
            throw SQLError(.invalidSchemaName, "schema \"\(schema)\" does not exist", at: schema.position)
        }
    }

    private func bind(
        _ action: AlterTableAction, _ table: TableDefinition, at position: SourcePosition
    ) throws -> BoundAlterTable.Action {
        switch action {
        case .addColumn(let column): return try addColumn(column, table)
        case .dropColumn(let name, let cascade):
            return .dropColumn(try droppable(name, table, cascade: cascade), cascade: cascade)
        case .renameTable(let name):
            try checkFree(name, schema: table.schema)
            return .renameTable(name.text)
        case .renameColumn(let name, let new):
            let index = try table.requireColumn(name)
            try checkNew(new, table)
            return .renameColumn(index, to: new.text)
        case .ownerTo(let owner): return .owner(owner.text)
        case .setSchema(let schema):
            try checkSchema(schema)
            return .setSchema(schema.text)
        default: return try bindDesign(action, table, at: position)
        }
    }

    private func bindDesign(
        _ action: AlterTableAction, _ table: TableDefinition, at position: SourcePosition
    ) throws -> BoundAlterTable.Action {
        switch action {
        case .alterColumnType(let name, let type): return try columnType(name, type, table)
        case .alterColumnEncode(let name, let encoding):
            let index = try table.requireColumn(name)
            let chosen = try EncodingRules.encoding(encoding, for: table.columns[index].type, at: name.position)
            try refuseInterleaved(table, "ENCODE", position)
            if chosen == table.columns[index].encoding && chosen != .auto {
                throw SQLError(
                    .objectNotInState, "column \"\(name)\" has encoding \(chosen.rawValue) already", at: name.position)
            }
            return .columnEncoding(index, chosen)
        case .alterColumnDefault(let name, let expression):
            let index = try table.requireColumn(name)
            let text = try expression.map { try ColumnBinder(session).defaultText($0, for: table.columns[index]) }
            return .columnDefault(index, text)
        case .alterColumnNullability(let name, let isNullable):
            return .columnNotNull(try table.requireColumn(name), !isNullable)
        case .distributionStyle(let style, let key):
            try refuseInterleaved(table, "DISTSTYLE", position)
            return .distribution(try distribution(style, key, table, position))
        case .sortKey(let clause):
            if case .interleaved = clause {
                throw SQLError(
                    .featureNotSupported, "ALTER TABLE cannot set an interleaved sort key", at: position)
            }
            if table.isTemporary {
                throw SQLError(
                    .featureNotSupported, "ALTER SORTKEY is not supported for temporary tables", at: position)
            }
            return .sortKey(try PhysicalDesign.sortKey(clause, of: table))
        case .encodeAuto: return .encodeAuto
        case .addConstraint(let constraint): return try addConstraint(constraint, table)
        case .dropConstraint(let name, let cascade):
            guard table.constraints.contains(where: { $0.name == name.text }) else {
                throw SQLError(
                    .undefinedObject, "constraint \"\(name)\" of relation \"\(table.name)\" does not exist",
                    at: name.position)
            }
            return .dropConstraint(name.text, cascade: cascade)
        case .append(let source, let ignoreExtra, let fillTarget):
            let binder = AppendBinder(
                session: session, target: table, source: try session.requireTable(source, for: "append from"),
                position: position)
            return .append(try binder.bind(ignoreExtra: ignoreExtra, fillTarget: fillTarget))
        case .rowLevelSecurity, .other: throw RefusedStatement.error("ALTER TABLE", at: position)
        default:
            throw SQLError(.featureNotSupported, "this form of ALTER TABLE is not supported", at: position)
        }
    }

    /// Forms of external tables and of policies, before the table is looked for.
    private func refuseOthers(_ node: AlterTableStatement) throws {
        for action in node.actions {
            switch action {
            case .rowLevelSecurity: throw RefusedStatement.error("ALTER TABLE ROW LEVEL SECURITY", at: node.position)
            case .other(let text):
                let isMasking = text.uppercased().hasPrefix("MASKING")
                throw RefusedStatement.error(
                    isMasking ? "ALTER TABLE MASKING" : "ALTER EXTERNAL TABLE", at: node.position)
            default: continue
            }
        }
    }

    private func addColumn(
        _ node: SQLSyntax.ColumnDefinition, _ table: TableDefinition
    ) throws -> BoundAlterTable.Action {
        try checkNew(node.name, table)
        guard table.columns.count < BinderLimits.columns else {
            throw SQLError(
                .tooManyColumns, "tables can have at most \(BinderLimits.columns) columns", at: node.name.position)
        }
        for attribute in node.attributes {
            switch attribute.kind {
            case .identity, .primaryKey, .unique, .references, .distributionKey, .sortKey:
                throw SQLError(
                    .featureNotSupported,
                    "ALTER TABLE ADD COLUMN does not support keys, constraints and identity", at: attribute.position)
            default: break
            }
        }
        let column = try ColumnBinder(session).bind(node, id: table.nextColumnID)
        let initial = try DefaultBinder(session).value(of: column)
        return .addColumn(column, initial: initial)
    }

    private func checkNew(_ name: Identifier, _ table: TableDefinition) throws {
        if table.columnIndex(name.text) != nil {
            throw SQLError(
                .duplicateColumn, "column \"\(name)\" of relation \"\(table.name)\" already exists",
                at: name.position)
        }
    }

    private func droppable(_ name: Identifier, _ table: TableDefinition, cascade: Bool) throws -> Int {
        let index = try table.requireColumn(name)
        func refuse(_ reason: String) -> SQLError {
            SQLError(.invalidTableDefinition, "cannot drop \(reason) column \"\(name)\"", at: name.position)
        }
        if table.columns.count == 1 { throw refuse("the only") }
        if case .key(index) = table.distribution { throw refuse("distkey") }
        if table.sortKey.columns.contains(index) { throw refuse("sortkey") }
        if !cascade, table.constraints.contains(where: { $0.columns.contains(index) }) {
            throw SQLError(
                .dependentObjects,
                "cannot drop table \(table.name) column \(name) because other objects depend on it",
                hint: "Use DROP ... CASCADE to drop the dependent objects too.", at: name.position)
        }
        return index
    }

    /// Redshift changes the size of VARCHAR columns only.
    private func columnType(
        _ name: Identifier, _ node: ParsedTypeName, _ table: TableDefinition
    ) throws -> BoundAlterTable.Action {
        let index = try table.requireColumn(name)
        let type = try node.resolve()
        guard case .varchar = table.columns[index].type, case .varchar = type else {
            throw SQLError(
                .featureNotSupported,
                "ALTER COLUMN TYPE is only supported to change the size of VARCHAR columns", at: name.position)
        }
        switch table.columns[index].encoding {
        case .bytedict, .runlength, .text255, .text32k:
            throw SQLError(
                .featureNotSupported,
                "cannot alter the type of column \"\(name)\" with encoding \(table.columns[index].encoding.rawValue)",
                at: name.position)
        default: break
        }
        if table.columns[index].defaultExpression != nil {
            throw SQLError(
                .featureNotSupported, "cannot alter the type of column \"\(name)\", which has a default",
                at: name.position)
        }
        if table.constraints.contains(where: { $0.columns.contains(index) }) {
            throw SQLError(
                .featureNotSupported,
                "cannot alter the type of column \"\(name)\", which is part of a primary, unique or foreign key",
                at: name.position)
        }
        return .columnType(index, type)
    }

    private func refuseInterleaved(_ table: TableDefinition, _ what: String, _ position: SourcePosition) throws {
        guard case .interleaved = table.sortKey else { return }
        throw SQLError(
            .featureNotSupported, "ALTER \(what) is not supported for tables with an interleaved sort key",
            at: position)
    }

    private func distribution(
        _ style: SQLSyntax.DistributionStyle, _ key: Identifier?, _ table: TableDefinition,
        _ position: SourcePosition
    ) throws -> Catalog.DistributionStyle {
        switch style {
        case .auto: return .auto
        case .even: return .even
        case .all: return .all
        case .key:
            guard let key else {
                throw SQLError(.syntaxError, "DISTSTYLE KEY requires a DISTKEY column", at: position)
            }
            return .key(try PhysicalDesign.column(key, of: table))
        }
    }

    private func addConstraint(
        _ node: SQLSyntax.TableConstraint, _ table: TableDefinition
    ) throws -> BoundAlterTable.Action {
        let constraint = try ConstraintBinder(session).bind(node, of: table)
        if constraint.kind == .primaryKey, let index = constraint.columns.first(where: { !table.columns[$0].notNull }) {
            throw SQLError(
                .invalidTableDefinition,
                "column \"\(table.columns[index].name)\" must be NOT NULL to be part of a primary key",
                at: node.position)
        }
        return .addConstraint(constraint)
    }
}
