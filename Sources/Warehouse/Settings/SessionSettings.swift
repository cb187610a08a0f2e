import Binder
import Catalog
import SQLSyntax
import SQLTypes
import VectorEngine

/// The parameters of SET and SHOW with their values in one session.
package struct SessionSettings: Sendable {
    private var values: [String: String] = [:] {
        didSet { derived = Derived(values) }
    }
    private(set) var derived = Derived([:])

    package init() {}

    /// A parameter, its default and what it accepts.
    struct Parameter: Sendable {
        enum Kind: Sendable {
            case text
            case boolean
            case integer(ClosedRange<Int>)
            case number(ClosedRange<Double>)
            case oneOf([String])
            /// Any of these names, separated by commas.
            case listOf([String])
            /// See ``DateStyle``.
            case dateStyle
        }
        var name: String
        var initial: String
        var kind: Kind
        /// Clients may read it but not set it.
        var isReadOnly = false
        /// Clients may set it, as many do without being asked to, but its value stays.
        var isFixed = false
    }

    /// Redshift's parameters, PostgreSQL's that drivers set, and Redbarn's own (`redbarn_`).
    static let parameters: [Parameter] = [
        Parameter(name: "analyze_threshold_percent", initial: "10", kind: .number(0...100)),
        Parameter(name: "application_name", initial: "", kind: .text),
        Parameter(name: "cast_super_null_on_error", initial: "on", kind: .boolean),
        Parameter(name: "client_encoding", initial: "UTF8", kind: .text),
        Parameter(name: "client_min_messages", initial: "notice", kind: .text),
        Parameter(name: "datashare_break_glass_session_var", initial: "", kind: .text),
        Parameter(name: "datestyle", initial: DateStyle().description, kind: .dateStyle),
        // "database" is the database's own level; those of the standard are accepted without effect.
        Parameter(
            name: "default_transaction_isolation", initial: "database",
            kind: .oneOf(["database", "snapshot", "serializable"] + IsolationLevel.ignored.sorted())),
        Parameter(name: "default_geometry_encoding", initial: "1", kind: .integer(1...2)),
        Parameter(name: "default_transaction_read_only", initial: "off", kind: .boolean),
        Parameter(name: "describe_field_name_in_uppercase", initial: "off", kind: .boolean),
        Parameter(name: "downcase_delimited_identifier", initial: "on", kind: .boolean),
        Parameter(name: "enable_case_sensitive_identifier", initial: "off", kind: .boolean),
        Parameter(name: "enable_case_sensitive_super_attribute", initial: "off", kind: .boolean),
        Parameter(name: "enable_numeric_rounding", initial: "on", kind: .boolean),
        Parameter(name: "enable_result_cache_for_session", initial: "on", kind: .boolean),
        Parameter(name: "enable_vacuum_boost", initial: "off", kind: .boolean),
        Parameter(name: "error_on_nondeterministic_update", initial: "off", kind: .boolean),
        Parameter(name: "extra_float_digits", initial: "0", kind: .integer(-15...3)),
        Parameter(name: "interval_forbid_composite_literals", initial: "off", kind: .boolean),
        Parameter(
            name: "intervalstyle", initial: "postgres",
            kind: .oneOf(["postgres", "postgres_verbose", "sql_standard"])),
        Parameter(name: "is_superuser", initial: "on", kind: .text, isReadOnly: true),
        Parameter(name: "json_parse_dedup_attributes", initial: "off", kind: .boolean),
        Parameter(name: "json_serialization_enable", initial: "off", kind: .boolean),
        Parameter(name: "json_serialization_parse_nested_strings", initial: "off", kind: .boolean),
        Parameter(name: "max_cursor_result_set_size", initial: "0", kind: .integer(0...14_400_000)),
        Parameter(name: "mv_enable_aqmv_for_session", initial: "on", kind: .boolean),
        Parameter(name: "navigate_super_null_on_error", initial: "on", kind: .boolean),
        Parameter(name: "parse_super_null_on_error", initial: "off", kind: .boolean),
        Parameter(
            name: "password_encryption", initial: "scram-sha-256", kind: .oneOf(["scram-sha-256", "md5"])),
        Parameter(name: "pg_federation_repeatable_read", initial: "on", kind: .boolean),
        Parameter(name: "query_group", initial: "default", kind: .text),
        Parameter(name: "redbarn_batch_rows", initial: "2048", kind: .integer(1...8192)),
        Parameter(name: "redbarn_disable", initial: "", kind: .listOf(SpecialWay.allCases.map(\.rawValue))),
        Parameter(name: "redbarn_disabled_passes", initial: "", kind: .text),
        Parameter(name: "redbarn_memory_limit", initial: "0", kind: .integer(0...Int.max)),
        // Superusers may run what has brought the server down twice.
        Parameter(name: "redbarn_run_refused", initial: "off", kind: .boolean),
        Parameter(name: "redbarn_spill_always", initial: "off", kind: .boolean),
        Parameter(name: "redbarn_verify_vectors", initial: "off", kind: .boolean),
        Parameter(name: "search_path", initial: "$user, public", kind: .text),
        // Of RANDOM, see ``Session/seededRandom``.
        Parameter(name: "seed", initial: "0", kind: .number(-1...1)),
        Parameter(name: "server_encoding", initial: "UTF8", kind: .text, isReadOnly: true),
        Parameter(name: "server_version", initial: "8.0.2", kind: .text, isReadOnly: true),
        Parameter(name: "session_authorization", initial: "", kind: .text, isReadOnly: true),
        Parameter(name: "spectrum_enable_pseudo_columns", initial: "on", kind: .boolean),
        Parameter(name: "spectrum_query_maxerror", initial: "-1", kind: .integer(-1...Int(Int32.max))),
        // Backslashes are escapes in ordinary literals, and clients that are told so write their literals in that way.
        Parameter(name: "standard_conforming_strings", initial: "off", kind: .boolean, isFixed: true),
        Parameter(name: "statement_timeout", initial: "0", kind: .integer(0...2_147_483_647)),
        Parameter(
            name: "stored_proc_log_min_messages", initial: "log",
            kind: .oneOf([
                "debug5", "debug4", "debug3", "debug2", "debug1", "log", "info", "notice", "warning",
                "exception",
            ])),
        Parameter(name: "timezone", initial: "UTC", kind: .text),
        Parameter(name: "transaction_isolation", initial: "serializable", kind: .text, isReadOnly: true),
        Parameter(name: "transaction_read_only", initial: "off", kind: .boolean),
        // Decided by the certificates that the server is started with.
        Parameter(name: "use_fips_ssl", initial: "off", kind: .boolean, isReadOnly: true),
        Parameter(name: "wlm_query_slot_count", initial: "1", kind: .integer(1...50)),
    ]
    private static let byName = Dictionary(uniqueKeysWithValues: parameters.map { ($0.name, $0) })
    package static var names: [String] { parameters.map(\.name) }

    private static func parameter(_ name: String) throws -> Parameter {
        if let parameter = byName[name.lowercased()] { return parameter }
        if isContextVariable(name) { return Parameter(name: name.lowercased(), initial: "", kind: .text) }
        throw unrecognized(name)
    }
    private static func unrecognized(_ name: String) -> SQLError {
        SQLError(.undefinedObject, "unrecognized configuration parameter \"\(name)\"")
    }

    /// Names with a dot, such as `app_context.user_id`, are the session's own and exist when they are set.
    private static func isContextVariable(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count > 1 && parts.allSatisfy { !$0.isEmpty && $0.utf8.count <= 127 }
    }
    private static let maximumContextVariables = 256
    private static let maximumContextBytes = 65_535

    private func checkContextVariable(_ name: String, _ value: String) throws {
        guard SessionSettings.isContextVariable(name) else { return }
        guard value.utf8.count <= SessionSettings.maximumContextBytes else {
            throw SQLError(.invalidParameterValue, "value of session context variable \"\(name)\" is too long")
        }
        let others = values.keys.lazy.filter { $0 != name && SessionSettings.isContextVariable($0) }.count
        guard others < SessionSettings.maximumContextVariables else {
            throw SQLError(.limitExceeded, "too many session context variables")
        }
    }

    package func value(_ name: String) throws -> String {
        let parameter = try SessionSettings.parameter(name)
        if let value = values[parameter.name] { return value }
        if SessionSettings.isContextVariable(parameter.name) { throw SessionSettings.unrecognized(name) }
        return parameter.initial
    }
    /// For parameters that are known to exist.
    subscript(_ name: String) -> String { values[name] ?? SessionSettings.byName[name]?.initial ?? "" }

    package mutating func set(_ name: String, _ value: String) throws {
        let parameter = try SessionSettings.parameter(name)
        if parameter.isReadOnly {
            throw SQLError("55P02", "parameter \"\(name)\" cannot be changed")
        }
        let checked = try checked(parameter, value)
        try checkContextVariable(parameter.name, checked)
        if !parameter.isFixed { values[parameter.name] = checked }
    }
    package mutating func reset(_ name: String) throws {
        values[try SessionSettings.parameter(name).name] = nil
    }
    package mutating func resetAll() {
        values = values.filter { SessionSettings.byName[$0.key]?.isReadOnly ?? false }
    }

    /// What clients read of the user in whose name the session goes on.
    mutating func report(_ user: UserDefinition) {
        values["session_authorization"] = user.name
        values["is_superuser"] = user.isSuperuser ? "on" : "off"
    }

    /// The value of a parameter that takes whole numbers of a range.
    static func whole(_ value: String, _ range: ClosedRange<Int>, _ name: String) throws -> Int {
        guard let number = Int(value) else {
            throw SQLError(.invalidParameterValue, "parameter \"\(name)\" requires an integer value")
        }
        try check(number, shown: String(number), range, name)
        return number
    }

    private static func check<Value>(
        _ number: Value, shown: String, _ range: ClosedRange<Value>, _ name: String
    ) throws {
        if range.contains(number) { return }
        throw SQLError(
            .invalidParameterValue,
            "\(shown) is outside the valid range for parameter \"\(name)\" "
                + "(\(range.lowerBound) .. \(range.upperBound))")
    }

    private func checked(_ parameter: Parameter, _ value: String) throws -> String {
        let lower = value.lowercased()
        switch parameter.kind {
        case .text: return value
        case .boolean:
            if ["on", "true", "t", "yes", "y", "1"].contains(lower) { return "on" }
            if ["off", "false", "f", "no", "n", "0"].contains(lower) { return "off" }
            throw SQLError(.invalidParameterValue, "parameter \"\(parameter.name)\" requires a Boolean value")
        case .integer(let range):
            return String(try SessionSettings.whole(value, range, parameter.name))
        case .number(let range):
            guard let number = Double(value) else {
                throw SQLError(.invalidParameterValue, "parameter \"\(parameter.name)\" requires a numeric value")
            }
            try SessionSettings.check(number, shown: value, range, parameter.name)
            return Int(value).map { String($0) } ?? value
        case .oneOf(let allowed):
            guard allowed.contains(lower) else {
                throw SQLError(
                    .invalidParameterValue, "invalid value for parameter \"\(parameter.name)\": \"\(value)\"",
                    hint: "Available values: \(allowed.joined(separator: ", ")).")
            }
            return lower
        case .listOf(let allowed):
            let names = lower.split(separator: ",").map { $0.trimming(" ") }
            if let unknown = names.first(where: { !allowed.contains($0) }) {
                throw SQLError(
                    .invalidParameterValue, "invalid value for parameter \"\(parameter.name)\": \"\(unknown)\"",
                    hint: "Available values: \(allowed.joined(separator: ", ")).")
            }
            return names.joined(separator: ",")
        case .dateStyle: return try dateStyle.changed(by: value).description
        }
    }

    /// `datestyle`.
    private var dateStyle: DateStyle { DateStyle(stored: self["datestyle"]) }

    var searchPath: [String] { derived.searchPath }
    var disabledPasses: Set<String> {
        Set(self["redbarn_disabled_passes"].split(separator: ",").map { String($0.drop { $0 == " " }) })
    }
    var batchRows: Int { derived.batchRows }
    /// What tests switch off or on in the engine.
    var execution: ExecutionOptions { derived.execution }
    /// Bytes that one statement's operators may use; no limit of its own by default.
    var memoryLimitBytes: Int { derived.memoryLimitBytes }
    var statementTimeoutMilliseconds: Int { derived.statementTimeoutMilliseconds }
    var slotCount: Int { derived.slotCount }
    var queryGroup: String { derived.queryGroup }
    package var zone: ZoneRules { derived.zone }
    package var extraFloatDigits: Int { derived.extraFloatDigits }
    var dateOrder: DatetimeContext.Order { derived.dateOrder }
    package var intervalStyle: IntervalStyle { derived.intervalStyle }
    /// `enable_case_sensitive_identifier`.
    var syntax: SyntaxOptions { derived.syntax }
    /// Equal for settings under which a statement means the same and gets the same plan, and for no others: values are
    /// the clients' texts, so each tells its length.
    var planningKey: String { derived.planningKey }
}

