import Catalog
import Platform
import SQLTypes

/// Who is connected and what runs now.
enum SessionRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stv_sessions",
            "starttime ts, process int, user_name char(50), db_name char(50), timeout_sec int",
            rows: { snapshot, sink in
                for session in snapshot.sessions.all {
                    try sink.add([
                        .wide(session.startMicroseconds), .number(session.number),
                        .text(snapshot.userName(session.user)),
                        .text(snapshot.databaseName(session.database)), .zero,
                    ])
                }
            }),
        SystemRelation(
            "pg_stat_activity",
            """
            datid oid, datname name, procpid int, usesysid int, usename name, current_query text, query_start tstz
            """,
            rows: { snapshot, sink in
                let shown = snapshot.shownUser
                for session in snapshot.sessions.all {
                    let isShown = shown == nil || shown == session.user
                    try sink.add([
                        .wide(session.database.raw), .text(snapshot.databaseName(session.database)),
                        .number(session.number),
                        .number(session.user), .text(snapshot.userName(session.user)),
                        .text(isShown ? session.statement?.shownText ?? "<IDLE>" : "<insufficient privilege>"),
                        isShown ? session.statement.map { .wide($0.startMicroseconds) } ?? .null : .null,
                    ])
                }
            }),
        SystemRelation(
            "stv_inflight",
            """
            userid int, slice int, query int, label char(320), xid bigint, pid int, starttime ts, text char(100),
            suspended int, insert_pristine int, concurrency_scaling_status int
            """, rows: inflight),
        SystemRelation(
            "svv_query_inflight",
            """
            userid int, slice int, query int, pid int, starttime ts, suspended int, text char(200), sequence int
            """,
            rows: { snapshot, sink in
                for (session, statement) in running(snapshot) {
                    for (index, part) in QueryText.pieces(statement.shownText, 200).enumerated() {
                        try sink.add([
                            .number(session.user), .zero, .number(statement.query),
                            .number(session.number), .wide(statement.startMicroseconds), .zero, .text(part),
                            .number(index),
                        ])
                    }
                }
            }),
        SystemRelation(
            "stv_recents",
            """
            userid int, status char(20), starttime ts, duration int, user_name char(50), db_name char(50),
            query char(600), pid int
            """, rows: recents),
        SystemRelation(
            "stv_locks",
            """
            table_id bigint, last_commit ts, last_update ts, lock_owner bigint, lock_owner_pid bigint,
            lock_owner_start_ts ts, lock_owner_end_ts ts, lock_status char(22)
            """, rows: TransactionRelations.locks),
        SystemRelation(
            "pg_locks",
            """
            locktype text, database oid, relation oid, transaction bigint, pid int, mode text, granted bool
            """, rows: TransactionRelations.postgresLocks),
        SystemRelation(
            "svv_transactions",
            """
            txn_owner text, txn_db text, xid bigint, pid int, txn_start ts, lock_mode text, lockable_object_type text,
            relation int, granted bool
            """, rows: TransactionRelations.transactions),
        SystemRelation(
            "stl_connection_log",
            """
            event char(50), recordtime ts, remotehost char(45), remoteport char(32), pid int, dbname char(50),
            username char(50), authmethod char(32), duration int, sslversion char(50), sslcipher char(128), mtu int,
            sslcompression char(64), sslexpansion char(64), iamauthguid char(36), application_name char(250),
            os_version char(64), driver_version char(64), plugin_name char(32), protocol_version int,
            sessionid char(36), compression char(8)
            """, rows: connections),
        SystemRelation(
            "sys_connection_log",
            """
            event char(50), record_time ts, remote_host char(45), remote_port char(32), session_id int,
            database_name char(50), user_name char(50), auth_method char(32), duration int, ssl_version char(50),
            ssl_cipher char(128), mtu int, ssl_compression char(64), ssl_expansion char(64), iam_auth_guid char(36),
            application_name char(250), os_version char(64), driver_version char(64), plugin_name char(32),
            protocol_version int, global_session_id char(36), compression char(8)
            """, rows: connections),
        SystemRelation(
            "stl_sessions",
            """
            userid int, starttime ts, endtime ts, process int, user_name char(50), db_name char(50), timeout_sec int,
            timed_out int
            """, rows: sessions),
        SystemRelation(
            "stv_active_cursors",
            """
            userid int, name char(256), xid bigint, pid int, starttime ts, row_count bigint, byte_count bigint,
            fetched_rows bigint
            """,
            rows: { snapshot, sink in
                for session in snapshot.sessions.all {
                    guard let cursor = session.cursor else { continue }
                    try sink.add([
                        .number(session.user), .text(cursor.name), .wide(cursor.transaction), .number(session.number),
                        .wide(cursor.startMicroseconds), .number(cursor.rows), .number(cursor.bytes),
                        .number(cursor.fetchedRows),
                    ])
                }
            }),
        SystemRelation(
            "svl_terminate", "pid int, eventtime ts, userid int, type varchar(21)",
            rows: { snapshot, sink in
                for termination in snapshot.sessions.terminations {
                    try sink.add([
                        .number(termination.session), .wide(termination.microseconds), .number(termination.user),
                        .text(termination.kind.rawValue),
                    ])
                }
            }),
        SystemRelation(
            "stv_cursor_configuration",
            "current_cursor_count int, max_diskspace_usable int, current_diskspace_used int",
            rows: { snapshot, sink in
                let cursors = snapshot.sessions.all.compactMap(\.cursor)
                let bytes = cursors.reduce(0) { $0 + $1.bytes }
                try sink.add([
                    .number(cursors.count), .number(SessionCursor.limitBytes >> 20),
                    .number((bytes + (1 << 20) - 1) >> 20),
                ])
            }),
    ]

    private static func running(
        _ snapshot: SystemSnapshot
    ) -> [(SessionRegistry.Entry, SessionRegistry.RunningStatement)] {
        snapshot.sessions.all.compactMap { session in session.statement.map { (session, $0) } }
    }

    private static func inflight(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (session, statement) in running(snapshot) {
            for slice in 0..<snapshot.shape.slices {
                try sink.add([
                    .number(session.user), .number(slice), .number(statement.query),
                    .text("default"), .number(statement.query), .number(session.number),
                    .wide(statement.startMicroseconds), .text(String(statement.shownText.prefix(100))), .zero, .zero,
                    .zero,
                ])
            }
        }
    }

    private static func recents(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let now = snapshot.time.wallMicroseconds()
        for (session, statement) in running(snapshot) {
            let duration = max(0, min(now - statement.startMicroseconds, Int64(Int32.max)))
            try sink.add([
                .number(session.user), .text("Running"), .wide(statement.startMicroseconds), .wide(duration),
                .text(snapshot.userName(session.user)),
                .text(snapshot.databaseName(session.database)), .text(String(statement.shownText.prefix(600))),
                .number(session.number),
            ])
        }
        for query in snapshot.log.queries.suffix(100).reversed() {
            let duration = min(query.endMicroseconds - query.startMicroseconds, Int64(Int32.max))
            try sink.add([
                .number(query.user), .text("Done"), .wide(query.startMicroseconds), .wide(max(duration, 0)),
                .text(snapshot.userName(query.user)),
                snapshot.loggedDatabase(query.database), .text(String(query.text.prefix(600))), .number(-1),
            ])
        }
    }

    private static func connections(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for connection in snapshot.log.connections {
            let client = connection.client
            let event: String
            switch connection.event {
            case .authenticated: event = "authenticated"
            case .began: event = "initiating session"
            case .ended: event = "disconnecting session"
            case .refused:
                event = connection.reason.isEmpty ? "authentication failure" : "refused: " + connection.reason
            }
            let first: [Datum] = [
                .text(String(event.prefix(50))), .wide(connection.microseconds), .text(client.host), .text(client.port),
                .number(connection.session), snapshot.loggedDatabase(client.database), .text(client.user),
                .text(client.authentication), .wide(min(connection.durationMicroseconds, Int64(Int32.max))),
                .text(client.encryption), .blank, .zero,
            ]
            let rest: [Datum] = [
                .blank, .blank, .blank, .text(String(client.application.prefix(250))),
                .text(String(client.operatingSystem.prefix(64))), .text(String(client.driver.prefix(64))),
                .text(String(client.plugin.prefix(32))), .number(client.protocolVersion), .blank, .blank,
            ]
            try sink.add(first + rest)
        }
    }

    /// Sessions that have ended.
    private static func sessions(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for connection in snapshot.log.connections where connection.event == .ended {
            try sink.add([
                .number(connection.user),
                .wide(connection.microseconds - connection.durationMicroseconds), .wide(connection.microseconds),
                .number(connection.session), .text(connection.client.user),
                snapshot.loggedDatabase(connection.client.database), .zero, .zero,
            ])
        }
    }
}
