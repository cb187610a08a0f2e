import Binder
import Catalog
import ColumnStore
import ColumnVectors
import SQLSyntax
import SQLTypes

/// SHOW TABLES, SHOW COLUMNS and their relatives: drivers read the columns by name.
extension StatementExecution {
    func showMetadata(_ statement: ShowMetadataStatement, _ snapshot: StoreSnapshot) throws {
        let system = systemSnapshot(snapshot)
        let metadata = try ShowMetadata(statement, system.within(snapshot.catalog.databaseID) ?? system)
        let (columns, rows) = try metadata.result()
        try handler.begin(columns: columns)
        let batch = ColumnBatch(types: columns.map(\.type))
        for row in rows { try batch.append(row) }
        if !rows.isEmpty { try handler.rows(batch) }
        rowCount = rows.count
        try handler.end(tag: "SHOW")
    }
}

/// The answer to one SHOW statement.
struct ShowMetadata {
    private let statement: ShowMetadataStatement
    private let snapshot: SystemSnapshot
    private let like: LikeText?

    init(_ statement: ShowMetadataStatement, _ snapshot: SystemSnapshot) throws {
        self.statement = statement
        self.snapshot = try snapshot.within(databaseOf: statement)
        like = statement.like.map { LikeText($0) }
    }

    func result() throws -> ([ResultColumn], [[Datum]]) {
        let relation = SystemRelation(statement.kind.rawValue, try columns())
        let columns = relation.columns.map {
            ResultColumn(
                name: statement.kind == .procedure ? "Stored Procedure Definition" : $0.name, type: $0.type)
        }
        var rows = try rows()
        if let limit = statement.limit { rows = Array(rows.prefix(Int(clamping: max(limit, 0)))) }
        return (columns, rows)
    }

    // MARK: Shapes

    private func columns() throws -> String {
        switch statement.kind {
        case .databases:
            return """
                database_name name, database_owner int, database_type varchar(32), database_acl text, parameters text,
                database_isolation_level text
                """
        case .schemas:
            return """
                database_name name, schema_name name, schema_owner int, schema_type varchar(128), schema_acl text,
                source_database text, schema_option text
                """
        case .tables:
            return """
                database_name name, schema_name name, table_name name, table_type varchar(128), table_acl text,
                remarks text, owner name, last_altered_time ts, last_modified_time ts, dist_style varchar(128),
                table_subtype varchar(128)
                """
        case .columns:
            return """
                database_name name, schema_name name, table_name name, column_name name, ordinal_position int,
                column_default text, is_nullable varchar(3), data_type varchar(128), character_maximum_length int,
                numeric_precision int, numeric_scale int, remarks text, sort_key_type varchar(32), sort_key int,
                dist_key int, encoding varchar(32), collation varchar(32)
                """
        case .table: return "ddl text"
        case .view: return "ddl text"
        case .procedure: return "definition text"
        default: return try constraintColumns()
        }
    }

    private func constraintColumns() throws -> String {
        switch statement.kind {
        case .primaryKeys:
            return """
                database_name name, schema_name name, table_name name, column_name name, key_seq smallint, pk_name name
                """
        case .foreignKeys, .exportedForeignKeys:
            return """
                pk_database_name name, pk_schema_name name, pk_table_name name, pk_column_name name,
                fk_database_name name, fk_schema_name name, fk_table_name name, fk_column_name name, key_seq smallint,
                update_rule smallint, delete_rule smallint, fk_name name, pk_name name, deferrability smallint
                """
        case .grants, .columnGrants:
            return """
                database_name name, schema_name name, object_name name, object_type varchar(32), privilege_type text,
                identity_id int, identity_name name, identity_type varchar(32), admin_option bool,
                privilege_scope varchar(32), grantor_name name, column_name name
                """
        case .procedures, .functions:
            let word = statement.kind == .procedures ? "procedure" : "function"
            return """
                database_name name, schema_name name, \(word)_name name, number_of_arguments int, argument_list text,
                return_type text, remarks text
                """
        case .procedureParameters, .functionParameters:
            let word = statement.kind == .procedureParameters ? "procedure" : "function"
            return """
                database_name name, schema_name name, \(word)_name name, parameter_name name, ordinal_position int,
                parameter_type varchar(16), data_type text, character_maximum_length int, numeric_precision int,
                numeric_scale int
                """
        default:
            throw RefusedStatement.error("SHOW \(statement.kind.rawValue)", at: statement.position)
        }
    }

