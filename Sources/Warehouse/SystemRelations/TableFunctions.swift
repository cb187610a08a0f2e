import Binder
import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Functions in FROM. Their arguments are constants: plans hold them as values.
enum TableFunctions {
    private static let viewColumns = SystemColumnList.parse(
        "view_schema name, view_name name, col_name name, col_type varchar(256), col_num int"
    ).0

    private static let roleColumns = SystemColumnList.parse("name name, roleid int").0
    /// Of roles of IAM that users were given by GRANT ASSUMEROLE.
    private static let userRoleColumns = SystemColumnList.parse(
        "username varchar(128), iam_role varchar(256), cmd varchar(128)"
    ).0
    private static let granteeColumns = SystemColumnList.parse(
        "grantee varchar(128), grantee_type varchar(128), cmd_type varchar(128)"
    ).0

    private static let zoneColumns = SystemColumnList.parse(
        "name text, abbrev text, utc_offset interval, is_dst bool"
    ).0
    private static let abbreviationColumns = SystemColumnList.parse(
        "abbrev text, utc_offset interval, is_dst bool"
    ).0

    /// What ``call`` takes.
    static let signatures: [(name: String, arguments: [SQLType])] = [
        ("generate_series", [.bigint, .bigint]), ("generate_series", [.bigint, .bigint, .bigint]),
        ("pg_get_cols", [.text]), ("pg_get_late_binding_view_cols", []), ("pg_get_session_roles", []),
        ("pg_get_iam_role_by_user", [.text]), ("pg_get_grantee_by_iam_role", [.text]),
        ("pg_timezone_names", []), ("pg_timezone_abbrevs", []),
    ]

    /// nil for names of no function.
    static func call(_ name: String, _ arguments: [Datum]) throws -> SystemTableFunction? {
        switch name {
        case "pg_get_late_binding_view_cols":
            guard arguments.isEmpty else { return nil }
            return SystemTableFunction(name: name, arguments: [], columns: viewColumns)
        case "pg_get_cols":
            guard arguments.count == 1, case .string = arguments[0] else { return nil }
            return SystemTableFunction(name: name, arguments: arguments, columns: viewColumns)
        case "pg_get_session_roles":
            guard arguments.isEmpty else { return nil }
            return SystemTableFunction(name: name, arguments: [], columns: roleColumns)
        case "pg_timezone_names":
            return arguments.isEmpty ? SystemTableFunction(name: name, arguments: [], columns: zoneColumns) : nil
        case "pg_timezone_abbrevs":
            guard arguments.isEmpty else { return nil }
            return SystemTableFunction(name: name, arguments: [], columns: abbreviationColumns)
        case "pg_get_iam_role_by_user", "pg_get_grantee_by_iam_role":
            guard arguments.count == 1, case .string = arguments[0] else { return nil }
            let columns = name == "pg_get_iam_role_by_user" ? userRoleColumns : granteeColumns
            return SystemTableFunction(name: name, arguments: arguments, columns: columns)
        case "generate_series":
            guard (2...3).contains(arguments.count) else { return nil }
            if arguments.count == 3, arguments[2] == .integer(0) {
                throw SQLError(.invalidParameterValue, "step size cannot equal zero")
            }
            return SystemTableFunction(
                name: name, arguments: arguments, columns: [SystemColumn("generate_series", .bigint)])
        default: return nil
        }
    }

    static func rows(_ name: String, _ arguments: [Datum], _ snapshot: SystemSnapshot) throws -> ColumnBatch {
        if name == "generate_series" {
            let sink = SystemRows(types: [.bigint], cancellation: snapshot.cancellation)
            try series(arguments, sink)
            return sink.batch
        }
        switch name {
        case "pg_get_session_roles": return try sessionRoles(snapshot)
        case "pg_timezone_names": return try zones(snapshot)
        case "pg_timezone_abbrevs": return try zoneAbbreviations(snapshot)
        default: break
        }
        if name == "pg_get_iam_role_by_user" || name == "pg_get_grantee_by_iam_role" {
            // GRANT ASSUMEROLE is refused, so that nobody has such a role.
            let columns = name == "pg_get_iam_role_by_user" ? userRoleColumns : granteeColumns
            return SystemRows(types: columns.map(\.type), cancellation: snapshot.cancellation).batch
        }
        let sink = SystemRows(types: viewColumns.map(\.type), cancellation: snapshot.cancellation)
        if name == "pg_get_cols", case .string(let relation)? = arguments.first {
            try columns(of: String(decoding: relation, as: UTF8.self), snapshot, sink)
            return sink.batch
        }
        for view in snapshot.views where view.isLateBinding {
            try snapshot.cancellation.check()
            try add(snapshot.viewColumns(view) ?? [], view.schema, view.name, sink)
        }
        return sink.batch
    }

