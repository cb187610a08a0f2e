import Platform
import QueryPlan
import SQLTypes
import Workload

/// What statements have used, as monitoring rules see it.
enum QueryMetricRelations {
    private static let metricColumns = """
        userid int, service_class int, query int, segment int, step_type int, starttime ts, slices int,
        max_rows bigint, rows bigint, max_cpu_time bigint, cpu_time bigint, max_blocks_read bigint,
        blocks_read bigint, max_run_time bigint, run_time bigint, max_blocks_to_disk bigint, blocks_to_disk bigint,
        step int, max_query_scan_size bigint, query_scan_size bigint, query_priority int, query_queue_time bigint
        """
    private static let summaryColumns = """
        userid int, query int, service_class int, query_cpu_time bigint, query_blocks_read bigint,
        query_execution_time bigint, query_cpu_usage_percent numeric(38.2), query_temp_blocks_to_disk bigint,
        segment_execution_time bigint, cpu_skew numeric(38.2), io_skew numeric(38.2), scan_row_count bigint,
        join_row_count bigint, nested_loop_join_row_count bigint, return_row_count bigint,
        spectrum_scan_row_count bigint, spectrum_scan_size_mb bigint, query_queue_time bigint,
        service_class_name char(64)
        """

    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_query_metrics", metricColumns,
            rows: { snapshot, sink in
                for (query, admission) in WorkloadRelations.admitted(snapshot) {
                    try add(admission, user: query.user, query: query.id, snapshot, sink)
                }
                let queries = snapshot.queriesByID
                for detail in snapshot.log.details {
                    if let query = queries[detail.query] { try addSegments(detail, query, sink) }
                }
            }),
        SystemRelation(
            "stv_query_metrics", metricColumns,
            rows: { snapshot, sink in
                for statement in snapshot.workload.statements where statement.state == .running {
                    let request = statement.request
                    try add(statement.record, user: request.user.id, query: request.query, snapshot, sink)
                }
            }),
        SystemRelation("svl_query_metrics_summary", summaryColumns, rows: summaries),
        SystemRelation(
            "svl_query_metrics",
            """
            userid int, query int, service_class int, dimension varchar(24), segment int, step int,
            step_label varchar(30), query_cpu_time bigint, query_blocks_read bigint, query_execution_time bigint,
            query_cpu_usage_percent numeric(38.2), query_temp_blocks_to_disk bigint,
            segment_execution_time bigint, cpu_skew numeric(38.2), io_skew numeric(38.2), scan_row_count bigint,
            join_row_count bigint, nested_loop_join_row_count bigint, return_row_count bigint,
            spectrum_scan_row_count bigint, spectrum_scan_size_mb bigint, query_queue_time bigint,
            service_class_name char(64)
            """, rows: perQuery),
    ]

    /// One statement as a whole: segment and step -1.
    private static func add(
        _ admission: AdmissionRecord, user: Int, query: Int, _ snapshot: SystemSnapshot, _ sink: SystemRows
    ) throws {
        let metrics = admission.metrics
        let cpu = Int64(bounded: metrics.cpuSeconds * 1_000_000)
        let run = Int64(bounded: metrics.executionSeconds * 1_000_000)
        let slices = Int64(max(snapshot.shape.slices, 1))
        let isAutomatic = admission.serviceClass >= ServiceClass.firstAutomaticID
        try sink.add([
            .number(user), .number(admission.serviceClass), .number(query), .number(-1), .number(-1),
            .wide(admission.startedMicroseconds), .wide(slices), .wide(metrics.scanRows), .wide(metrics.scanRows),
            .wide(cpu / slices), .wide(cpu), .wide(metrics.blocksRead / slices), .wide(metrics.blocksRead),
            .wide(run), .wide(run), .wide(metrics.temporaryBlocks), .wide(metrics.temporaryBlocks), .number(-1),
            .zero, .zero, .number(isAutomatic ? admission.priority.rawValue : -1),
            .wide(admission.queueMicroseconds),
        ])
    }

    /// The segments of a statement that has ended.
    private static func addSegments(
        _ detail: QueryDetail, _ query: WarehouseLog.Query, _ sink: SystemRows
    ) throws {
        guard let admission = query.admission else { return }
        for (segment, steps) in Dictionary(grouping: detail.steps, by: \.segment).sorted(by: { $0.key < $1.key }) {
            let slices = steps.flatMap(\.slices)
            let start = slices.map(\.startMicroseconds).min() ?? admission.startedMicroseconds
            let run = (slices.map(\.endMicroseconds).max() ?? start) - start
            let busy = Dictionary(grouping: slices, by: \.slice).mapValues { $0.reduce(0) { $0 + $1.busyMicroseconds } }
            let rows = steps.map { $0.slices.reduce(0) { $0 + $1.rows } }
            let blocks = steps.reduce(0) { $0 + $1.blocks }
            try sink.add([
                .number(query.user), .number(admission.serviceClass), .number(query.id), .number(segment),
                .number(-1), .wide(start), .number(busy.count), .wide(rows.max() ?? 0), .wide(rows.max() ?? 0),
                .wide(busy.values.max() ?? 0), .wide(busy.values.reduce(0, +)), .number(blocks), .number(blocks),
                .wide(run), .wide(run), .zero, .zero, .number(-1), .zero, .zero,
                .number(admission.priority.rawValue), .wide(admission.queueMicroseconds),
            ])
        }
    }

    private static func summaries(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, admission) in WorkloadRelations.admitted(snapshot) {
            try sink.add(
                [.number(query.user), .number(query.id), .number(admission.serviceClass)] + figures(admission)
                    + [.text(admission.serviceClassName)])
        }
    }

    private static func perQuery(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (query, admission) in WorkloadRelations.admitted(snapshot) {
            try sink.add(
                [
                    .number(query.user), .number(query.id), .number(admission.serviceClass), .text("query"), .null,
                    .null, .null,
                ] + figures(admission) + [.text(admission.serviceClassName)])
        }
    }

    /// From query_cpu_time to query_queue_time.
    private static func figures(_ admission: AdmissionRecord) -> [Datum] {
        let metrics = admission.metrics
        func hundredths(_ value: Double) -> Datum { .wide(Int64(bounded: value * 100)) }
        return [
            .wide(Int64(bounded: metrics.cpuSeconds)), .wide(metrics.blocksRead),
            .wide(Int64(bounded: metrics.executionSeconds)),
            hundredths(metrics.value(.cpuUsagePercent)), .wide(metrics.temporaryBlocks),
            .wide(Int64(bounded: metrics.segmentSeconds)), hundredths(metrics.cpuSkew), hundredths(metrics.ioSkew),
            .wide(metrics.scanRows), .wide(metrics.joinRows), .wide(metrics.nestedLoopRows),
            .wide(metrics.returnRows), .zero, .zero, .wide(Int64(bounded: metrics.queueSeconds)),
        ]
    }
}
