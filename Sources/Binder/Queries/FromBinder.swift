import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// FROM: each entry becomes a plan and the names that it offers.
struct FromBinder {
    let queries: QueryBinder
    /// The scope of the SELECT: entries see its enclosing queries and common tables, but not each other.
    let scope: Scope

    var session: BindingSession { queries.session }

    /// The entries, which commas part, and all of them together; nil without FROM.
    func bind(_ references: [TableReference]) throws -> (entries: [FromItem], all: FromItem)? {
        var entries: [FromItem] = []
        var result: FromItem?
        for reference in references {
            if let item = try unnested(reference, over: result) {
                entries = [item]
                result = item
                continue
            }
            let item = try bind(reference)
            entries.append(item)
            guard let left = result else {
                result = item
                continue
            }
            result = try JoinBinder(from: self).crossJoined(left, item, at: reference.position)
        }
        return result.map { (entries, $0) }
    }

    /// The entries so far with the rows of one that is unnested from them, or from an enclosing query; nil where it is
    /// another one.
    func unnested(_ reference: TableReference, over left: FromItem?) throws -> FromItem? {
        if let item = try UnnestBinder(from: self).bind(reference, over: left) {
            if let left { try JoinBinder(from: self).checkAlias(of: item, beside: left, at: reference.position) }
            return item
        }
        guard let left, case .join(let join) = reference else { return nil }
        return try JoinBinder(from: self).bind(join, over: left)
    }

    func bind(_ reference: TableReference) throws -> FromItem {
        try session.countOperator()
        return try session.deeper {
            switch reference {
            case .table(let table): try bindTable(table)
            case .subquery(let derived): try bindDerived(derived)
            case .join(let join): try JoinBinder(from: self).bind(join)
            case .function(let function): try bindFunction(function)
            case .pivot(let pivot): try PivotBinder(from: self).bind(pivot)
            case .unpivot(let unpivot): try UnpivotBinder(from: self).bind(unpivot)
            case .navigation(let path), .objectUnpivot(let path):
                try bindPath(reference, at: path.position)
            }
        }
    }

    /// A path that no earlier entry of FROM begins: an enclosing query does.
    private func bindPath(_ reference: TableReference, at position: SourcePosition) throws -> FromItem {
        guard let item = try UnnestBinder(from: self).bind(reference, over: nil) else {
            throw unsupported("SUPER navigation here", position)
        }
        return item
    }

    private func unsupported(_ feature: String, _ position: SourcePosition) -> SQLError {
        SQLError(.featureNotSupported, "\(feature) is not supported yet", at: position)
    }

    // MARK: Named tables

    private func bindTable(_ table: NamedTable) throws -> FromItem {
        if table.name.parts.count == 1, let common = scope.commonTables?.find(table.name.name) {
            return try reference(to: common, table)
        }
        if let other = try session.otherDatabase(of: table.name) { return try bindTable(table, of: other) }
        let recorded = session.recordedReference(to: table.name)
        switch try recorded.map({ session.relation(of: $0) }) ?? session.findRelation(table.name) {
        case .table(let definition):
            let item = try scan(
                definition, alias: table.alias?.name, columns: table.alias?.columns ?? [], as: recorded,
                at: table.position)
            session.recordUse(of: definition, needed: .select, item.plan, name: table.name)
            return item
        case .view(let view):
            var bound = try ViewExpansion(queries).expand(view, at: table.position)
            session.note(.view(view), as: table.name, columns: bound.outputs.map(\.id))
            if let columns = recorded?.columns, !columns.isEmpty {
                bound.outputs = Array(bound.outputs.prefix(columns.count))
            }
            let item = try item(
                bound, alias: table.alias, name: table.name.name, schema: view.schema, table.position)
            note(item, bound.plan)
            return item
        case nil:
            if let columns = session.systemColumns(of: table.name) {
                session.access.addSystem(table.name.name)
                return try systemScan(columns, table)
            }
            throw session.unknownRelation(table.name)
        }
    }