    /// The roles that the session's user has, those of its roles included.
    private static func sessionRoles(_ snapshot: SystemSnapshot) throws -> ColumnBatch {
        let sink = SystemRows(types: roleColumns.map(\.type), cancellation: snapshot.cancellation)
        let roles = AccessRights.roles(of: .user(snapshot.account.id), in: snapshot.accounts)
        for id in roles.sorted() {
            guard let role = snapshot.accounts.roles[id] else { continue }
            try sink.add([.text(role.name), .number(id)])
        }
        return sink.batch
    }

    /// Of each zone what holds now.
    private static func zones(_ snapshot: SystemSnapshot) throws -> ColumnBatch {
        let sink = SystemRows(types: zoneColumns.map(\.type), cancellation: snapshot.cancellation)
        let now = snapshot.time.wallMicroseconds() / Calendar.microsecondsPerSecond
        for name in ZoneRules.names {
            guard let zone = ZoneRules.named(name) else { continue }
            try sink.add([
                .text(name), .text(zone.abbreviation(atUTCSeconds: now)),
                offset(seconds: zone.offsetSeconds(atUTCSeconds: now)),
                .boolean(zone.isDaylight(atUTCSeconds: now)),
            ])
        }
        return sink.batch
    }

    private static func zoneAbbreviations(_ snapshot: SystemSnapshot) throws -> ColumnBatch {
        let sink = SystemRows(types: abbreviationColumns.map(\.type), cancellation: snapshot.cancellation)
        for (name, minutes) in ZoneAbbreviation.offsets.sorted(by: { $0.key < $1.key }) {
            try sink.add([
                .text(name.uppercased()), offset(seconds: minutes * 60),
                .boolean(ZoneAbbreviation.summerNames.contains(name)),
            ])
        }
        return sink.batch
    }

    private static func offset(seconds: Int64) -> Datum {
        .interval(Interval(months: 0, microseconds: seconds * Calendar.microsecondsPerSecond))
    }

    /// The rows are made at once and lie outside of the query's memory budget.
    private static let maximumSeries = 10_000_000

    /// An argument that is NULL makes no rows.
    private static func series(_ arguments: [Datum], _ sink: SystemRows) throws {
        let numbers = arguments.compactMap { argument -> Int64? in
            if case .integer(let value) = argument { Int64(exactly: value) } else { nil }
        }
        guard numbers.count == arguments.count, numbers.count >= 2 else { return }
        let (start, end, step) = (numbers[0], numbers[1], numbers.count > 2 ? numbers[2] : 1)
        if step == 0 { return }
        let (first, last, width) = (Int128(start), Int128(end), Int128(step))
        if (last - first) / width >= Int128(maximumSeries) && (last > first) == (step > 0) {
            throw SQLError("54000", "generate_series makes more than \(maximumSeries) rows")
        }
        var value = start
        while step > 0 ? value <= end : value >= end {
            try sink.add([.wide(value)])
            let (next, overflow) = value.addingReportingOverflow(step)
            if overflow { return }
            value = next
        }
    }

    private static func columns(of name: String, _ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let answers = CatalogFunctionAnswers(snapshot)
        guard let found = try answers.relation(named: name) else {
            throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist")
        }
        switch found {
        case .system(let relation): try add(relation.columns, relation.schema, relation.name, sink)
        case .stored(.table(let table)):
            try add(table.columns.map { SystemColumn($0.name, $0.type) }, table.schema, table.name, sink)
        case .stored(.view(let view)): try add(snapshot.viewColumns(view) ?? [], view.schema, view.name, sink)
        }
    }

    private static func add(_ columns: [SystemColumn], _ schema: String, _ name: String, _ sink: SystemRows) throws {
        for (index, column) in columns.enumerated() {
            try sink.add([
                .text(schema), .text(name), .text(column.name), .text(column.type.description), .number(index + 1),
            ])
        }
    }
}
