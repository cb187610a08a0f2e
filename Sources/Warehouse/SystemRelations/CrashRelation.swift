import SQLTypes

/// Deaths of the serving process; a row for each statement that was at work, one row where none was.
enum CrashRelation {
    static let all: [SystemRelation] = [
        SystemRelation(
            "svl_redbarn_crashes",
            """
            recordtime ts, process int, signal int, signal_name char(16), address varchar(18), is_blamed bool,
            is_refused bool, userid int, user_name name, pid int, query bigint, starttime ts, hash char(16), text text,
            stack text
            """, rows: rows)
    ]

    private static func rows(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for record in snapshot.crashes.records {
            let first: [Datum] = [
                .wide(record.microseconds), .number(record.process), .number(record.signal),
                .text(CrashRecord.signalName(record.signal)), .text("0x" + String(record.address, radix: 16)),
            ]
            let stack = Datum.text(record.stack.joined(separator: "\n").beginning(SQLType.maximumVarcharLength))
            for statement in record.statements {
                let isRefused = statement.isBlamed && snapshot.crashes.isRefused(statement.hash)
                try sink.add(
                    first + [
                        .boolean(statement.isBlamed), .boolean(isRefused), .number(statement.user),
                        .text(statement.userName), .number(statement.session), .number(statement.query),
                        .wide(statement.startMicroseconds), .text(CrashRecord.hashText(statement.hash)),
                        .text(statement.text), stack,
                    ])
            }
            if record.statements.isEmpty {
                let none = [Datum](repeating: .null, count: 7)
                try sink.add(first + [.no, .no] + none + [stack])
            }
        }
    }
}
