import SQLTypes

extension FunctionSignature {
    private static let name = ResultRule.text(128)
    private static let pretty = Parameter.boolean.defaulting(.boolean(false))

    /// Functions about the catalog, as clients call them. Oids are BIGINT; objects may also be given by name.
    static let catalog: [FunctionSignature] =
        definitions + descriptions + privileges + visibility + [
            stable(["pg_get_userbyid"], .userByID, [.bigint], name),
            stable(["current_user_id"], .currentUserID, [], .integer),
            FunctionSignature(
                ["format_type"], .formatType, [.bigint, .integer], returns: name, volatility: .stable, strict: false),
            // Of an array's element, which is text here.
            FunctionSignature(
                ["format_type"], .formatType, [.string, .integer], returns: name, volatility: .stable, strict: false),
            stable(["current_schemas"], .currentSchemas, [.boolean], .longText),
            stable(["pg_encoding_to_char"], .encodingName, [.integer], name),
            stable(["pg_client_encoding", "getdatabaseencoding"], .encodingName, [], name),
            stable(["format_encoding"], .columnEncodingName, [.integer], .text(32)),
            stable(["current_namespace"], .clusterNamespace, [], name),
            stable(["current_aws_account"], .awsAccount, [], name),
            stable(["default_iam_role"], .defaultRole, [], .longText),
            stable(["db_collation"], .databaseCollation, [], name),
            FunctionSignature(
                ["set_config"], .setSetting, [.string, .string, .boolean], returns: .text(256),
                volatility: .volatile),
            stable(["pg_last_query_id"], .lastQueryFact, [.string.defaulting(.text("query"))], .bigint),
            stable(["last_user_query_id"], .lastQueryFact, [.string.defaulting(.text("query"))], .bigint),
            stable(["pg_last_copy_id"], .lastQueryFact, [.string.defaulting(.text("copy"))], .bigint),
            stable(["pg_last_copy_count"], .lastQueryFact, [.string.defaulting(.text("rows"))], .bigint),
            stable(["pg_last_unload_id"], .lastQueryFact, [.string.defaulting(.text("unload"))], .bigint),
            stable(["pg_last_unload_count"], .lastQueryFact, [.string.defaulting(.text("unloaded"))], .bigint),
            stable(["regclass_oid"], .relationID, [.string], .bigint),
            stable(["regclass_name"], .relationName, [.bigint], .text(260)),
            stable(["regtype_oid"], .typeID, [.string], .bigint),
            stable(["regtype_name"], .typeNameOfID, [.text], .text(256)),
            stable(["oidvectortypes"], .typeNameOfID, [.text], .text(256)),
            stable(["regnamespace_oid"], .namespaceID, [.string], .bigint),
            stable(["regnamespace_name"], .namespaceName, [.bigint], name),
            stable(
                [
                    "regproc_name", "pg_get_function_result", "pg_get_function_arguments",
                    "pg_get_function_identity_arguments", "pg_tablespace_location",
                ], .procedureName, [.bigint], name),
            stable(["regprocedure_name"], .procedureSignature, [.bigint], .longText),
            // What objects and texts are as text, which is how they are kept here.
            stable(
                ["textin", "textout", "regprocedureout", "regprocout", "regclassout", "regtypeout"], .firstArgument,
                [.text], .textLike(0)),
            stable(
                ["makeaclitem"], .makeAccessItem, [.bigint, .bigint, .bigint, .string, .boolean], .text(300)),
            stable(["aclcontains"], .containsAccessItem, [.string, .string], .boolean),
            stable(
                ["pg_table_size", "pg_relation_size", "pg_total_relation_size"], .relationSize, [.bigint], .bigint),
            stable(["pg_database_size", "pg_tablespace_size"], .databaseSize, [.text], .bigint),
            stable(["pg_char_to_encoding"], .encodingNumber, [.string], .integer),
            // PostgreSQL's, for psql's questions.
            stable(["format"], .formatText, [.text, .text.optional, .text.optional, .text.optional], .longText),
            stable(["pg_size_pretty"], .prettySize, [.bigint], .text(32)),
            FunctionSignature(
                ["pg_cancel_backend"], .cancelBackend, [.bigint], returns: .integer, volatility: .volatile),
            FunctionSignature(
                ["pg_terminate_backend"], .terminateBackend, [.bigint], returns: .integer, volatility: .volatile),
            FunctionSignature(
                ["change_query_priority"], .changeQueryPriority, [.bigint, .string], returns: .text(256),
                volatility: .volatile),
            FunctionSignature(
                ["change_session_priority"], .changeSessionPriority, [.bigint, .string], returns: .text(256),
                volatility: .volatile),
            FunctionSignature(
                ["change_user_priority"], .changeUserPriority, [.string, .string], returns: .text(256),
                volatility: .volatile),
        ]