    /// Of another database: read in place, with the rights that the user has there.
    private func bindTable(_ table: NamedTable, of database: DatabaseDefinition) throws -> FromItem {
        if session.namedObjects != nil && session.openTexts.isEmpty {
            throw SQLError(
                .featureNotSupported,
                "cross-database references are not supported in views that are bound to their schema",
                hint: "Create the view WITH NO SCHEMA BINDING.", at: table.position)
        }
        let inside = NamedTable(name: table.name.withoutDatabase, alias: table.alias)
        if session.systemColumns(of: inside.name) != nil {
            throw SQLError(
                .featureNotSupported, "cross-database queries cannot read system catalogs: \"\(table.name)\"",
                at: table.position)
        }
        return try session.inDatabase(database.id) { try bindTable(inside) }
    }

    /// - Parameter recorded: of a name in the text of a definition: the names and columns of then are what counts.
    func scan(
        _ definition: TableDefinition, alias: Identifier?, columns names: [Identifier] = [],
        as recorded: ObjectReference? = nil, at position: SourcePosition
    ) throws -> FromItem {
        var columns: [ScanColumn] = []
        var outputs: [OutputColumn] = []
        columns.reserveCapacity(definition.columns.count)
        outputs.reserveCapacity(definition.columns.count)
        for (index, column) in definition.columns.enumerated() {
            let id = session.makeColumn()
            columns.append(ScanColumn(id: id, index: index, type: column.type))
            if column.collation == .caseInsensitive { session.insensitiveColumns.insert(id) }
            outputs.append(OutputColumn(id: id, name: column.name, type: column.type))
        }
        var (schema, name) = (definition.schema, alias?.text ?? definition.name)
        var places: [Int] = []
        if let recorded, recorded.isNamed {
            outputs = recorded.columns.enumerated().compactMap { place, column in
                guard let index = definition.columnIndex(id: column.id, near: place) else { return nil }
                places.append(index)
                return OutputColumn(id: outputs[index].id, name: column.name, type: outputs[index].type)
            }
            schema = recorded.schema
            name = alias?.text ?? recorded.name
        }
        session.scannedTables.insert(definition.id)
        session.origins.note(
            outputs, places: places.isEmpty ? nil : places, of: .table(definition, schema: definition.schema),
            in: session.catalog.database.name)
        let plan = LogicalPlan.scan(LogicalScan(table: definition, alias: name, columns: columns))
        return try item(
            BoundQuery(plan: plan, outputs: outputs), relation: name, names, schema: alias == nil ? schema : nil,
            position)
    }

    private func systemScan(_ columns: [SystemColumn], _ table: NamedTable) throws -> FromItem {
        let outputs = columns.map { column in
            var output = OutputColumn(id: session.makeColumn(), name: column.name, type: column.type)
            output.details.arrayID = column.arrayID
            return output
        }
        noteOrigins(outputs, of: table.name)
        let alias = table.alias?.name.text ?? table.name.name
        // Bare names, except where information_schema shares one with another schema.
        let schema = table.name.schema == "information_schema" ? "information_schema." : ""
        let scan = LogicalSystemScan(
            relation: schema + table.name.name, alias: alias, columns: outputs, indexes: Array(columns.indices))
        let bound = BoundQuery(plan: .systemScan(scan), outputs: outputs)
        return try item(
            bound, alias: table.alias, name: table.name.name, schema: table.name.schema, table.position)
    }

    private func noteOrigins(_ columns: [OutputColumn], of name: ObjectName) {
        let id = session.systemRelations.relationID(name.name, schema: name.schema)
        let relation = ColumnOrigins.Relation.system(
            name: name.name, schema: name.schema ?? "pg_catalog", id: id)
        session.origins.note(columns, of: relation, in: session.catalog.database.name)
    }

