import Binder
import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// Functions in FROM: the call with its arguments is the relation's name, `generate_series(1,5,1)`.
enum TableFunctions {
    private static let viewColumns = SystemColumnList.parse(
        "view_schema name, view_name name, col_name name, col_type varchar(256), col_num int"
    ).0

    /// What ``call`` takes.
    static let signatures: [(name: String, arguments: [SQLType])] = [
        ("generate_series", [.bigint, .bigint]), ("generate_series", [.bigint, .bigint, .bigint]),
        ("pg_get_cols", [.text]), ("pg_get_late_binding_view_cols", []),
    ]

    /// nil for names of no function.
    static func call(_ name: String, _ arguments: [Datum]) throws -> SystemTableFunction? {
        switch name {
        case "pg_get_late_binding_view_cols":
            guard arguments.isEmpty else { return nil }
            return SystemTableFunction(relation: "\(name)()", columns: viewColumns)
        case "pg_get_cols":
            guard arguments.count == 1, case .string(let bytes) = arguments[0] else { return nil }
            return SystemTableFunction(
                relation: "\(name)(\(String(decoding: bytes, as: UTF8.self)))", columns: viewColumns)
        case "generate_series":
            let numbers = arguments.map { argument -> Int64? in
                if case .integer(let value) = argument { Int64(exactly: value) } else { nil }
            }
            guard (2...3).contains(numbers.count) else { return nil }
            // A NULL argument makes no rows.
            let (start, end) = (numbers[0], numbers[1])
            let step = numbers.count == 3 ? numbers[2] : 1
            if step == 0 { throw SQLError(.invalidParameterValue, "step size cannot equal zero") }
            let call: String
            if let start, let end, let step {
                call = "\(start),\(end),\(step)"
            } else {
                call = "1,0,1"
            }
            return SystemTableFunction(
                relation: "\(name)(\(call))", columns: [SystemColumn("generate_series", .bigint)])
        default: return nil
        }
    }

    static func rows(_ call: String, _ snapshot: SystemSnapshot) throws -> ColumnBatch {
        let open = call.firstIndex(of: "(") ?? call.endIndex
        let inner = String(call[open...].dropFirst().dropLast())
        switch call[..<open] {
        case "generate_series":
            let sink = SystemRows(types: [.bigint], cancellation: snapshot.cancellation)
            try series(inner, sink)
            return sink.batch
        case "pg_get_cols":
            let sink = SystemRows(types: viewColumns.map(\.type), cancellation: snapshot.cancellation)
            try columns(of: inner, snapshot, sink)
            return sink.batch
        default:
            let sink = SystemRows(types: viewColumns.map(\.type), cancellation: snapshot.cancellation)
            for view in snapshot.views where view.isLateBinding {
                try snapshot.cancellation.check()
                try add(snapshot.viewColumns(view) ?? [], view.schema, view.name, sink)
            }
            return sink.batch
        }
    }

    /// The rows are made at once and lie outside of the query's memory budget.
    private static let maximumSeries = 10_000_000

    private static func series(_ text: String, _ sink: SystemRows) throws {
        let numbers = text.split(separator: ",").compactMap { Int64($0) }
        guard numbers.count == 3, numbers[2] != 0 else { return }
        let (first, last, step) = (Int128(numbers[0]), Int128(numbers[1]), Int128(numbers[2]))
        if (last - first) / step >= Int128(maximumSeries) && (last > first) == (step > 0) {
            throw SQLError("54000", "generate_series makes more than \(maximumSeries) rows")
        }
        var value = numbers[0]
        while numbers[2] > 0 ? value <= numbers[1] : value >= numbers[1] {
            try sink.add([.wide(value)])
            let (next, overflow) = value.addingReportingOverflow(numbers[2])
            if overflow { return }
            value = next
        }
    }

    private static func columns(of name: String, _ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let answers = CatalogAnswers(snapshot)
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