    private static let definitions: [FunctionSignature] = [
        stable(["pg_get_viewdef"], .viewDefinition, [.bigint, pretty], .longText),
        stable(["pg_get_viewdef"], .viewDefinition, [.string, pretty], .longText),
        // Views have no other rule than that of their SELECT, which pg_get_viewdef shows.
        stable(["pg_get_ruledef"], .procedureName, [.bigint, pretty], .longText),
        stable(["pg_get_constraintdef"], .constraintDefinition, [.bigint, pretty], .longText),
        stable(
            ["pg_get_indexdef"], .indexDefinition, [.bigint, .integer.defaulting(.integer(0)), pretty], .longText),
        stable(["pg_get_expr"], .firstArgument, [.text, .bigint, pretty], .textLike(0)),
    ]

    private static let descriptions: [FunctionSignature] = [
        stable(
            ["obj_description", "shobj_description"], .objectDescription,
            [.bigint, .string.defaulting(.text("pg_class"))], .text(1024)),
        // Columns of function names, where PostgreSQL has their oids.
        stable(["obj_description"], .procedureName, [.string, .string], .text(1024)),
        stable(["col_description"], .columnDescription, [.bigint, .integer], .text(1024)),
    ]

    private static let visibility: [FunctionSignature] = [
        stable(
            [
                "pg_table_is_visible", "pg_type_is_visible", "pg_function_is_visible", "pg_operator_is_visible",
                "pg_opclass_is_visible", "pg_conversion_is_visible", "pg_opfamily_is_visible",
                "pg_ts_config_is_visible",
                "pg_ts_dict_is_visible", "pg_ts_parser_is_visible", "pg_ts_template_is_visible",
                "pg_collation_is_visible", "pg_statistics_obj_is_visible",
            ], .isVisible, [.bigint], .boolean)
    ]

    private static let privileges: [FunctionSignature] = [
        (["has_table_privilege"], ScalarFunction.hasTablePrivilege),
        (["has_schema_privilege"], .hasSchemaPrivilege),
        (["has_database_privilege"], .hasDatabasePrivilege),
        (["has_column_privilege"], .hasColumnPrivilege),
        (["has_function_privilege"], .hasFunctionPrivilege),
        (["has_language_privilege", "has_tablespace_privilege"], .hasLanguagePrivilege),
        (["has_assumerole_privilege"], .hasAssumeRolePrivilege),
        (["pg_has_role"], .hasRole),
        (["user_is_member_of"], .isMemberOf),
        (["role_is_member_of"], .roleIsMemberOf),
    ].map { stable($0.0, $0.1, [.text, .text, .text.optional, .text.optional], .boolean) }

    /// Arrays of catalogs travel as their text, `{a,b}` from 1 or `1 2` (vectors) from 0.
    static let arrays: [FunctionSignature] = [
        FunctionSignature(["array_contains_text"], .arrayContains, [.text, .text], returns: .boolean),
        FunctionSignature(["array_element_text"], .arrayElement, [.string, .integer], returns: .textLike(0)),
        FunctionSignature(["array_upper"], .arrayUpper, [.string, .integer], returns: .integer),
        FunctionSignature(["array_length"], .arrayUpper, [.string, .integer], returns: .integer),
        FunctionSignature(["array_lower"], .arrayLower, [.string, .integer], returns: .integer),
        FunctionSignature(["array_to_string"], .arrayToString, [.string, .string], returns: .longText),
        FunctionSignature(
            ["make_array_text"], .makeArray, [.text], returns: .longText, variadic: true, strict: false),
    ]

    private static func stable(
        _ names: [String], _ function: ScalarFunction, _ parameters: [Parameter], _ result: ResultRule
    ) -> FunctionSignature {
        FunctionSignature(names, function, parameters, returns: result, volatility: .stable)
    }
}
