/// Maintenance, settings, transactions, cursors.
extension SQLPrinter {
    mutating func write(_ node: ResetStatement) {
        text += "RESET " + (node.name.map(Self.setting) ?? "ALL")
    }

    mutating func write(_ node: LockStatement) {
        text += "LOCK "
        list(node.tables) { $0.write($1) }
        if let mode = node.mode { text += " IN " + mode + " MODE" }
    }

    mutating func write(_ node: UseStatement) {
        text += "USE "
        write(node.database)
    }

    mutating func write(_ node: AlterSystemStatement) {
        let name = Self.setting(node.name)
        text += "ALTER SYSTEM "
        text += node.value.map { "SET \(name) TO \(Self.literal($0))" } ?? "RESET \(name)"
    }

    mutating func write(_ node: CancelStatement) {
        text += "CANCEL \(node.processID)" + (node.message.map { " " + Self.literal($0) } ?? "")
    }

    mutating func write(_ node: ResizeStatement) {
        text += "RESIZE CLUSTER TO \(node.nodes) NODES" + (node.slices.map { " \($0) SLICES" } ?? "")
    }

    mutating func write(_ node: PrepareStatement) {
        text += "PREPARE "
        write(node.name)
        if !node.parameterTypes.isEmpty { signature(node.parameterTypes) }
        text += " AS " + node.statementText
    }

    mutating func write(_ node: ExecuteStatement) {
        text += "EXECUTE "
        write(node.name)
        guard !node.arguments.isEmpty else { return }
        text += "("
        write(node.arguments)
        text += ")"
    }

    mutating func write(_ node: DeallocateStatement) {
        text += "DEALLOCATE " + (node.name.map { Self.quoted($0.text) } ?? "ALL")
    }

    mutating func write(_ node: CloseCursorStatement) {
        text += "CLOSE " + (node.name.map { Self.quoted($0.text) } ?? "ALL")
    }

    mutating func write(_ node: DeclareCursorStatement) {
        let words = node.options.filter { !$0.hasSuffix(" HOLD") }.map { $0 + " " }.joined()
        let hold = node.options.filter { $0.hasSuffix(" HOLD") }.map { $0 + " " }.joined()
        text += "DECLARE " + Self.quoted(node.name.text) + " " + words + "CURSOR " + hold + "FOR " + node.queryText
    }

    mutating func write(_ node: SnapshotStatement) {
        switch node.action {
        case .create: text += "CREATE SNAPSHOT "
        case .drop(let ifExists): text += "DROP SNAPSHOT " + (ifExists ? "IF EXISTS " : "")
        case .restore: text += "RESTORE SNAPSHOT "
        case .restoreTable(let table, _):
            text += "RESTORE TABLE "
            write(table)
            text += " FROM SNAPSHOT "
        }
        write(node.name)
        if case .restoreTable(_, let newName?) = node.action {
            text += " AS "
            write(newName)
        }
    }

    mutating func write(_ node: FetchStatement) {
        text += "FETCH " + node.direction.rawValue
        switch (node.direction, node.amount) {
        case (.first, _), (.last, _), (.prior, _): break
        case (_, .all): text += " ALL"
        case (_, .rows(let rows)): text += " \(rows)"
        }
        text += " FROM "
        write(node.cursor)
    }

    mutating func write(_ node: AnalyzeStatement) {
        text += node.compression ? "ANALYZE COMPRESSION" : node.isVerbose ? "ANALYZE VERBOSE" : "ANALYZE"
        if let table = node.table {
            text += " "
            write(table)
        }
        switch node.columns {
        case .all: break
        case .predicate: text += " PREDICATE COLUMNS"
        case .list(let names): optional(names)
        }
        if let rows = node.sampleRows { text += " COMPROWS \(rows)" }
    }

    mutating func write(_ node: VacuumStatement) {
        text += "VACUUM " + node.kind.rawValue
        if let table = node.table {
            text += " "
            write(table)
        }
        if let percent = node.thresholdPercent { text += " TO \(percent) PERCENT" }
        if node.boost { text += " BOOST" }
    }

    mutating func write(_ node: ExplainStatement) {
        text += "EXPLAIN "
        if node.options.isEmpty {
            text += (node.analyze ? "ANALYZE " : "") + (node.verbose ? "VERBOSE " : "")
        } else {
            text += "("
            list(node.options) { printer, option in
                printer.text += option.name
                switch option.values.first {
                case .string(let value, _): printer.text += " " + Self.literal(value)
                case .number(let value, _), .word(let value, _): printer.text += " " + value
                case .names, nil: break
                }
            }
            text += ") "
        }
        write(node.statement)
    }

    /// A parameter's name; `a.b` is two words.
    private static func setting(_ name: String) -> String {
        name.split(separator: ".").map { quoted(String($0)) }.joined(separator: ".")
    }

    mutating func write(_ node: SetStatement) {
        if node.name == "transaction" || node.name == "session_characteristics" {
            text += node.name == "transaction" ? "SET TRANSACTION " : "SET SESSION CHARACTERISTICS AS TRANSACTION "
            if case .list(let values) = node.value, case .string(let words) = values.first?.value { text += words }
            return
        }
        if case .interval(let interval) = node.value {
            text += "SET TIME ZONE "
            return write(interval)
        }
        text += node.scope == .local ? "SET LOCAL " : "SET "
        text += Self.setting(node.name) + " TO "
        switch node.value {
        case .defaultValue, .interval: text += "DEFAULT"
        case .list(let values): list(values) { $0.write($1) }
        }
    }

    mutating func write(_ node: ShowStatement) {
        switch node {
        case .all: text += "SHOW ALL"
        case .parameter(let name, _): text += "SHOW " + Self.setting(name)
        case .metadata(let node): write(node)
        }
    }

    mutating func write(_ node: ShowMetadataStatement) {
        text += "SHOW " + node.kind.rawValue
        switch node.kind {
        case .schemas: text += node.name == nil ? "" : " FROM DATABASE"
        case .tables, .procedures, .functions: text += node.name == nil ? "" : " FROM SCHEMA"
        case .columns, .primaryKeys, .foreignKeys, .exportedForeignKeys:
            text += node.name == nil ? "" : " FROM TABLE"
        case .grants, .columnGrants:
            if node.name != nil { text += " ON " + (node.objectWords ?? "") }
        default: break
        }
        if let name = node.name {
            text += " "
            write(name)
        }
        signature(node.argumentTypes)
        if let grantee = node.grantee {
            let words = node.name == nil ? node.objectWords ?? "FOR" : "FOR"
            text += " " + words + " " + Self.quoted(grantee.text)
        }
        if let like = node.like { text += " LIKE " + Self.literal(like) }
        if let limit = node.limit { text += " LIMIT \(limit)" }
    }

    mutating func write(_ node: TransactionStatement) {
        switch node.command {
        case .begin: text += "BEGIN"
        case .commit: text += "COMMIT"
        case .rollback: text += "ROLLBACK"
        }
        if let level = node.isolationLevel { text += " ISOLATION LEVEL " + level }
        if let readOnly = node.readOnly { text += readOnly ? " READ ONLY" : " READ WRITE" }
    }
}
