/// Relations about what this server does not have: they are there for queries that ask, and have no rows.
enum EmptyRelations {
    static let all: [SystemRelation] = security + sharing + external + service

    private static let security: [SystemRelation] = [
        SystemRelation(
            "svv_rls_policy",
            """
            poldb name, polname name, polalias text, polatts text, polqual text, polenabled bool, polmodifiedby name,
            polmodifiedtime ts
            """),
        SystemRelation(
            "svv_rls_attached_policy",
            """
            relschema name, relname name, relkind text, polname name, grantor name, grantee name, granteekind text,
            is_pol_on bool, is_rls_on bool, rls_conjunction_type text
            """),
        SystemRelation(
            "svv_rls_relation",
            """
            datname name, relschema name, relname name, relkind text, is_rls_on bool, is_rls_datashare_on bool,
            rls_conjunction_type text, rls_datashare_conjunction_type text
            """),
        SystemRelation(
            "svv_rls_applied_policy",
            """
            username name, query int, xid bigint, pid int, recordtime ts, command char(1), datname name,
            relschema name, relname name, polname name, poldefault char(1)
            """),
        SystemRelation(
            "svv_masking_policy",
            """
            policy_database text, policy_name text, input_columns text, policy_expression text,
            policy_modified_by text, policy_modified_time ts
            """),
        SystemRelation(
            "svv_attached_masking_policy",
            """
            policy_name text, schema_name text, table_name text, table_type text, grantor text, grantee text,
            grantee_type text, priority int, input_columns text, output_columns text
            """),
        SystemRelation(
            "sys_applied_masking_policy_log",
            """
            policy_name text, user_id int, record_time ts, session_id int, transaction_id bigint, query_id bigint,
            database_name text, relation_name text, schema_name text, relation_kind text
            """),
        SystemRelation(
            "svv_identity_providers",
            "uid int, name text, type text, instanceid text, namespc text, params text, enabled bool"),
        SystemRelation(
            "svv_iam_privileges",
            "iam_arn text, command_type text, identity_id int, identity_name text, identity_type text"),
    ]

    private static let sharing: [SystemRelation] = [
        SystemRelation(
            "svv_datashare_objects",
            """
            share_type varchar(8), share_name varchar(128), object_type varchar(64), object_name varchar(512),
            producer_account varchar(16), producer_namespace varchar(64), include_new bool
            """),
        SystemRelation(
            "svv_datashare_consumers",
            """
            share_name varchar(128), consumer_account varchar(16), consumer_namespace varchar(64), share_date ts
            """),
        SystemRelation(
            "svv_datashare_privileges",
            """
            namespace_name text, datashare_name text, privilege_type text, identity_id int, identity_name text,
            identity_type text, admin_option bool, privilege_scope text
            """),
        SystemRelation(
            "svv_ml_model_info",
            """
            schema_name char(128), user_name char(128), model_name char(128), life_cycle char(20), is_refreshable int,
            model_state char(128)
            """),
        SystemRelation(
            "stv_ml_model_info",
            """
            schema_name char(128), user_name char(128), model_name char(128), life_cycle char(20), is_refreshable int,
            model_state char(128)
            """),
        SystemRelation(
            "svv_ml_model_privileges",
            """
            namespace_name text, model_name text, model_version int, privilege_type text, identity_id int,
            identity_name text, identity_type text, admin_option bool, privilege_scope text
            """),
    ]

