import Catalog
import ColumnStore
import SQLTypes
import Warehouse

import enum SQLSyntax.StoredText

/// `\d` and its family: what is in the warehouse and how it lies there.
extension MetaCommand {
    static let informational: [MetaCommand] = [
        MetaCommand(names: ["d", "d+"], usage: "\\d [NAME]", help: "columns, keys, encodings, distribution, skew") {
            call in
            guard let name = call.argument(0) else { return try listRelations(call, tables: true, views: true) }
            if let remote = remote(call) { return try remote.describe(name, call) }
            try describe(name, local(call), call)
        },
        MetaCommand(
            names: ["dt", "dt+"], usage: "\\dt [PATTERN]", help: "tables with rows, size, distribution, sort key"
        ) {
            try listRelations($0, tables: true, views: false)
        },
        MetaCommand(names: ["dv", "dv+"], usage: "\\dv [PATTERN]", help: "views") {
            try listRelations($0, tables: false, views: true)
        },
        MetaCommand(names: ["dn", "dn+"], usage: "\\dn", help: "schemas") { call in
            if let remote = remote(call) { return try remote.schemas() }
            let catalog = try catalog(call)
            let schemas = catalog.schemas.values.sorted { $0.name < $1.name }
            let rows = schemas.map { [$0.name, catalog.ownerName($0.owner)] }
            try call.shell.output.table(["schema", "owner"], rows, call.shell.display)
        },
        MetaCommand(names: ["di", "di+"], usage: "\\di", help: "says what does the work of indexes here") { call in
            call.shell.output.line("There are no indexes. Sort keys and zone maps do their work: see \\d TABLE.")
        },
        MetaCommand(names: ["l", "l+"], usage: "\\l", help: "databases") { call in
            if let remote = remote(call) { return try remote.databases() }
            let catalog = try catalog(call)
            let rows = catalog.sortedDatabases.map { [$0.name, catalog.ownerName($0.owner), "UTF8"] }
            try call.shell.output.table(["database", "owner", "encoding"], rows, call.shell.display)
        },
        MetaCommand(names: ["du", "du+"], usage: "\\du", help: "users") { call in
            if let remote = remote(call) { return try remote.users() }
            let accounts = try catalog(call).accounts
            let rows = accounts.sortedUsers.map { user in
                let groups = accounts.sortedGroups.filter { $0.members.contains(user.id) }.map(\.name)
                let attributes = [
                    user.isSuperuser ? "superuser" : nil, user.canCreateDatabases ? "create database" : nil,
                    user.password == nil ? "no password" : nil,
                ]
                return [
                    user.name, attributes.compactMap { $0 }.joined(separator: ", "), groups.joined(separator: ", "),
                ]
            }
            try call.shell.output.table(["user", "attributes", "groups"], rows, call.shell.display)
        },
        MetaCommand(
            names: ["wlm"], usage: "\\wlm [SECONDS]",
            help: "queues, who waits and who runs; on a terminal every second until a key is pressed"
        ) { try QueueBoard($0).show() },
    ]

    private static func remote(_ call: Call) -> RemoteDescribe? {
        (call.shell.connection as? RemoteConnection).map { RemoteDescribe(connection: $0, shell: call.shell) }
    }
    private static func local(_ call: Call) throws -> LocalConnection {
        guard let local = call.shell.connection as? LocalConnection else {
            throw SQLError(.featureNotSupported, "\\\(call.name) is not supported over a connection")
        }
        return local
    }
    private static func catalog(_ call: Call) throws -> CatalogSnapshot {
        try local(call).snapshot.catalog
    }

    // MARK: Lists

    /// Other sessions' temporary tables are not shown.
    private static func isVisible(_ relation: Relation, _ local: LocalConnection) -> Bool {
        !relation.schema.hasPrefix("pg_temp_") || relation.schema == "pg_temp_\(local.session.number)"
    }

