/// Statements: data and dispatch.
extension SQLPrinter {
    mutating func write(_ statement: Statement) {
        switch statement {
        case .query(let node): write(node)
        case .insert(let node): write(node)
        case .update(let node): write(node)
        case .delete(let node): write(node)
        case .merge(let node): write(node)
        case .truncate(let node): write(node)
        case .copy(let node): write(node)
        case .copyOut(let node): write(node)
        case .copyJob(let node): write(node)
        case .unload(let node): write(node)
        case .createTable(let node): write(node)
        case .createTableAs(let node): write(node)
        case .alterTable(let node): write(node)
        case .createView(let node): write(node)
        case .createMaterializedView(let node): write(node)
        case .refreshMaterializedView(let node): write(node)
        case .alterMaterializedView(let node): write(node)
        case .createSchema(let node): write(node)
        case .alterSchema(let node): write(node)
        case .createDatabase(let node): account("CREATE DATABASE ", node.name, node.options)
        case .alterDatabase(let node): account("ALTER DATABASE ", node.name, node.options)
        case .createUser(let node): account("CREATE USER ", node.name, node.options)
        case .alterUser(let node): account("ALTER USER ", node.name, node.options)
        case .createRole(let node): account("CREATE ROLE ", node.name, node.options)
        case .alterRole(let node): account("ALTER ROLE ", node.name, node.options)
        case .createGroup(let node): write(node)
        case .alterGroup(let node): write(node)
        case .drop(let node): write(node)
        case .comment(let node): write(node)
        case .grant(let node): write(node)
        case .grantRole(let node): write(node)
        case .call(let node): write(node)
        case .alterProcedure(let node): write(node)
        case .createRoutine(let node): write(node)
        case .createExternalSchema(let node): write(node)
        case .createExternalTable(let node): write(node)
        case .generic(let node): text += node.text
        case .analyze(let node): write(node)
        case .vacuum(let node): write(node)
        case .explain(let node): write(node)
        case .set(let node): write(node)
        case .reset(let node): write(node)
        case .show(let node): write(node)
        case .transaction(let node): write(node)
        case .lock(let node): write(node)
        case .use(let node): write(node)
        case .alterSystem(let node): write(node)
        case .cancel(let node): write(node)
        case .snapshot(let node): write(node)
        case .resize(let node): write(node)
        case .prepare(let node): write(node)
        case .execute(let node): write(node)
        case .deallocate(let node): write(node)
        case .closeCursor(let node): write(node)
        case .declareCursor(let node): write(node)
        case .fetch(let node): write(node)
        }
    }

    mutating func write(_ node: TruncateStatement) {
        text += "TRUNCATE "
        write(node.table)
    }

    mutating func write(_ node: RefreshMaterializedViewStatement) {
        text += "REFRESH MATERIALIZED VIEW "
        write(node.name)
        if node.cascade { text += " CASCADE" }
    }

    mutating func write(_ node: AlterMaterializedViewStatement) {
        text += "ALTER MATERIALIZED VIEW "
        write(node.name)
        if let refresh = node.autoRefresh { text += refresh ? " AUTO REFRESH YES" : " AUTO REFRESH NO" }
        if !node.actions.isEmpty { write(node.actions) }
    }

    mutating func write(_ node: InsertStatement) {
        text += "INSERT INTO "
        write(node.table)
        optional(node.columns)
        switch node.source {
        case .defaultValues: text += " DEFAULT VALUES"
        case .query(let query):
            text += " "
            write(query)
        }
    }

    mutating func assignments(_ assignments: [ColumnAssignment]) {
        list(assignments) { printer, assignment in
            printer.write(assignment.column)
            printer.text += " = "
            printer.write(assignment.value)
        }
    }

    mutating func alias(_ alias: Identifier?) {
        guard let alias else { return }
        text += " AS "
        write(alias)
    }

    mutating func write(_ node: UpdateStatement) {
        if let with = node.with { write(with) }
        text += "UPDATE "
        write(node.table)
        alias(node.alias)
        text += " SET "
        assignments(node.assignments)
        if !node.from.isEmpty { text += " FROM " }
        list(node.from) { $0.write($1) }
        clause(" WHERE ", node.filter)
    }

    mutating func write(_ node: DeleteStatement) {
        if let with = node.with { write(with) }
        text += "DELETE FROM "
        write(node.table)
        alias(node.alias)
        if !node.using.isEmpty { text += " USING " }
        list(node.using) { $0.write($1) }
        clause(" WHERE ", node.filter)
    }

    mutating func write(_ node: MergeStatement) {
        text += "MERGE INTO "
        write(node.target)
        alias(node.targetAlias)
        text += " USING "
        write(node.source)
        clause(" ON ", node.condition)
        switch node.action {
        case .removeDuplicates: text += " REMOVE DUPLICATES"
        case .clauses(let matched, let notMatched):
            switch matched {
            case nil: break
            case .delete: text += " WHEN MATCHED THEN DELETE"
            case .update(let list):
                text += " WHEN MATCHED THEN UPDATE SET "
                assignments(list)
            }
            guard let notMatched else { return }
            text += " WHEN NOT MATCHED THEN INSERT"
            optional(notMatched.columns)
            text += " VALUES ("
            write(notMatched.values)
            text += ")"
        }
    }

    mutating func write(_ node: CopyStatement) {
        text += "COPY "
        write(node.table)
        optional(node.columns)
        text += " FROM " + (node.source.map(Self.literal) ?? "STDIN")
        if node.source == nil { streamOptions(node.options) } else { options(node.options) }
    }

    mutating func write(_ node: CopyJobStatement) {
        if case .create(let copy, let isAutomatic)? = node.action {
            write(copy)
            text += " JOB CREATE "
            write(node.name)
            text += isAutomatic ? " AUTO ON" : " AUTO OFF"
            return
        }
        text += "COPY JOB "
        switch node.action {
        case nil: text += "LIST"
        case .show: text += "SHOW "
        case .run: text += "RUN "
        case .drop: text += "DROP "
        case .alter, .create: text += "ALTER "
        }
        if node.action != nil { write(node.name) }
        if case .alter(let isAutomatic)? = node.action { text += isAutomatic ? " AUTO ON" : " AUTO OFF" }
    }

    mutating func write(_ node: CopyOutStatement) {
        text += "COPY ("
        write(node.query)
        text += ") TO STDOUT"
        streamOptions(node.options)
    }

    /// The form in which each option stands alone.
    mutating func streamOptions(_ options: [StatementOption]) {
        if options.isEmpty { return }
        text += " ("
        for (index, option) in options.enumerated() {
            text += (index > 0 ? ", " : "") + option.name
            for value in option.values { write(value, of: option.name, 0) }
        }
        text += ")"
    }

    mutating func write(_ node: UnloadStatement) {
        text += "UNLOAD (" + Self.literal(node.queryText) + ") TO " + Self.literal(node.target)
        options(node.options)
    }

    mutating func options(_ options: [StatementOption]) {
        for option in options {
            text += " " + option.name
            for (index, value) in option.values.enumerated() { write(value, of: option.name, index) }
        }
    }

    mutating func write(_ value: OptionValue, of option: String, _ index: Int) {
        // `SET name TO a, b` behind ALTER USER.
        text += option == "SET" && index == 1 ? " TO " : option == "SET" && index > 1 ? ", " : " "
        switch value {
        case .string(let value, _): text += Self.literal(value)
        case .number(let value, _), .word(let value, _): text += value
        case .names(let names):
            if option == "PARTITION BY" { parenthesized(names) } else { list(names) { $0.write($1) } }
        }
    }
}