    /// Functions of the leader: their arguments are constants, their rows come from the session.
    private func bindFunction(_ function: TableFunction) throws -> FromItem {
        let call = function.call
        if call.name.name == "unnest", call.arguments.count == 1 { return try bindUnnest(function) }
        if call.name.name == "pg_options_to_table", call.arguments.count == 1 { return try bindOptions(function) }
        let binder = ExpressionBinder(session, Scope(parent: nil, commonTables: nil), clause: .values)
        if !FunctionTable.scalars(named: call.name.name).isEmpty { return try bindScalar(function, binder) }
        let bound = try call.arguments.map { try binder.bind($0) }
        let schemas: Set<String?> = [nil, "pg_catalog", "information_schema"]
        session.noteDependence()
        let signatures = session.systemRelations.tableFunctionSignatures(call.name.name)
        guard schemas.contains(call.name.schema), !signatures.isEmpty else {
            throw unsupported("function \(call.name) in FROM", call.position)
        }
        let known = TableFunctionArgument(session)
        guard let typed = try known.typed(bound, for: signatures, at: call.position) else {
            throw binder.unknownFunction(call, bound.map(\.type))
        }
        guard let arguments = try known.values(typed) else {
            throw SQLError(
                .featureNotSupported, "arguments of functions in FROM must be constants",
                at: call.arguments.first?.position ?? call.position)
        }
        guard let made = try session.systemRelations.tableFunction(call.name.name, arguments) else {
            throw binder.unknownFunction(call, bound.map(\.type))
        }
        let outputs = made.columns.map { OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type) }
        let alias = function.alias?.name.text ?? call.name.name
        let scan = made.scan(alias: alias, columns: outputs)
        let query = BoundQuery(plan: .systemScan(scan), outputs: outputs)
        // A function of one column gives it the alias's name: FROM generate_series(1, 3) AS n.
        var names = function.alias?.columns ?? []
        if names.isEmpty, outputs.count == 1, let name = function.alias?.name { names = [name] }
        return try item(query, relation: alias, names, schema: nil, call.position)
    }

    /// `FROM abs(-3) AS result`, which JDBC's `{? = call ...}` becomes: one row with the function's value.
    private func bindScalar(_ function: TableFunction, _ binder: ExpressionBinder) throws -> FromItem {
        let value = try Coercion(session).resolved(try binder.bind(.function(function.call)))
        let alias = function.alias?.name.text ?? function.call.name.name
        let output = OutputColumn(id: session.makeColumn(), name: alias, type: value.type)
        let plan = LogicalPlan.project(
            [ProjectedColumn(id: output.id, expression: value)], .values(LogicalValues(columns: [], rows: [[]])))
        return try item(
            BoundQuery(plan: plan, outputs: [output]), relation: alias, function.alias?.columns ?? [], schema: nil,
            function.call.position)
    }

    /// Options of foreign servers and tables in a catalog: there are none.
    private func bindOptions(_ function: TableFunction) throws -> FromItem {
        let outer = Scope(parent: scope.parent, commonTables: nil)
        _ = try ExpressionBinder(session, outer, clause: .values).bind(function.call.arguments[0])
        let outputs = ["option_name", "option_value"].map {
            OutputColumn(id: session.makeColumn(), name: $0, type: .varchar(128))
        }
        let plan = LogicalPlan.values(LogicalValues(columns: outputs, rows: []))
        let alias = function.alias?.name.text ?? function.call.name.name
        return try item(
            BoundQuery(plan: plan, outputs: outputs), relation: alias, function.alias?.columns ?? [], schema: nil,
            function.position)
    }

    /// The elements of an array of catalogs: those numbers of a series that are subscripts of it.
    private func bindUnnest(_ function: TableFunction) throws -> FromItem {
        let position = function.position
        let outer = Scope(parent: scope.parent, commonTables: nil)
        let array = try ExpressionBinder(session, outer, clause: .values).bind(function.call.arguments[0])
        for column in outer.outerColumns { scope.addOuterColumn(column) }
        let one = BoundExpression.constant(.integer(1), .integer)
        let calls = SignatureCall(session)
        let bounds: [Datum] = [.integer(0), .integer(1_600)]
        session.noteDependence()
        guard let series = try session.systemRelations.tableFunction("generate_series", bounds),
            let low = try calls.resolve("array_lower", [array, one], at: position),
            let high = try calls.resolve("array_upper", [array, one], at: position)
        else { throw unsupported("UNNEST over other values than arrays of catalogs", position) }
        let number = OutputColumn(id: session.makeColumn(), name: "n", type: .bigint)
        let scan = series.scan(alias: "unnest", columns: [number])
        let place = BoundExpression.column(number.id, .bigint)
        let compare = ComparisonBinder(session)
        let isInside = BoundExpression.and([
            try compare.compare(.greaterOrEqual, place, low, at: position),
            try compare.compare(.lessOrEqual, place, high, at: position),
        ])
        guard let element = try calls.resolve("array_element_text", [array, place], at: position) else {
            throw unsupported("UNNEST over other values than arrays of catalogs", position)
        }
        let output = OutputColumn(id: session.makeColumn(), name: "unnest", type: element.type)
        let plan = LogicalPlan.project(
            [ProjectedColumn(id: output.id, expression: element)], .filter(isInside, .systemScan(scan)))
        let alias = function.alias?.name.text ?? "unnest"
        var names = function.alias?.columns ?? []
        if names.isEmpty, let name = function.alias?.name { names = [name] }
        return try item(
            BoundQuery(plan: plan, outputs: [output]), relation: alias, names, schema: nil, position)
    }

    private func reference(to common: CommonTable, _ table: NamedTable) throws -> FromItem {
        common.countUse()
        let outputs = common.definition.outputs.map {
            OutputColumn(id: session.makeColumn(), name: $0.name, type: $0.type)
        }
        Collations(session).note(outputs, like: common.definition.outputs)
        let reference = LogicalWithReference(
            id: common.id, alias: table.alias?.name.text ?? common.name, columns: outputs,
            sources: common.definition.outputs.map(\.id))
        let bound = BoundQuery(plan: .withReference(reference), outputs: outputs)
        let item = try item(bound, alias: table.alias, name: common.name, schema: nil, table.position)
        // Where it is used once, it stands there as if it were written there.
        note(item, common.definition.plan)
        return item
    }

    // MARK: Derived tables

    private func bindDerived(_ derived: DerivedTable) throws -> FromItem {
        if derived.isLateral { throw unsupported("LATERAL", derived.position) }
        let bound = try queries.bind(derived.query, parent: scope.parent, commonTables: scope.commonTables)
        for column in bound.outerColumns { scope.addOuterColumn(column) }
        let item = try item(bound, alias: derived.alias, name: "", schema: nil, derived.position)
        note(item, bound.plan)
        return item
    }

    /// Names a query in FROM, for EXPLAIN.
    private func note(_ item: FromItem, _ plan: LogicalPlan) {
        guard let relation = item.relations.first else { return }
        let columns = relation.columns.map { OutputColumn(id: $0.id, name: $0.name, type: $0.type) }
        session.columnIDs.note(NamedSubquery(alias: relation.alias, columns: columns, plan: plan))
    }

    /// A relation under its alias, or under its own name.
    func item(
        _ bound: BoundQuery, alias: TableAlias?, name: String, schema: String?, _ position: SourcePosition
    ) throws -> FromItem {
        try item(
            bound, relation: alias?.name.text ?? name, alias?.columns ?? [], schema: alias == nil ? schema : nil,
            position)
    }

    private func item(
        _ bound: BoundQuery, relation: String, _ names: [Identifier], schema: String?, _ position: SourcePosition
    ) throws -> FromItem {
        let bound = bound.withDistinctOutputs(session)
        let outputs = try RelationAlias.renamed(bound.outputs, names, relation: relation, at: position)
        try session.budget.take(bytes: outputs.count * BinderLimits.columnBytes)
        let columns = outputs.map { ScopeColumn(name: $0.name, id: $0.id, type: $0.type) }
        let range = RangeTable(
            alias: relation, schema: schema, database: schema == nil ? nil : session.catalog.database.name,
            columns: columns)
        return FromItem(
            plan: bound.plan, relations: [range],
            visible: columns.map { FromItem.VisibleColumn(column: $0, relation: relation) })
    }
}

extension TableReference {
    var position: SourcePosition {
        switch self {
        case .table(let table): table.position
        case .subquery(let derived): derived.position
        case .function(let function): function.position
        case .join(let join): join.position
        case .pivot(let pivot): pivot.position
        case .unpivot(let unpivot): unpivot.position
        case .navigation(let path), .objectUnpivot(let path): path.position
        }
    }
}