extension SessionSettings {
    /// What statements ask for all the time, worked out when a parameter changes.
    struct Derived: Sendable {
        let searchPath: [String]
        let zone: ZoneRules
        let dateOrder: DatetimeContext.Order
        let intervalStyle: IntervalStyle
        let batchRows: Int
        let execution: ExecutionOptions
        let memoryLimitBytes: Int
        let statementTimeoutMilliseconds: Int
        let slotCount: Int
        let queryGroup: String
        let extraFloatDigits: Int
        let planningKey: String
        let syntax: SyntaxOptions
        let capitalizesNames: Bool
        let cutsNumerics: Bool
        let forbidsCompositeIntervals: Bool
        let semistructured: SuperSettings
        /// nil: the database's.
        let isolation: IsolationLevel?
        let isReadOnly: Bool
        /// Results may be kept and given out: not where tests look at the way in which they are made.
        let keepsResults: Bool

        /// Parameters that change neither the meaning of a statement nor its plan.
        private static let withoutInfluence: Set<String> = [
            "application_name", "client_encoding", "client_min_messages", "enable_result_cache_for_session",
            "extra_float_digits", "query_group",
            "redbarn_batch_rows", "redbarn_memory_limit", "redbarn_run_refused", "redbarn_spill_always",
            "redbarn_verify_vectors", "seed", "statement_timeout", "wlm_query_slot_count",
        ]