    private static let external: [SystemRelation] = [
        SystemRelation(
            "svl_federated_query",
            """
            userid int, xid bigint, pid int, query int, sourcetype char(32), recordtime ts, querytext char(4000),
            num_rows bigint, num_bytes bigint, duration bigint
            """),
        // What COPY and UNLOAD exchange with S3 is counted for the statement, not for each request.
        SystemRelation(
            "stl_s3client",
            """
            userid int, query int, slice int, recordtime ts, pid int, http_method char(64), bucket char(64),
            key char(256), transfer_size bigint, data_size bigint, start_time bigint, end_time bigint,
            transfer_time bigint, compression_time bigint, connect_time bigint, app_connect_time bigint,
            retries bigint, request_id char(32), extended_request_id char(128), ip_address char(64),
            is_partial int, start_offset bigint
            """),
        SystemRelation(
            "stl_s3client_error",
            """
            userid int, query int, sliceid int, recordtime ts, pid int, http_method char(64), bucket char(64),
            key char(256), error char(1024), is_partial int, start_offset bigint
            """),
        SystemRelation(
            "svl_s3list",
            """
            query int, segment int, node int, slice int, eventtime ts, bucket text, prefix text, recursive char(1),
            retrieved_files int, max_file_size bigint, avg_file_size double, generated_splits int,
            avg_split_length double, duration bigint
            """),
        SystemRelation(
            "svl_s3partition_summary",
            """
            query int, segment int, assignment char(1), min_starttime ts, max_endtime ts, min_duration bigint,
            max_duration bigint, avg_duration bigint, total_partitions int, qualified_partitions int,
            min_assigned_partitions int, max_assigned_partitions int, avg_assigned_partitions bigint
            """),
        SystemRelation(
            "svl_s3retries",
            """
            query int, segment int, node int, slice int, eventtime ts, retries int, successful_fetches int,
            file_size bigint, location text, message char(256)
            """),
        SystemRelation(
            "svl_spectrum_scan_error",
            """
            userid int, query int, location char(256), rowid char(2100), colname char(127), original_value char(1024),
            modified_value char(1024), trigger char(1024), action char(1024), action_value char(1024), error_code int
            """),
        SystemRelation(
            "svl_s3log",
            "pid int, query int, segment int, step int, node int, slice int, eventtime ts, message char(512)"),
        SystemRelation(
            "svl_s3partition",
            """
            query int, segment int, node int, slice int, starttime ts, endtime ts, duration bigint,
            total_partitions int, qualified_partitions int, assigned_partitions int, assignment char(1)
            """),
        SystemRelation(
            "svl_s3query",
            """
            userid int, query int, segment int, step int, node int, slice int, starttime ts, endtime ts,
            elapsed bigint, external_table_name char(136), file_format char(16), is_partitioned char(1),
            is_rrscan char(1), s3_scanned_rows bigint, s3_scanned_bytes bigint, s3query_returned_rows bigint,
            s3query_returned_bytes bigint, files int, splits int, total_split_size bigint, max_split_size bigint,
            total_retries int, max_retries int, max_request_duration int, avg_request_duration double,
            max_request_parallelism int, avg_request_parallelism double
            """),
        SystemRelation(
            "svl_s3query_summary",
            """
            userid int, query int, xid bigint, pid int, segment int, step int, starttime ts, endtime ts,
            elapsed bigint, aborted int, external_table_name char(136), file_format char(16), is_partitioned char(1),
            is_rrscan char(1), is_nested char(1), s3_scanned_rows bigint, s3_scanned_bytes bigint,
            s3query_returned_rows bigint, s3query_returned_bytes bigint, files int, files_max int, files_avg int,
            splits int, splits_max int, splits_avg int, total_split_size bigint, max_split_size bigint,
            avg_split_size bigint, total_retries int, max_retries int, max_request_duration int,
            avg_request_duration double, max_request_parallelism int, avg_request_parallelism double,
            total_slowdown_count bigint, max_slowdown_count int
            """),
        SystemRelation(
            "sys_external_query_detail",
            """
            user_id int, query_id bigint, child_query_sequence int, transaction_id bigint, segment_id int,
            source_type text, start_time ts, end_time ts, duration bigint, total_partitions int,
            qualified_partitions int, scanned_files bigint, returned_rows bigint, returned_bytes bigint,
            file_format text, file_location text, external_query_text text, warning_message text, table_name text,
            is_recursive text, is_nested text, s3list_time bigint, get_partition_time bigint
            """),
        SystemRelation(
            "stl_sshclient_error",
            """
            userid int, query int, slice int, recordtime ts, pid int, ssh_username char(1024), endpoint char(1024),
            command char(4096), error char(1024)
            """),
        SystemRelation(
            "sys_integration_activity",
            """
            integration_id text, target_database text, source text, checkpoint_name text, checkpoint_type text,
            checkpoint_bytes bigint, last_commit_timestamp ts, modified_tables int, integration_start_time ts,
            integration_end_time ts
            """),
        SystemRelation(
            "sys_stream_scan_states",
            """
            external_schema_name char(128), stream_name char(255), mv_name char(128), transaction_id bigint,
            query_id bigint, record_time ts, partition_id char(128), latest_position char(128), scanned_rows bigint,
            skipped_rows bigint, scanned_bytes bigint, stream_record_time_min ts, stream_record_time_max ts
            """),
        SystemRelation(
            "sys_stream_scan_errors",
            """
            external_schema_name char(128), stream_name char(255), mv_name char(128), transaction_id bigint,
            query_id bigint, record_time ts, partition_id char(128), position char(128), error_code int,
            error_reason char(128)
            """),
    ]

