import SQLTypes

/// Logs of single steps, errors and maintenance. What engine and storage have no figures for stays empty, with its
/// shape, so that the queries of tools run.
enum StepRelations {
    static let all: [SystemRelation] = steps + summaries + rest

    private static let stepColumns = """
        userid int, query int, slice int, segment int, step int, starttime ts, endtime ts, tasknum int, rows bigint,
        bytes bigint
        """

    private static let steps: [SystemRelation] = [
        (
            "stl_scan",
            """
            fetches bigint, type int, tbl int, is_rrscan char(1), is_delayed_scan char(1), rows_pre_filter bigint,
            rows_pre_user_filter bigint, perm_table_name char(136), is_rlf_scan char(1), is_rlf_scan_reason int,
            num_em_blocks int, checksum bigint, runtime_filtering char(1), scan_region int,
            num_sortkey_as_predicate int, row_fetcher_state int, consumed_scan_ranges bigint,
            work_stealing_reason bigint, is_vectorized_scan char(1), is_vectorized_scan_reason int,
            row_fetcher_reason bigint, topology_signature bigint, use_tpm_partition char(1), is_rrscan_expr char(1)
            """
        ),
        (
            "stl_aggr",
            """
            slots int, occupied int, maxlength int, tbl int, is_diskbased char(1), workmem bigint, type char(6)
            """
        ),
        (
            "stl_hash",
            """
            slots int, occupied int, maxlength int, tbl int, is_diskbased char(1), workmem bigint, num_parts int,
            est_rows bigint, num_blocks_permitted int, row_dist_variance int
            """
        ),
        ("stl_hashjoin", "tbl int, num_parts int, join_type int, hash_looped char(1), switched_parts char(1)"),
        ("stl_mergejoin", "tbl int, checksum bigint"), ("stl_nestloop", "tbl int, checksum bigint"),
        ("stl_sort", "tbl int, is_diskbased char(1), workmem bigint, checksum bigint"),
        ("stl_dist", "packets int, checksum bigint"), ("stl_bcast", "packets int, checksum bigint"),
        ("stl_return", "packets int, checksum bigint"),
        ("stl_save", "tbl int, is_diskbased char(1), workmem bigint"),
        ("stl_insert", "tbl int, inserted_mega_value char(1), use_staging_table char(1)"), ("stl_delete", "tbl int"),
        (
            "stl_unique",
            """
            type char(6), is_diskbased char(1), slots int, workmem bigint, max_buffers_used bigint, resizes int,
            occupied int, flushable int, used_unique_prefetching char(1)
            """
        ),
        ("stl_limit", "checksum bigint"), ("stl_merge", "checksum bigint"), ("stl_parse", "checksum bigint"),
        ("stl_project", "checksum bigint"), ("stl_window", "is_diskbased char(1), workmem bigint"),
    ].map { name, columns in
        let own = columns
        return SystemRelation(name, stepColumns + ", " + own, rows: { try StepRows.add(name, $0, $1) })
    }

    private static let summaryColumns = """
        userid int, query int, stm int, seg int, step int, maxtime bigint, avgtime bigint, rows bigint, bytes bigint,
        rate_row double, rate_byte double, label text, is_diskbased char(1), workmem bigint, is_rrscan char(1),
        is_delayed_scan char(1), rows_pre_filter bigint
        """
    private static let explainColumns = """
        userid int, query int, nodeid int, parentid int, plannode char(400), info char(400)
        """