    // MARK: Rows

    private func rows() throws -> [[Datum]] {
        switch statement.kind {
        case .databases: return databases()
        case .schemas: return try schemas()
        case .tables: return try tables()
        case .columns: return try columnRows()
        case .table: return [[.text(try tableText())]]
        case .view: return [[.text(try viewText())]]
        case .primaryKeys: return try primaryKeys()
        case .foreignKeys: return try foreignKeys()
        case .exportedForeignKeys: return try exportedKeys()
        case .grants: return try ShowGrants(statement, snapshot).rows()
        case .columnGrants: return try ShowGrants(statement, snapshot).columnRows()
        case .functions: return try functions()
        case .procedures: return try procedures()
        case .procedure: return [[.text(try procedure().shownText)]]
        case .procedureParameters: return procedureParameters(try procedure())
        default: return []
        }
    }

    private func matches(_ name: String) -> Bool { like?.matches(name) ?? true }

    private func databases() -> [[Datum]] {
        snapshot.store.catalog.databases.values.sorted { $0.name < $1.name }.filter { matches($0.name) }.map {
            snapshot.facts(of: $0)
        }
    }

    private func schemas() throws -> [[Datum]] {
        return snapshot.namespaces.sorted { $0.name < $1.name }.filter { matches($0.name) }.map {
            [
                .text(snapshot.database), .text($0.name), .number($0.owner), .text("local"),
                snapshot.accessLines(.schema(ObjectID(Int64($0.id)))), .null, .null,
            ]
        }
    }

    private func tables() throws -> [[Datum]] {
        let schema = try schemaName()
        let visibility = DefinitionVisibility(snapshot)
        return snapshot.relations.filter { $0.schema == schema && matches($0.name) }.map { relation in
            var style: String?
            if case .table(let table) = relation {
                style = TableRelations.distributionName(table, snapshot.store.table(table.id))
            }
            return [
                .text(snapshot.database), .text(relation.schema), .text(relation.name),
                .text(relation.kind == .table ? "TABLE" : "VIEW"), snapshot.accessLines(.relation(relation.id)),
                .optional(visibility.shows(relation) ? relation.comment : nil),
                .text(snapshot.userName(relation.owner)),
                .null, .null, .optional(style),
                .text(relation.kind == .materializedView ? relation.kind.words : "REGULAR \(relation.kind.words)"),
            ]
        }
    }

    private func functions() throws -> [[Datum]] {
        let schema = try schemaName()
        return snapshot.store.catalog.allFunctions.filter { $0.schema == schema && matches($0.name) }.map {
            [
                .text(snapshot.database), .text($0.schema), .text($0.name), .number($0.parameters.count),
                .text($0.parameters.map(\.nameWithoutModifiers).joined(separator: ", ")),
                .text($0.result.nameWithoutModifiers), .optional($0.comment),
            ]
        }
    }

    private func procedures() throws -> [[Datum]] {
        let schema = try schemaName()
        return snapshot.store.catalog.allProcedures.filter { $0.schema == schema && matches($0.name) }.map {
            [
                .text(snapshot.database), .text($0.schema), .text($0.name), .number($0.inputs.count),
                .text($0.inputList), .text($0.outputs.map(\.typeWord).joined(separator: ", ")), .optional($0.comment),
            ]
        }
    }

