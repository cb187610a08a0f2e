import Platform
import QueryPlan
import SQLTypes
import Workload

/// Queues, what they are set to, who waits and runs in them, and what they did.
enum WorkloadRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stv_wlm_service_class_config",
            """
            service_class int, queueing_strategy char(32), num_query_tasks int, target_num_query_tasks int,
            evictable char(8), eviction_threshold bigint, query_working_mem int, target_query_working_mem int,
            min_step_mem int, name char(64), max_execution_time bigint, user_group_wild_card bool,
            query_group_wild_card bool, concurrency_scaling char(20), query_priority char(20),
            user_role_wild_card bool
            """, rows: configurations),
        SystemRelation(
            "stv_wlm_service_class_state",
            """
            service_class int, num_queued_queries int, num_executing_queries int, num_serviced_queries int,
            num_executed_queries int, num_evicted_queries int, num_concurrency_scaling_queries int
            """,
            rows: { snapshot, sink in
                for queue in snapshot.workload.queues {
                    let figures = queue.figures
                    try sink.add(
                        [
                            queue.serviceClass.id, figures.queued, figures.executing, figures.serviced,
                            figures.executed, figures.evicted, figures.scaledOut,
                        ].map { .number($0) })
                }
            }),
        SystemRelation(
            "stv_wlm_classification_config",
            "id int, condition char(128), action_seq int, action char(64), action_service_class int",
            rows: classifications),
        SystemRelation(
            "stv_wlm_qmr_config",
            """
            service_class int, rule_name char(256), action char(256), metric_name char(256),
            metric_operator char(256), metric_value double, action_value char(256)
            """, rows: rules),
        SystemRelation(
            "stv_wlm_query_state",
            """
            xid bigint, task int, query int, service_class int, slot_count int, wlm_start_time ts, state char(16),
            queue_time bigint, exec_time bigint, query_priority char(20)
            """,
            rows: { snapshot, sink in
                let transactions = Dictionary(
                    snapshot.transactions.openTransactions.map { ($0.session, $0.number) },
                    uniquingKeysWith: { first, _ in first })
                for statement in shown(snapshot) {
                    try sink.add([
                        .wide(transactions[statement.request.session] ?? 0), .number(statement.number),
                        .number(statement.request.query), .number(statement.record.serviceClass),
                        .number(statement.record.slots), .wide(statement.record.arrivedMicroseconds),
                        .text(state(statement)), .wide(statement.record.queueMicroseconds),
                        .wide(statement.record.runMicroseconds),
                        .text(statement.record.priority.shownName),
                    ])
                }
            }),
        SystemRelation(
            "stv_wlm_query_queue_state",
            """
            service_class int, position int, task int, query int, slot_count int, start_time ts, queue_time bigint
            """,
            rows: { snapshot, sink in
                for statement in shown(snapshot) where statement.state != .running {
                    try sink.add([
                        .number(statement.record.serviceClass), .number(statement.position),
                        .number(statement.number), .number(statement.request.query),
                        .number(statement.record.slots), .wide(statement.record.arrivedMicroseconds),
                        .wide(statement.record.queueMicroseconds),
                    ])
                }
            }),
        SystemRelation(
            "stv_wlm_query_task_state",
            "service_class int, task int, query int, slot_count int, start_time ts, exec_time bigint",
            rows: { snapshot, sink in
                for statement in shown(snapshot) where statement.state == .running {
                    try sink.add([
                        .number(statement.record.serviceClass), .number(statement.number),
                        .number(statement.request.query), .number(statement.record.slots),
                        .wide(statement.record.startedMicroseconds), .wide(statement.record.runMicroseconds),
                    ])
                }
            }),
        SystemRelation(
            "stl_wlm_query",
            """
            userid int, xid bigint, task int, query int, service_class int, slot_count int,
            service_class_start_time ts, queue_start_time ts, queue_end_time ts, total_queue_time bigint,
            exec_start_time ts, exec_end_time ts, total_exec_time bigint, service_class_end_time ts,
            final_state char(16), est_peak_mem bigint, query_priority char(20), service_class_name char(64)
            """, rows: history),
        SystemRelation(
            "svl_query_queue_info",
            """
            database char(32), query int, xid bigint, userid int, querytxt char(4000), queue_start_time ts,
            exec_start_time ts, service_class int, slots int, queue_elapsed bigint, exec_elapsed bigint,
            wlm_total_elapsed bigint, commit_queue_elapsed bigint, commit_exec_time bigint,
            service_class_name char(64)
            """, rows: queueInfo),
        SystemRelation(
            "stl_wlm_error", "userid int, recordtime ts, pid int, error_string char(256)",
            rows: { snapshot, sink in
                for error in snapshot.workload.errors {
                    try sink.add([
                        .number(error.user), .wide(error.microseconds), .number(error.session),
                        .text(String(error.message.prefix(256))),
                    ])
                }
            }),
        SystemRelation(
            "stl_wlm_rule_action",
            """
            userid int, query int, service_class int, rule char(256), action char(256), recordtime ts,
            action_value char(256), service_class_name char(64)
            """,
            rows: { snapshot, sink in
                for action in snapshot.workload.ruleActions {
                    try sink.add([
                        .number(action.user), .number(action.query), .number(action.serviceClass),
                        .text(action.rule), .text(action.action), .wide(action.microseconds),
                        .text(action.value), .text(action.serviceClassName),
                    ])
                }
            }),
        SystemRelation(
            "svcs_concurrency_scaling_usage",
            "start_time ts, end_time ts, queries bigint, usage_in_seconds numeric(27.0)", rows: scalingUsage),
        SystemRelation(
            "stl_usage_control",
            "eventtime ts, query int, xid bigint, pid int, usage_limit_id char(40), feature_type char(30)",
            rows: { snapshot, sink in
                for event in snapshot.usage.events {
                    try sink.add([
                        .wide(event.microseconds), .number(event.query), .wide(event.transaction),
                        .number(event.session), .text(event.limit), .text("CONCURRENCY_SCALING"),
                    ])
                }
            }),
    ]

    /// Of those whom the user may see.
    private static func shown(_ snapshot: SystemSnapshot) -> [WorkloadManager.Statement] {
        snapshot.workload.statements.filter {
            snapshot.shownUser == nil || snapshot.shownUser == $0.request.user.id
        }
    }

    private static func state(_ statement: WorkloadManager.Statement) -> String {
        switch statement.state {
        case .waiting, .suspended: "QueuedWaiting"
        case .running: statement.isReturning ? "Returning" : "Running"
        }
    }

    // MARK: Configuration

    private static func configurations(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let configuration = snapshot.workload.configuration
        for queue in snapshot.workload.queues.map(\.serviceClass) {
            if queue.role == .short && !configuration.shortQueries.isOn { continue }
            let definition = queue.definition
            let slots = queue.role == .automatic ? -1 : queue.slots ?? -1
            let memory = queue.memoryBytesPerSlot.map { $0 >> 20 } ?? -1
            try sink.add([
                .number(queue.id), .text("Query queue"), .number(slots), .number(slots),
                .text(queue.role == .short ? "true" : "false"),
                .wide(queue.role == .short ? snapshot.workload.shortLimitNanoseconds / 1000 : 0), .number(memory),
                .number(memory), .zero, .text(queue.name), .wide(definition.maximumExecutionMilliseconds),
                .boolean(definition.userGroups.hasWildcards), .boolean(definition.queryGroups.hasWildcards),
                .text(definition.scalesOut ? "auto" : "off"), .text(definition.priority.shownName),
                .boolean(definition.userRoles.hasWildcards),
            ])
        }
    }

    private static func classifications(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        var id = 0
        func add(_ condition: String, _ serviceClass: Int) throws {
            id += 1
            try sink.add([.number(id), .text(condition), .zero, .text("assign"), .number(serviceClass)])
        }
        try add("(super user) and (query group: superuser)", ServiceClass.superuserID)
        let queues = snapshot.workload.queues.map(\.serviceClass).filter { $0.role == .manual || $0.role == .automatic }
        for queue in queues {
            for name in queue.definition.userGroups.names { try add("(user group: \(name))", queue.id) }
            for name in queue.definition.userRoles.names { try add("(user role: \(name))", queue.id) }
            for name in queue.definition.queryGroups.names { try add("(query group: \(name))", queue.id) }
        }
        if let last = queues.last { try add("(querytype: any)", last.id) }
    }

    private static func rules(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for queue in snapshot.workload.queues.map(\.serviceClass) {
            for rule in queue.definition.rules {
                var value = ""
                if case .changePriority(let priority) = rule.action { value = priority.name }
                for predicate in rule.predicates {
                    try sink.add([
                        .number(queue.id), .text(rule.name), .text(rule.action.name),
                        .text(predicate.metric.rawValue), .text(predicate.comparison.rawValue),
                        .double(predicate.value), .text(value),
                    ])
                }
            }
        }
    }

    // MARK: History

    static func admitted(_ snapshot: SystemSnapshot) -> [(WarehouseLog.Query, AdmissionRecord)] {
        snapshot.log.queries.compactMap { query in query.admission.map { (query, $0) } }
    }

    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, admission) in admitted(snapshot) {
            let state = query.errorMessage == nil ? "Completed" : "Evicted"
            try sink.add([
                .number(query.user), .wide(query.transaction), .number(query.id), .number(query.id),
                .number(admission.serviceClass), .number(admission.slots), .wide(admission.arrivedMicroseconds),
                .wide(admission.arrivedMicroseconds), .wide(admission.startedMicroseconds),
                .wide(admission.queueMicroseconds), .wide(admission.startedMicroseconds),
                .wide(admission.endedMicroseconds), .wide(admission.runMicroseconds),
                .wide(admission.endedMicroseconds), .text(state), .wide(admission.memoryPeakBytes),
                .text(admission.priority.shownName), .text(admission.serviceClassName),
            ])
        }
    }

    private static func queueInfo(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, admission) in admitted(snapshot) {
            try sink.add([
                snapshot.loggedDatabase(query.database), .number(query.id), .wide(query.transaction),
                .number(query.user), .text(String(QueryText.oneLine(query.text).prefix(4000))),
                .wide(admission.arrivedMicroseconds), .wide(admission.startedMicroseconds),
                .number(admission.serviceClass), .number(admission.slots), .wide(admission.queueMicroseconds),
                .wide(admission.runMicroseconds), .wide(admission.queueMicroseconds + admission.runMicroseconds), .zero,
                .zero,
                .text(admission.serviceClassName),
            ])
        }
    }

    /// By the minute.
    private static func scalingUsage(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let minute: Int64 = 60_000_000
        var usage: [Int64: (queries: Int, microseconds: Int64)] = [:]
        for (_, admission) in admitted(snapshot) where admission.isScaledOut {
            let start = admission.startedMicroseconds / minute * minute
            usage[start, default: (0, 0)].queries += 1
            usage[start, default: (0, 0)].microseconds += admission.runMicroseconds
        }
        for (start, used) in usage.sorted(by: { $0.key < $1.key }) {
            try sink.add([
                .wide(start), .wide(start + minute), .number(used.queries),
                .wide((used.microseconds + 999_999) / 1_000_000),
            ])
        }
    }
}