    private static let summaries: [SystemRelation] = [
        SystemRelation("svl_query_summary", summaryColumns, rows: StepRows.summary),
        SystemRelation("svcs_query_summary", summaryColumns, rows: StepRows.summary),
        SystemRelation(
            "svl_query_report",
            """
            userid int, query int, slice int, segment int, step int, start_time ts, end_time ts, elapsed_time bigint,
            rows bigint, bytes bigint, label char(256), is_diskbased char(1), workmem bigint, is_rrscan char(1),
            is_delayed_scan char(1), rows_pre_filter bigint
            """, rows: StepRows.report),
        SystemRelation(
            "sys_query_detail",
            """
            user_id int, query_id bigint, child_query_sequence int, stream_id int, segment_id int, step_id int,
            step_name text, table_id int, table_name char(136), is_rrscan char(1), start_time ts, end_time ts,
            duration bigint, alert text, input_bytes bigint, input_rows bigint, output_bytes bigint,
            output_rows bigint, blocks_read bigint, blocks_write bigint, local_read_io bigint, remote_read_io bigint,
            source text, data_skewness int, time_skewness int, is_active char(1), spilled_block_local_disk bigint,
            spilled_block_remote_disk bigint, step_attribute char(64), metrics_level char(64), plan_parent_id int,
            plan_node_id int
            """, rows: QueryDetailRelation.rows),
        SystemRelation("stl_explain", explainColumns, rows: explained),
        SystemRelation("svcs_explain", explainColumns, rows: explained),
        SystemRelation(
            "stl_plan_info",
            """
            userid int, query int, nodeid int, segment int, step int, locus int, plannode int, startupcost double,
            totalcost double, rows bigint, bytes bigint
            """, rows: StepRows.planInfo),
        SystemRelation(
            "stl_stream_segs", "userid int, query int, stream int, segment int", rows: StepRows.segments),
        SystemRelation(
            "svv_query_state",
            """
            userid int, query int, seg int, step int, maxtime interval, avgtime interval, rows bigint, bytes bigint,
            cpu bigint, memory bigint, rate_row double, rate_byte double, label char(25), is_diskbased char(1),
            workmem bigint, num_parts int, is_rrscan char(1), is_delayed_scan char(1)
            """, rows: StepRows.runningSummary),
        SystemRelation(
            "stv_exec_state",
            """
            userid int, query int, slice int, segment int, step int, starttime ts, currenttime ts, tasknum int,
            rows bigint, bytes bigint, label char(256), is_diskbased char(1), workmem bigint, num_parts int,
            is_rrscan char(1), is_delayed_scan char(1)
            """, rows: StepRows.running),
    ]

    /// One row a plan node.
    private static func explained(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try explained(snapshot, sink, behind: [])
    }

    /// - Parameter columns: those between the query and the node.
    static func explained(_ snapshot: SystemSnapshot, _ sink: SystemRows, behind columns: [Datum]) throws {
        let users = snapshot.usersOfQueries
        for detail in snapshot.log.details {
            guard let user = users[detail.query] else { continue }
            for (index, node) in detail.nodes.enumerated() {
                try sink.add(
                    [.number(user), .number(detail.query)] + columns + [
                        .number(index + 1), .number(node.parent), .text(String(node.text.prefix(400))),
                        .text(String(node.info.prefix(400))),
                    ])
            }
        }
    }

    private static let rest: [SystemRelation] = [
        SystemRelation(
            "stl_error",
            """
            userid int, process char(12), recordtime ts, pid int, errcode int, file char(90), linenum int,
            context char(100), error char(512)
            """, rows: errors),
        SystemRelation(
            "stl_alert_event_log",
            """
            userid int, query int, slice int, segment int, step int, pid int, xid bigint, event char(1024),
            solution char(1024), event_time ts
            """, rows: AlertRelation.rows),
        SystemRelation(
            "stl_tr_conflict",
            "xact_id bigint, process_id bigint, xact_start_ts ts, abort_time ts, table_id bigint",
            rows: TransactionRelations.conflicts),
        SystemRelation(
            "svl_user_info",
            """
            usename name, usesysid int, usecreatedb bool, usesuper bool, usecatupd bool, useconnlimit text,
            syslogaccess text, last_ddl_ts ts, sessiontimeout int, external_user_id text
            """),
    ]
    /// Errors of the engine itself; those of statements are in SYS_QUERY_HISTORY.
    private static func errors(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        func add(_ user: Int, _ moment: Int64, _ session: Int, _ context: String, _ error: String) throws {
            try sink.add([
                .number(user), .text("padbmaster"), .wide(moment), .number(session), .number(1), .blank, .zero,
                .text(context), .text(String(error.prefix(512))),
            ])
        }
        for query in snapshot.log.queries where query.errorState == "XX000" || query.errorState == "XX001" {
            try add(
                query.user, query.endMicroseconds, query.session, "query \(query.id)",
                query.errorMessage ?? "")
        }
        if let failure = snapshot.log.failure {
            try add(1, failure.microseconds, 0, "history", failure.error.message)
        }
    }
}
