import Platform
import SQLTypes
import Workload

/// Past statements.
enum QueryRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_query",
            """
            userid int, query int, label varchar(320), xid bigint, pid int, database char(32), querytxt char(4000),
            starttime ts, endtime ts, aborted int, insert_pristine int, concurrency_scaling_status int
            """, rows: queries),
        SystemRelation(
            "stl_querytext", "userid int, xid bigint, pid int, query int, sequence int, text char(200)",
            rows: { snapshot, sink in
                for (query, user) in logged(snapshot, .query) {
                    for (index, piece) in QueryText.pieces(query.text, 200).enumerated() {
                        try sink.add([
                            user, .wide(query.transaction), .number(query.session), .number(query.id),
                            .number(index), .text(piece),
                        ])
                    }
                }
            }),
        SystemRelation("stl_ddltext", statementColumns, rows: { try statements($0, .definition, $1) }),
        SystemRelation("stl_utilitytext", statementColumns, rows: { try statements($0, .utility, $1) }),
        SystemRelation(
            "svl_statementtext",
            """
            userid int, xid bigint, pid int, label varchar(320), starttime ts, endtime ts, sequence int,
            type varchar(10), text char(200)
            """, rows: statementTexts),
        SystemRelation(
            "svl_qlog",
            """
            userid int, query int, xid bigint, pid int, starttime ts, endtime ts, elapsed bigint, aborted int,
            label varchar(320), substring varchar(60), source_query int, concurrency_scaling_status_txt text,
            from_sp_call int
            """, rows: queryLog),
        SystemRelation(
            "sys_query_history",
            """
            user_id int, query_id bigint, query_label char(320), transaction_id bigint, session_id int,
            database_name char(128), query_type char(32), status char(10), result_cache_hit bool, start_time ts,
            end_time ts, elapsed_time bigint, queue_time bigint, execution_time bigint, error_message char(512),
            returned_rows bigint, returned_bytes bigint, query_text char(4000), redshift_version char(256),
            usage_limit char(150), compute_type varchar(32), compile_time bigint, planning_time bigint,
            lock_wait_time bigint, service_class_id int, service_class_name char(64), query_priority char(20),
            short_query_accelerated char(10), user_query_hash char(40), generic_query_hash char(40),
            query_hash_version int, result_cache_query_id int, username char(128)
            """, rows: history),
        SystemRelation(
            "sys_query_text",
            """
            user_id int, query_id bigint, transaction_id bigint, session_id int, start_time ts, sequence int,
            text char(4000)
            """,
            rows: { snapshot, sink in
                for (query, user) in logged(snapshot, nil) {
                    for (index, piece) in QueryText.pieces(query.text, 4000).enumerated() {
                        try sink.add([
                            user, .number(query.id), .wide(query.transaction), .number(query.session),
                            .wide(query.startMicroseconds), .number(index), .text(piece),
                        ])
                    }
                }
            }),
    ]

    private static let statementColumns = """
        userid int, xid bigint, pid int, label varchar(320), starttime ts, endtime ts, sequence int, text char(200)
        """

    /// The query group.
    private static func label(_ query: WarehouseLog.Query) -> Datum {
        .text(query.label.isEmpty ? "default" : query.label)
    }

    /// Statements of one family, all without one, with the user's id.
    private static func logged(
        _ snapshot: SystemSnapshot, _ family: QueryText.Family?
    ) -> [(WarehouseLog.Query, Datum)] {
        snapshot.log.queries.compactMap { query in
            if let family, query.family != family { return nil }
            return (query, .number(query.user))
        }
    }

    private static func queries(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        // Texts, which cost most, only where somebody wants them.
        let wantsText = sink.wants(6)
        for (query, user) in logged(snapshot, .query) {
            try sink.add([
                user, .number(query.id), label(query), .wide(query.transaction), .number(query.session),
                snapshot.loggedDatabase(query.database), wantsText ? shortened(query.text) : .blank,
                .wide(query.startMicroseconds), .wide(query.endMicroseconds),
                .number(query.errorMessage == nil ? 0 : 1), .zero,
                .number(query.admission?.isScaledOut == true ? 1 : 0),
            ])
        }
    }

    /// What one column of a log table takes of a text.
    private static func shortened(_ text: String) -> Datum {
        let line = QueryText.oneLine(text)
        return .text(line.utf8.count <= 4000 ? line : String(line.prefix(4000)))
    }

    private static func statements(_ snapshot: SystemSnapshot, _ family: QueryText.Family, _ sink: SystemRows) throws {
        for (query, user) in logged(snapshot, family) {
            for (index, piece) in QueryText.pieces(query.text, 200).enumerated() {
                try sink.add([
                    user, .wide(query.transaction), .number(query.session), label(query),
                    .wide(query.startMicroseconds),
                    .wide(query.endMicroseconds), .number(index), .text(piece),
                ])
            }
        }
    }

    private static func statementTexts(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, user) in logged(snapshot, nil) {
            let type: String
            switch query.family {
            case .query: type = "QUERY"
            case .definition: type = "DDL"
            case .utility: type = "UTILITY"
            }
            for (index, piece) in QueryText.pieces(query.text, 200).enumerated() {
                try sink.add([
                    user, .wide(query.transaction), .number(query.session), label(query),
                    .wide(query.startMicroseconds),
                    .wide(query.endMicroseconds), .number(index), .text(type), .text(piece),
                ])
            }
        }
    }

    private static func queryLog(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, user) in logged(snapshot, .query) {
            try sink.add([
                user, .number(query.id), .wide(query.transaction), .number(query.session),
                .wide(query.startMicroseconds), .wide(query.endMicroseconds),
                .wide(query.endMicroseconds - query.startMicroseconds), .number(query.errorMessage == nil ? 0 : 1),
                label(query),
                .text(String(QueryText.oneLine(query.text).prefix(60))), query.sourceQuery.map { .number($0) } ?? .null,
                .text(
                    query.admission?.isScaledOut == true
                        ? "1 - Ran on a Concurrency Scaling cluster" : "0 - Ran on the main cluster"),
                query.caller.map { .number($0) } ?? .null,
            ])
        }
    }

    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, user) in logged(snapshot, nil) {
            let isCancelled = query.errorState == "57014"
            let status = query.errorMessage == nil ? "success" : isCancelled ? "canceled" : "failed"
            try addHistory(query, user, status, snapshot, sink)
        }
        let now = snapshot.time.wallMicroseconds()
        let present = Dictionary(
            snapshot.workload.statements.map { ($0.request.query, $0) }, uniquingKeysWith: { $1 })
        for session in snapshot.sessions.all {
            guard let statement = session.statement,
                snapshot.shownUser == nil || snapshot.shownUser == session.user
            else { continue }
            var query = WarehouseLog.Query(
                id: statement.query, session: session.number, user: session.user,
                text: statement.shownText, startMicroseconds: statement.startMicroseconds,
                endMicroseconds: now, rows: 0)
            query.label = session.number == snapshot.sessionNumber ? snapshot.settings["query_group"] : ""
            query.admission = present[statement.query]?.record
            let isQueued = present[statement.query]?.state == .waiting
            try addHistory(query, .number(query.user), isQueued ? "queued" : "running", snapshot, sink)
        }
    }

    private static func addHistory(
        _ query: WarehouseLog.Query, _ user: Datum, _ status: String, _ snapshot: SystemSnapshot, _ sink: SystemRows
    ) throws {
        let elapsed = query.endMicroseconds - query.startMicroseconds
        let admission = query.admission
        let queued = admission?.queueMicroseconds ?? 0
        let first: [Datum] = [
            user, .number(query.id), label(query), .wide(query.transaction), .number(query.session),
            snapshot.loggedDatabase(query.database),
            sink.wants(6) ? .text(QueryText.kind(query.text).type) : .blank, .text(status),
            query.sourceQuery == nil ? .no : .yes, .wide(query.startMicroseconds), .wide(query.endMicroseconds),
            .wide(elapsed), .wide(queued),
            .wide(max(0, elapsed - query.planningMicroseconds - queued)), .text(query.errorMessage ?? ""),
            .number(query.rows),
        ]
        let hashes: [Datum] =
            sink.wants(28) || sink.wants(29)
            ? [.text(QueryHash.text(query.text)), .text(QueryHash.text(QueryHash.generic(query.text)))]
            : [.blank, .blank]
        let second: [Datum] = [
            .wide(query.resultBytes), sink.wants(17) ? shortened(query.text) : .blank,
            .text("Redshift 1.0.0"), .blank, .text(admission?.isScaledOut == true ? "primary-scale" : "primary"), .zero,
            .wide(query.planningMicroseconds), .zero, admission.map { .number($0.serviceClass) } ?? .null,
            .optional(admission?.serviceClassName), .optional(admission?.priority.name),
            .text(admission?.isShort == true ? "true" : "false"),
        ]
        let source: Datum = query.sourceQuery.map { .number($0) } ?? .null
        try sink.add(first + second + hashes + [.number(1), source, .text(snapshot.userName(query.user))])
    }
}