    /// Its text is shown to those who may call it.
    private func procedure() throws -> ProcedureDefinition {
        guard let name = statement.name else {
            throw SQLError(.syntaxError, "SHOW PROCEDURE needs a name", at: statement.position)
        }
        let catalog = snapshot.store.catalog
        let schemas = name.schema.map { [$0] } ?? snapshot.visibleSchemas(withImplicit: false)
        var found = schemas.lazy.map { catalog.procedures(schema: $0, name: name.name) }.first { !$0.isEmpty } ?? []
        if let types = statement.argumentTypes {
            let words = try types.map { $0.isCursor ? "refcursor" : try $0.resolve().nameWithoutModifiers }
            found = found.filter { $0.signature == ProcedureDefinition.signature(name.name, words) }
        }
        guard let procedure = found.first else {
            throw SQLError(.undefinedFunction, "procedure \(name) does not exist", at: name.position)
        }
        if found.count > 1 {
            throw SQLError(
                "42725", "procedure name \"\(name)\" is not unique",
                hint: "Specify the argument list to select the procedure unambiguously.", at: name.position)
        }
        let rights = AccessRights(snapshot.account, snapshot.accounts)
        if !rights.privileges(on: .procedure(procedure), in: catalog).contains(.execute) {
            throw SQLError(.insufficientPrivilege, "permission denied for procedure \(procedure.name)")
        }
        return procedure
    }

    private func procedureParameters(_ procedure: ProcedureDefinition) -> [[Datum]] {
        procedure.parameters.enumerated().filter { matches($0.element.name ?? "") }.map { index, parameter in
            let facts = ColumnFacts(
                database: snapshot.database, schema: procedure.schema, table: procedure.name,
                name: parameter.name ?? "", position: index + 1, type: parameter.type)
            return [
                .text(snapshot.database), .text(procedure.schema), .text(procedure.name), .optional(parameter.name),
                .number(index + 1), .text(parameter.mode.word),
                .text(parameter.isCursor ? "refcursor" : facts.dataType), facts.length, facts.precision, facts.scale,
            ]
        }
    }

    private func columnRows() throws -> [[Datum]] {
        let relation = try relation()
        var rows: [[Datum]] = []
        switch relation {
        case .table(let table):
            let data = snapshot.store.table(table.id)
            let isShown = DefinitionVisibility(snapshot).shows(table)
            for index in table.columns.indices where matches(table.columns[index].name) {
                let encoding = TableRelations.encodingName(table, index, data)
                let facts = ColumnFacts(table, index, snapshot, withDefinition: isShown)
                rows.append(columnRow(facts, table, encoding))
            }
        case .view(let view):
            for (index, column) in (snapshot.viewColumns(view) ?? []).enumerated() where matches(column.name) {
                let facts = ColumnFacts(
                    database: snapshot.database, schema: view.schema, table: view.name, name: column.name,
                    position: index + 1, type: column.type)
                rows.append(columnRow(facts, nil, nil))
            }
        }
        return rows
    }

    private func columnRow(_ facts: ColumnFacts, _ table: TableDefinition?, _ encoding: String?) -> [Datum] {
        var kind: String?
        switch table?.sortKey {
        case .compound: kind = "COMPOUND"
        case .interleaved: kind = "INTERLEAVED"
        case .auto: kind = "AUTO"
        case .some(.none), nil: break
        }
        let named: [Datum] = [
            .text(facts.database), .text(facts.schema), .text(facts.table), .text(facts.name),
            .number(facts.position), .optional(facts.defaultText), facts.isNullable, .text(facts.dataType),
            facts.length, facts.precision, facts.scale, .optional(facts.comment),
        ]
        return named + [
            .optional(kind), .number(Int(clamping: facts.sortPosition.magnitude)),
            .number(facts.isDistributionKey ? 1 : 0),
            .optional(encoding), .optional(facts.collation),
        ]
    }

    /// The whole definition, defaults included.
    private func tableText() throws -> String {
        let table = try table()
        if table.materialized != nil {
            throw SQLError(.wrongObjectType, "\"\(table.name)\" is not a table", at: statement.position)
        }
        guard DefinitionVisibility(snapshot).shows(table) else {
            throw SQLError(.insufficientPrivilege, "permission denied for relation \(table.name)")
        }
        return TableText.create(table, snapshot)
    }

