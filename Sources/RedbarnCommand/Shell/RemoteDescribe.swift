import SQLTypes
import Warehouse

/// `\d` and its family over a connection: the same answers as for a warehouse in this process, from the server's system
/// tables.
struct RemoteDescribe {
    let connection: RemoteConnection
    let shell: Shell

    /// - Parameter pattern: `name`, `schema.name`, with `*` and `?`.
    func list(_ pattern: String?, tables: Bool, views: Bool) throws {
        var parts: [String] = []
        let userSchemas = "not in ('pg_catalog', 'information_schema')"
        if tables {
            parts.append(
                """
                select t.schemaname, t.tablename, 'table', t.tableowner, i.tbl_rows::varchar, i.size::varchar || ' MB',
                i.diststyle, i.sortkey1, i.skew_rows::varchar
                from pg_tables t left join svv_table_info i on i.schema = t.schemaname and i."table" = t.tablename
                where t.schemaname \(userSchemas)\(like("t.schemaname", "t.tablename", pattern))
                """)
        }
        if views {
            parts.append(
                """
                select schemaname, viewname, 'view', viewowner, null, null, null, null, null from pg_views
                where schemaname \(userSchemas)\(like("schemaname", "viewname", pattern))
                """)
        }
        let rows = try connection.rows(parts.joined(separator: " union all ") + " order by 1, 2")
        if rows.isEmpty {
            return StandardError.line(
                pattern.map { "Did not find any relation named \"\($0)\"." } ?? "No relations found.")
        }
        let names = ["schema", "name", "type", "owner", "rows", "size", "diststyle", "sortkey", "skew"]
        let width = tables ? names.count : 4
        var display = shell.display
        if display.null == nil { display.null = "" }
        try shell.output.table(Array(names[..<width]), rows.map { Array($0[..<width]) }, display, numbers: [4, 8])
    }

    func describe(_ name: String, _ call: MetaCommand.Call) throws {
        let found = try connection.rows(
            """
            select n.nspname, c.relname, c.relkind, c.oid from pg_class c join pg_namespace n on n.oid = c.relnamespace
            where c.relkind in ('r', 'v')\(like("n.nspname", "c.relname", name)) order by 1, 2
            """)
        if found.isEmpty {
            StandardError.line("Did not find any relation named \"\(name)\".")
            return call.shell.fail(call.source)
        }
        for row in found {
            let schema = row[0] ?? "", relation = row[1] ?? ""
            if row[2] == "v" || schema == "pg_catalog" || schema == "information_schema" {
                try describeView(schema, relation, row[3] ?? "0", isView: row[2] == "v")
            } else {
                try describeTable(schema, relation)
            }
        }
    }

    private func describeTable(_ schema: String, _ name: String) throws {
        shell.output.line("Table \"\(schema).\(name)\"")
        let columns = try connection.rows(
            """
            select a.attname, format_type(a.atttypid, a.atttypmod), format_encoding(a.attencodingtype::int),
            case when a.attisdistkey then 'yes' end, nullif(a.attsortkeyord, 0)::varchar,
            case when a.attnotnull then 'not null' end, d.adsrc
            from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
            left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
            where n.nspname = \(literal(schema)) and c.relname = \(literal(name)) and a.attnum > 0 order by a.attnum
            """)
        var display = shell.display
        if display.null == nil { display.null = "" }
        try shell.output.table(
            ["column", "type", "encoding", "distkey", "sortkey", "nullable", "default"], columns, display, numbers: [4])
        let facts = try connection.rows(
            """
            select diststyle, sortkey1, tbl_rows::varchar, size::varchar from svv_table_info
            where schema = \(literal(schema)) and "table" = \(literal(name))
            """)
        for fact in facts {
            shell.output.line("Distribution: \(fact[0] ?? "")")
            shell.output.line("Sort key: \(fact[1] ?? "none")")
            shell.output.line("Rows: \(fact[2] ?? "0"), \(fact[3] ?? "0") MB on disk")
        }
        let constraints = try connection.rows(
            """
            select t.conname, pg_get_constraintdef(t.oid) from pg_constraint t join pg_class c on c.oid = t.conrelid
            join pg_namespace n on n.oid = c.relnamespace
            where n.nspname = \(literal(schema)) and c.relname = \(literal(name)) order by 1
            """)
        for constraint in constraints { shell.output.line("\(constraint[1] ?? "") (informational)") }
    }

    private func describeView(_ schema: String, _ name: String, _ id: String, isView: Bool) throws {
        shell.output.line("\(isView ? "View" : "Table") \"\(schema).\(name)\"")
        let columns = try connection.columns("select * from \(quoted(schema)).\(quoted(name)) limit 0")
        try shell.output.table(["column", "type"], columns.map { [$0.name, $0.type.description] }, shell.display)
        if isView, schema != "pg_catalog", schema != "information_schema" {
            let text = try connection.rows("select pg_get_viewdef(\(id))").first?.first ?? nil
            shell.output.line("View definition:\n\(text ?? "")")
        }
    }

    func schemas() throws {
        let rows = try connection.rows(
            """
            select nspname, pg_get_userbyid(nspowner) from pg_namespace
            where nspname not like 'pg!_%' escape '!' and nspname <> 'information_schema' order by 1
            """)
        try shell.output.table(["schema", "owner"], rows, shell.display)
    }

    func databases() throws {
        let rows = try connection.rows(
            """
            select datname, pg_get_userbyid(datdba), pg_encoding_to_char(encoding) from pg_database
            where datname not like 'template%' and datname <> 'padb_harvest' order by 1
            """)
        try shell.output.table(["database", "owner", "encoding"], rows, shell.display)
    }

    func users() throws {
        let rows = try connection.rows(
            "select usename, case when usesuper then 'superuser' else '' end from pg_user order by 1")
        try shell.output.table(["user", "attributes"], rows, shell.display)
    }

    // MARK: Texts

    private func literal(_ text: String) -> String { LiteralText.quoted(text) }
    private func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    /// The condition that a pattern means, with AND in front.
    private func like(_ schema: String, _ name: String, _ pattern: String?) -> String {
        guard let pattern else { return "" }
        let parts = pattern.lowercased().split(separator: ".", maxSplits: 1).map(String.init)
        func condition(_ column: String, _ part: String) -> String {
            var text = ""
            for character in part {
                switch character {
                case "*": text.append("%")
                case "?": text.append("_")
                case "%", "_", "!": text += "!" + String(character)
                default: text.append(character)
                }
            }
            return " and \(column) like \(literal(text)) escape '!'"
        }
        if parts.count == 2 { return condition(schema, parts[0]) + condition(name, parts[1]) }
        return condition(name, parts.first ?? "")
    }
}