    private static func listRelations(_ call: Call, tables: Bool, views: Bool) throws {
        if let remote = remote(call) { return try remote.list(call.argument(0), tables: tables, views: views) }
        let local = try local(call)
        let snapshot = local.snapshot
        let pattern = call.argument(0)?.lowercased()
        var rows: [[String?]] = []
        for relation in snapshot.catalog.allRelations where isVisible(relation, local) {
            if let pattern, !matches(relation, pattern) { continue }
            switch relation {
            case .table(let table):
                let owner = snapshot.catalog.ownerName(table.owner)
                if table.materialized == nil ? tables : views {
                    rows.append(listing(table, owner: owner, snapshot.table(table.id)))
                }
            case .view(let view):
                let gap: [String?] = [nil, nil, nil, nil, nil]
                let owner = snapshot.catalog.ownerName(view.owner)
                if views { rows.append([view.schema, view.name, "view", owner] + gap) }
            }
        }
        if rows.isEmpty {
            return StandardError.line(
                pattern.map { "Did not find any relation named \"\($0)\"." } ?? "No relations found.")
        }
        var names = ["schema", "name", "type", "owner", "rows", "size", "diststyle", "sortkey", "skew"]
        if !tables {
            names = Array(names[..<4])
            rows = rows.map { Array($0[..<4]) }
        }
        var display = call.shell.display
        if display.null == nil { display.null = "" }
        try call.shell.output.table(names, rows, display, numbers: [4, 5, 8])
    }

    private static func listing(_ table: TableDefinition, owner: String, _ data: TableSnapshot?) -> [String?] {
        let type = table.isTemporary ? "temporary table" : table.kind.noun
        return [
            table.schema, table.name, type, owner, DecimalFigure.grouped(data?.rowCount ?? 0),
            DecimalFigure.bytes(data?.byteCount ?? 0), distribution(table, data), sortKey(table), skew(table, data),
        ]
    }

    /// `name`, `schema.name`, with `*` and `?` as in psql.
    static func matches(_ relation: Relation, _ pattern: String) -> Bool {
        let parts = pattern.split(separator: ".", maxSplits: 1).map(String.init)
        if parts.count == 2 { return glob(relation.schema, parts[0]) && glob(relation.name, parts[1]) }
        return glob(relation.name, pattern)
    }

    static func glob(_ text: String, _ pattern: String) -> Bool {
        // Greedy with one point to go back to: linear in practice, never exponential.
        let text = Array(text.utf8), pattern = Array(pattern.utf8)
        var at = 0, place = 0
        var star: (pattern: Int, text: Int)?
        while at < text.count {
            if place < pattern.count, pattern[place] == UInt8(ascii: "?") || pattern[place] == text[at] {
                at += 1
                place += 1
            } else if place < pattern.count, pattern[place] == UInt8(ascii: "*") {
                star = (place, at)
                place += 1
            } else if let back = star {
                star = (back.pattern, back.text + 1)
                at = back.text + 1
                place = back.pattern + 1
            } else {
                return false
            }
        }
        return pattern[place...].allSatisfy { $0 == UInt8(ascii: "*") }
    }

    // MARK: One relation

    private static func describe(_ name: String, _ local: LocalConnection, _ call: Call) throws {
        let snapshot = local.snapshot
        let found = snapshot.catalog.allRelations.filter { isVisible($0, local) && matches($0, name.lowercased()) }
        if found.isEmpty { return try describeResult(name, call) }
        for relation in found {
            switch relation {
            case .table(let table): try describe(table, snapshot, call)
            case .view(let view):
                call.shell.output.line("View \"\(view.schema).\(view.name)\"")
                try describeColumns(of: "\(quoted(view.schema)).\(quoted(view.name))", call)
                call.shell.output.line("View definition:\n\(StoredText.statementText(view.query))")
            }
        }
    }

    /// A system relation: its columns as a query shows them.
    private static func describeResult(_ name: String, _ call: Call) throws {
        do {
            try describeColumns(of: name, call)
        } catch let error as SQLError where error.state == .undefinedTable {
            StandardError.line("Did not find any relation named \"\(name)\".")
            call.shell.fail(call.source)
        }
    }

    private static func describeColumns(of relation: String, _ call: Call) throws {
        let result = try local(call).session.query("select * from \(relation) limit 0")
        let rows: [[String?]] = result.columns.map { [$0.name, $0.type.description] }
        try call.shell.output.table(["column", "type"], rows, call.shell.display)
    }