    private func viewText() throws -> String {
        let relation = try relation()
        if case .table(let table) = relation, let text = table.materializedShownText { return text }
        guard case .view(let view) = relation else {
            throw SQLError(
                .wrongObjectType, "\"\(statement.name?.name ?? "")\" is not a view", at: statement.position)
        }
        return view.isLateBinding
            ? view.shownText
            : "CREATE VIEW \(CatalogArray.quoted(view.schema)).\(CatalogArray.quoted(view.name)) AS \(view.shownText)"
    }

    // MARK: Keys

    private func primaryKeys() throws -> [[Datum]] {
        let table = try table()
        guard let key = table.constraints.first(where: { $0.kind == .primaryKey }) else { return [] }
        return key.columns.enumerated().map { place, column in
            [
                .text(snapshot.database), .text(table.schema), .text(table.name), .text(table.columns[column].name),
                .number(place + 1), .text(key.name),
            ]
        }
    }

    private func foreignKeys() throws -> [[Datum]] {
        let table = try table()
        return table.constraints.flatMap { foreignRows($0, of: table) }
    }

    private func exportedKeys() throws -> [[Datum]] {
        let target = try table().id
        return snapshot.tables.flatMap { table in
            table.constraints.flatMap { constraint -> [[Datum]] in
                guard case .foreignKey(target, _) = constraint.kind else { return [] }
                return foreignRows(constraint, of: table)
            }
        }
    }

    private func foreignRows(_ constraint: Catalog.TableConstraint, of table: TableDefinition) -> [[Datum]] {
        guard case .foreignKey(let target, let columns) = constraint.kind,
            case .table(let other)? = snapshot.relation(id: Int(target.raw))
        else { return [] }
        let key = other.keys.first { $0.constraint.columns == columns }?.constraint.name
        return zip(columns, constraint.columns).enumerated().map { place, pair in
            [
                .text(snapshot.database), .text(other.schema), .text(other.name), .text(other.columns[pair.0].name),
                .text(snapshot.database), .text(table.schema), .text(table.name), .text(table.columns[pair.1].name),
                .number(place + 1), .number(3), .number(3), .text(constraint.name), .optional(key), .number(7),
            ]
        }
    }

    // MARK: Names

    /// `[database.]schema`; the first schema of the search path without a name.
    private func schemaName() throws -> String {
        guard let name = statement.name else {
            return snapshot.visibleSchemas(withImplicit: false).first ?? "public"
        }
        guard snapshot.namespaceIDs[name.name] != nil else {
            throw SQLError(.invalidSchemaName, "schema \"\(name.name)\" does not exist", at: name.position)
        }
        return name.name
    }

    func relation() throws -> Relation {
        guard let name = statement.name else {
            throw SQLError(.syntaxError, "SHOW \(statement.kind.rawValue) needs a name", at: statement.position)
        }
        let schemas =
            name.schema.map { [$0] }
            ?? [snapshot.temporarySchema] + snapshot.visibleSchemas(withImplicit: false)
        for schema in schemas {
            if let found = snapshot.store.catalog.relation(schema: schema, name: name.name) { return found }
        }
        throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist", at: name.position)
    }

    private func table() throws -> TableDefinition {
        guard case .table(let table) = try relation() else {
            throw SQLError(
                .wrongObjectType, "\"\(statement.name?.name ?? "")\" is not a table", at: statement.position)
        }
        return table
    }
}

/// LIKE for names: `%`, `_` and backslash.
struct LikeText {
    private enum Item: Equatable {
        case any
        case one
        case byte(UInt8)
    }
    private var items: [Item] = []

    init(_ pattern: String) {
        var isEscaped = false
        for byte in pattern.utf8 {
            if isEscaped {
                items.append(.byte(byte))
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "%") {
                if items.last != .any { items.append(.any) }
            } else {
                items.append(byte == UInt8(ascii: "_") ? .one : .byte(byte))
            }
        }
    }

