import Binder

/// Who sees what of the system tables: everybody their own rows, superusers and users with SYSLOG ACCESS UNRESTRICTED
/// all rows, and some tables nobody else at all.
enum SystemVisibility {
    /// Tables of superusers, as their documentation marks them.
    static func isRestricted(_ relation: String) -> Bool { restricted.contains(relation) }

    private static let restricted: Set<String> = [
        "pg_shadow", "pg_statistic", "stv_blocklist", "stv_tbl_perm", "stv_partitions", "svv_diskusage",
        "svv_table_info", "svv_interleaved_columns", "stl_vacuum", "svv_vacuum_progress", "svv_vacuum_summary",
        "svl_vacuum_percentage", "stl_analyze", "stv_wlm_service_class_config", "stv_wlm_service_class_state",
        "stv_wlm_classification_config", "stv_wlm_qmr_config", "stl_usage_control", "stl_connection_log", "stv_locks",
        "stl_tr_conflict",
        "stl_undone", "stl_commit_stats", "stl_userlog", "sys_userlog",
        "sys_transaction_history", "sys_connection_log", "svl_redbarn_crashes", "stv_process_memory",
        "stv_cursor_configuration",
    ]

    /// Relations whose rows belong to users, by the prefixes of their names.
    private static let prefixes = ["stl_", "stv_", "svl_", "svcs_", "sys_", "svv_query_"]

    /// The column that says whose a row is; nil where all rows are everybody's.
    static func ownerColumn(of relation: SystemRelation) -> Int? {
        guard prefixes.contains(where: { relation.name.hasPrefix($0) }) else { return nil }
        return relation.columns.firstIndex { $0.name == "userid" || $0.name == "user_id" }
    }
}