        init(_ values: [String: String]) {
            func value(_ name: String) -> String { values[name] ?? SessionSettings.byName[name]?.initial ?? "" }
            searchPath = value("search_path").split(separator: ",").map {
                String($0.drop { $0 == " " }).trimmingQuotes.lowercased()
            }.filter { !$0.isEmpty }
            zone = ZoneRules.named(value("timezone")) ?? .utc
            dateOrder = DateStyle(stored: value("datestyle")).order
            intervalStyle = IntervalStyle(rawValue: value("intervalstyle").lowercased()) ?? .postgres
            batchRows = Int(value("redbarn_batch_rows")) ?? 2048
            execution = ExecutionOptions(
                disabled: Set(
                    value("redbarn_disable").split(separator: ",").compactMap { SpecialWay(rawValue: String($0)) }),
                verifiesVectors: value("redbarn_verify_vectors") == "on",
                spillsAlways: value("redbarn_spill_always") == "on")
            let limit = Int(value("redbarn_memory_limit")) ?? 0
            memoryLimitBytes = limit == 0 ? .max : limit
            statementTimeoutMilliseconds = Int(value("statement_timeout")) ?? 0
            slotCount = Int(value("wlm_query_slot_count")) ?? 1
            queryGroup = value("query_group") == "default" ? "" : value("query_group")
            extraFloatDigits = Int(value("extra_float_digits")) ?? 0
            syntax = SyntaxOptions(keepsQuotedCase: value("enable_case_sensitive_identifier") == "on")
            capitalizesNames = value("describe_field_name_in_uppercase") == "on"
            cutsNumerics = value("enable_numeric_rounding") == "off"
            forbidsCompositeIntervals = value("interval_forbid_composite_literals") == "on"
            var forSuper = SuperSettings()
            forSuper.navigatesToNull = value("navigate_super_null_on_error") == "on"
            forSuper.castsToNull = value("cast_super_null_on_error") == "on"
            forSuper.parsesToNull = value("parse_super_null_on_error") == "on"
            forSuper.keepsAttributeCase = value("enable_case_sensitive_super_attribute") == "on"
            forSuper.removesDuplicates = value("json_parse_dedup_attributes") == "on"
            semistructured = forSuper
            isolation = IsolationLevel(words: value("default_transaction_isolation"))
            isReadOnly = value("default_transaction_read_only") == "on"
            let isPlain = !execution.verifiesVectors && !execution.spillsAlways && memoryLimitBytes == .max
            keepsResults =
                value("enable_result_cache_for_session") == "on" && isPlain && values["redbarn_batch_rows"] == nil
                && !execution.disabled.contains(.resultCache)
            planningKey = values.filter { !Derived.withoutInfluence.contains($0.key) }
                .sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.utf8.count):\($0.value)\n" }.joined()
        }
    }
}

extension Substring {
    fileprivate func trimming(_ blank: Character) -> String {
        var text = drop { $0 == blank }
        while text.last == blank { text = text.dropLast() }
        return String(text)
    }
}

extension String {
    fileprivate var trimmingQuotes: String {
        var text = Substring(self)
        while text.last == " " { text = text.dropLast() }
        if text.count >= 2, let first = text.first, first == text.last, first == "\"" || first == "'" {
            text = text.dropFirst().dropLast()
        }
        return String(text)
    }
}
