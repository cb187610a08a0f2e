import Catalog
import ColumnStore
import Platform
import SQLTypes

/// Sessions, transactions, plans and loads of the past, as the SYS views and some STL tables show them.
enum ActivityHistoryRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "sys_session_history",
            """
            user_id int, session_id int, database_name char(50), status char(10), session_timeout int, start_time ts,
            end_time ts
            """, rows: sessions),
        SystemRelation(
            "sys_transaction_history",
            """
            user_id int, transaction_id bigint, isolation_level text, status text, transaction_start_time ts,
            commit_start_time ts, commit_end_time ts, blocks_committed bigint, undo_transaction_id bigint
            """, rows: transactions),
        SystemRelation(
            "stl_commit_stats",
            """
            xid bigint, node int, startqueue ts, startwork ts, endflush ts, endstage ts, endlocal ts, startglobal ts,
            endtime ts, queuelen bigint, permblocks bigint, newblocks bigint, dirtyblocks bigint, headers bigint,
            numxids int, oldestxid bigint, extwritelatency bigint, metadatawritten int, tombstonedblocks bigint,
            tossedblocks bigint, batched_by bigint
            """, rows: commits),
        SystemRelation(
            "sys_query_explain",
            """
            user_id int, query_id bigint, child_query_sequence int, plan_node_id int, plan_parent_id int,
            plan_node char(400), plan_info char(400)
            """, rows: { try StepRelations.explained($0, $1, behind: [.yes]) }),
        SystemRelation(
            "stl_file_scan",
            """
            userid int, query int, slice int, name char(90), lines bigint, bytes bigint, loadtime bigint, curtime ts,
            is_partial int, start_offset bigint
            """,
            rows: { snapshot, sink in
                for file in snapshot.log.loadedFiles {
                    try sink.add([
                        .number(file.user), .number(file.query), .zero, .text(String(file.name.prefix(90))),
                        .number(file.rows), .wide(file.bytes), .zero, .wide(file.endMicroseconds), .zero, .zero,
                    ])
                }
            }),
        SystemRelation(
            "sys_load_detail",
            """
            user_id int, query_id bigint, file_name char(256), bytes_scanned bigint, lines_scanned bigint,
            splits_scanned int, record_time ts
            """,
            rows: { snapshot, sink in
                for file in snapshot.log.loadedFiles {
                    try sink.add([
                        .number(file.user), .number(file.query), .text(String(file.name.prefix(256))),
                        .wide(file.bytes), .number(file.rows), .yes, .wide(file.endMicroseconds),
                    ])
                }
            }),
        SystemRelation(
            "svl_compile",
            """
            userid int, xid bigint, pid int, query int, segment int, locus int, starttime ts, endtime ts, compile int
            """, rows: segments),
        SystemRelation(
            "svl_multi_statement_violations",
            """
            userid int, database char(32), cmdname char(20), xid bigint, pid int, label char(320), starttime ts,
            endtime ts, sequence int, type varchar(10), text char(200)
            """, rows: violations),
        SystemRelation(
            "svcs_alert_event_log",
            """
            userid int, query int, slice int, segment int, step int, pid int, xid bigint, event char(1024),
            solution char(1024), event_time ts
            """, rows: AlertRelation.rows),
    ]

    /// Those that are open, and those that have ended.
    private static func sessions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for connection in snapshot.log.connections where connection.event == .ended {
            try sink.add([
                .number(connection.user), .number(connection.session),
                snapshot.loggedDatabase(connection.client.database), .text("closed"), .zero,
                .wide(connection.microseconds - connection.durationMicroseconds), .wide(connection.microseconds),
            ])
        }
        for session in snapshot.sessions.all {
            try sink.add([
                .number(session.user), .number(session.number), .text(snapshot.databaseName(session.database)),
                .text("active"), .zero, .wide(session.startMicroseconds), .null,
            ])
        }
    }

    /// Of the statements that the log knows: one row for all of a transaction.
    private static func transactions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let commits = Dictionary(
            snapshot.transactions.commits.map { ($0.number, $0) }, uniquingKeysWith: { _, last in last })
        let failures = Set(snapshot.transactions.failures)
        let open = Set(snapshot.transactions.openTransactions.map(\.number))
        var order: [Int64] = []
        var found: [Int64: (first: WarehouseLog.Query, last: WarehouseLog.Query, failed: Bool)] = [:]
        for query in snapshot.log.queries where query.transaction != 0 {
            let failed = query.errorMessage != nil || failures.contains(query.transaction)
            if let known = found[query.transaction] {
                found[query.transaction] = (known.first, query, known.failed || failed)
            } else {
                order.append(query.transaction)
                found[query.transaction] = (query, query, failed)
            }
        }
        let standard = snapshot.store.catalog.database.isolation
        for number in order where !open.contains(number) {
            try snapshot.cancellation.check()
            guard let (first, last, failed) = found[number] else { continue }
            let commit = commits[number]
            let level = commit?.isolation ?? standard
            try sink.add([
                .number(first.user), .wide(number),
                .text(level == .serializable ? "Serializable" : "Snapshot Isolation"),
                .text(failed && commit == nil ? "rolledback" : "committed"), .wide(first.startMicroseconds),
                .wide(commit?.beginMicroseconds ?? last.endMicroseconds),
                .wide(commit?.endMicroseconds ?? last.endMicroseconds), .null, .number(-1),
            ])
        }
    }

    /// The leader's part of each commit that has changed something; blocks are not counted.
    private static func commits(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for commit in snapshot.transactions.commits {
            let begin = Datum.wide(commit.beginMicroseconds)
            let end = Datum.wide(commit.endMicroseconds)
            try sink.add([
                .wide(commit.number), .number(-1), begin, begin, end, end, end, begin, end, .zero, .null, .null, .null,
                .null, .yes, .wide(commit.number), .zero, .yes, .null, .null, .zero,
            ])
        }
    }

    /// Plans run as they are: no segment waits for a compiler.
    private static func segments(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let queries = snapshot.queriesByID
        for detail in snapshot.log.details {
            guard let query = queries[detail.query] else { continue }
            for segment in Set(detail.steps.map(\.segment)).sorted() {
                let slices = detail.steps.filter { $0.segment == segment }.flatMap(\.slices)
                try sink.add([
                    .number(query.user), .wide(query.transaction), .number(query.session), .number(query.id),
                    .number(segment), .yes, .wide(slices.map(\.startMicroseconds).min() ?? query.startMicroseconds),
                    .wide(slices.map(\.endMicroseconds).max() ?? query.endMicroseconds), .zero,
                ])
            }
        }
    }

    /// Statements that a transaction block has refused.
    private static func violations(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for query in snapshot.log.queries where query.errorState == SQLState.activeTransaction.code {
            let kind = QueryText.kind(query.text)
            for (index, piece) in QueryText.pieces(query.text, 200).enumerated() {
                try sink.add([
                    .number(query.user), snapshot.loggedDatabase(query.database), .text(String(kind.type.prefix(20))),
                    .wide(query.transaction), .number(query.session),
                    .text(query.label.isEmpty ? "default" : query.label), .wide(query.startMicroseconds),
                    .wide(query.endMicroseconds), .number(index), .text(String(kind.type.prefix(10))), .text(piece),
                ])
            }
        }
    }
}