    /// Goes back only to the last `%`, so no pattern takes long.
    func matches(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        var (place, item) = (0, 0)
        var retry: (place: Int, item: Int)?
        while place < bytes.count {
            if item < items.count, items[item] == .any {
                item += 1
                retry = (place, item)
            } else if item < items.count, items[item] == .one || items[item] == .byte(bytes[place]) {
                place += 1
                item += 1
            } else if let last = retry {
                retry = (last.place + 1, last.item)
                (place, item) = (last.place + 1, last.item)
            } else {
                return false
            }
        }
        return items[item...].allSatisfy { $0 == .any }
    }
}

/// CREATE TABLE text of SHOW TABLE, in Redshift's layout.
enum TableText {
    static func create(_ table: TableDefinition, _ snapshot: SystemSnapshot) -> String {
        var lines = table.columns.indices.map { "    " + column(table, $0, snapshot) }
        for constraint in table.constraints {
            let text = ConstraintRelations.definition(constraint, of: table, snapshot.store.catalog) {
                CatalogArray.quoted($0.schema) + "." + CatalogArray.quoted($0.name)
            }
            lines.append("    " + text)
        }
        let name = CatalogArray.quoted(table.schema) + "." + CatalogArray.quoted(table.name)
        let kind = table.isTemporary ? "CREATE TEMPORARY TABLE" : "CREATE TABLE"
        var text = "\(kind) \(name) (\n\(lines.joined(separator: ",\n"))\n)"
        switch table.distribution {
        case .auto: text += "\nDISTSTYLE AUTO"
        case .even: text += "\nDISTSTYLE EVEN"
        case .all: text += "\nDISTSTYLE ALL"
        case .key(let index): text += "\nDISTSTYLE KEY\nDISTKEY (\(CatalogArray.quoted(table.columns[index].name)))"
        }
        switch table.sortKey {
        case .none: break
        case .auto: text += "\nSORTKEY AUTO"
        case .compound(let columns): text += "\nSORTKEY \(ConstraintRelations.list(columns, of: table))"
        case .interleaved(let columns):
            text += "\nINTERLEAVED SORTKEY \(ConstraintRelations.list(columns, of: table))"
        }
        return text + ";"
    }

    private static func column(_ table: TableDefinition, _ index: Int, _ snapshot: SystemSnapshot) -> String {
        let column = table.columns[index]
        var text = "\(CatalogArray.quoted(column.name)) \(column.type.description)"
        if let identity = column.identity {
            text += identity.byDefault ? " GENERATED BY DEFAULT AS" : ""
            text += " IDENTITY(\(identity.seed),\(identity.step))"
        } else if let value = column.defaultExpression {
            text += " DEFAULT \(StoredText.statementText(value))"
        }
        if column.collation == .caseInsensitive { text += " COLLATE CASE_INSENSITIVE" }
        if column.notNull { text += " NOT NULL" }
        if !table.encodeAuto {
            let encoding = TableRelations.encodingName(table, index, snapshot.store.table(table.id))
            text += " ENCODE \(encoding == "none" ? "raw" : encoding)"
        }
        return text
    }
}

extension SystemSnapshot {
    /// Seen from the database that the statement names, if it does.
    fileprivate func within(databaseOf statement: ShowMetadataStatement) throws -> SystemSnapshot {
        guard let name = statement.databaseName else { return self }
        guard let found = store.catalog.database(named: name), let seen = within(found.id) else {
            throw DatabaseDefinition.isUnknown(name).at(statement.position)
        }
        return seen
    }
}

extension ShowMetadataStatement {
    fileprivate var databaseName: String? {
        switch kind {
        case .schemas: name?.name
        case .tables, .functions, .procedures: name?.schema
        case .grants where objectWords == "DATABASE": name?.name
        case .grants where objectWords == "SCHEMA": name?.schema
        case .databases, .columns, .table, .view, .externalTable, .procedure, .function, .procedureParameters,
            .functionParameters, .primaryKeys, .foreignKeys, .exportedForeignKeys, .grants, .columnGrants, .model,
            .datashares:
            name?.database
        }
    }
}