    private static func describe(_ table: TableDefinition, _ snapshot: StoreSnapshot, _ call: Call) throws {
        let data = snapshot.table(table.id)
        let kind = table.isTemporary ? "Temporary table" : table.materialized == nil ? "Table" : "Materialized view"
        call.shell.output.line("\(kind) \"\(table.schema).\(table.name)\"")
        var display = call.shell.display
        if display.null == nil { display.null = "" }
        try call.shell.output.table(
            ["column", "type", "encoding", "distkey", "sortkey", "nullable", "default"],
            table.columns.indices.map { columnRow(table, $0, data) }, display, numbers: [4])
        var facts = [
            "Distribution: \(distribution(table, data))",
            "Sort key: \(sortKey(table) ?? "none")",
            "Rows: \(DecimalFigure.grouped(data?.rowCount ?? 0)), \(DecimalFigure.bytes(data?.byteCount ?? 0)) on disk",
        ]
        if let data, case let slices = data.statistics.sliceRows, slices.count > 1 {
            facts.append(
                "Skew: \(skew(table, data) ?? "none"), rows by slice "
                    + slices.map { DecimalFigure.grouped(Int($0)) }.joined(separator: " | "))
        }
        facts += table.constraints.map { constraint($0, table, snapshot.catalog) }
        if let comment = table.comment { facts.append("Comment: \(comment)") }
        for fact in facts { call.shell.output.line(fact) }
        if let query = table.materialized?.query {
            call.shell.output.line("View definition:\n\(StoredText.statementText(query))")
        }
    }

    private static func columnRow(_ table: TableDefinition, _ index: Int, _ data: TableSnapshot?) -> [String?] {
        let column = table.columns[index]
        var encoding = column.encoding.rawValue
        if column.encoding == .auto { encoding = data?.encodingName(index).map { "\($0) (auto)" } ?? "auto" }
        var initial = column.defaultExpression.map(StoredText.statementText)
        if let identity = column.identity { initial = "identity(\(identity.seed),\(identity.step))" }
        return [
            column.name, column.type.description, encoding, table.distribution == .key(index) ? "yes" : nil,
            table.sortKey.columns.firstIndex(of: index).map { String($0 + 1) }, column.notNull ? "not null" : nil,
            initial,
        ]
    }

    private static func constraint(
        _ constraint: TableConstraint, _ table: TableDefinition, _ catalog: CatalogSnapshot
    ) -> String {
        let columns = constraint.columns.map { table.columns[$0].name }.joined(separator: ", ")
        switch constraint.kind {
        case .primaryKey: return "Primary key (informational): \(columns)"
        case .unique: return "Unique (informational): \(columns)"
        case .foreignKey(let other, _):
            let target = catalog.relation(id: other).map { "\($0.schema).\($0.name)" } ?? "?"
            return "Foreign key (informational): \(columns) to \(target)"
        }
    }

    // MARK: Physical design in words

    private static func distribution(_ table: TableDefinition, _ data: TableSnapshot?) -> String {
        switch table.distribution {
        case .even: "EVEN"
        case .all: "ALL"
        case .key(let column): "KEY(\(table.columns[column].name))"
        case .auto: data == nil || data?.effectiveDistribution == .all ? "AUTO(ALL)" : "AUTO(EVEN)"
        }
    }

    private static func sortKey(_ table: TableDefinition) -> String? {
        let names = table.sortKey.columns.map { table.columns[$0].name }.joined(separator: ", ")
        switch table.sortKey {
        case .none: return nil
        case .auto: return "AUTO"
        case .compound: return names
        case .interleaved: return "INTERLEAVED(\(names))"
        }
    }

    /// Rows of the fullest slice to rows of the emptiest.
    private static func skew(_ table: TableDefinition, _ data: TableSnapshot?) -> String? {
        guard let slices = data?.statistics.sliceRows, slices.count > 1, table.distribution != .all,
            let most = slices.max(), let least = slices.min(), least > 0
        else { return nil }
        return DecimalFigure.text(Double(most) / Double(least), digits: 2)
    }

    private static func quoted(_ name: String) -> String {
        String(decoding: InputScanner.quoted(name, with: UInt8(ascii: "\"")), as: UTF8.self)
    }
}