    private static let service: [SystemRelation] = [
        SystemRelation(
            "stl_undone",
            "xact_id bigint, xact_id_undone bigint, undo_start_ts ts, undo_end_ts ts, table_id bigint"),
        // The server says what is wrong in its log; its disk is not the cluster's.
        SystemRelation(
            "stl_disk_full_diag", "currenttime bigint, node_num bigint, query_id bigint, temp_blocks bigint"),
        // Sessions end with the server that they are of.
        SystemRelation(
            "stl_restarted_sessions",
            "currenttime ts, dbname char(50), newpid int, oldpid int, username char(50), remotehost char(45)"),
        // Tables are open as soon as the server is.
        SystemRelation("stv_startup_recovery_state", "db_id int, tbl_id int, table_name char(137)"),
        SystemRelation(
            "svl_qerror",
            """
            userid int, query int, xid bigint, pid int, segment int, step int, starttime ts, errcode int,
            context char(100), error char(512)
            """),
        SystemRelation(
            "stv_tbl_trans",
            """
            slice int, id int, rows bigint, size bigint, query_id bigint, ref_cnt int, from_suspended int,
            prep_swap int
            """),
        SystemRelation(
            "svl_auto_worker_action",
            """
            table_id int, type char(128), status char(128), eventtime ts, sequence int, previous_state char(200)
            """),
        SystemRelation(
            "sys_auto_table_optimization",
            """
            table_id int, alter_table_type char(128), status char(128), event_time ts, alter_from char(200)
            """),
        SystemRelation(
            "svv_alter_table_recommendations",
            "type char(12), database char(128), table_id int, group_id int, ddl char(1024), auto_eligible char(1)"),
        SystemRelation(
            "svl_udf_log",
            """
            query int, message char(4096), created ts, traceback char(4096), funcname char(256), node int, slice int,
            seq int
            """),
        SystemRelation(
            "sys_udf_log",
            """
            query_id bigint, message char(4096), record_time ts, traceback char(4096), function_name char(256),
            sequence int
            """),
        SystemRelation(
            "sys_restore_log",
            """
            event_time ts, database_name char(128), schema_name char(128), table_name char(128), table_id int,
            total_data_blocks bigint, restored_data_blocks bigint, message char(512)
            """),
        SystemRelation(
            "sys_serverless_usage",
            """
            start_time ts, end_time ts, compute_seconds double, compute_capacity double, data_storage int,
            cross_region_transferred_data int, charged_seconds int
            """),
        SystemRelation(
            "sys_spatial_simplify",
            """
            query_id bigint, line_number int, maximum_tolerance double, initial_size int, simplified char(1),
            final_size int, final_tolerance double
            """),
    ]
}
