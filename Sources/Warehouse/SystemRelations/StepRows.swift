import Platform
import SQLTypes

/// Rows of the tables and views over single steps, from what pipelines counted.
enum StepRows {
    /// The kinds of steps that a table is about.
    private static func kinds(_ relation: String) -> [StepRecord.Kind] {
        switch relation {
        case "stl_aggr": [.aggregate]
        case "stl_hashjoin": [.hashjoin]
        case "stl_mergejoin": [.mergejoin]
        case "stl_nestloop": [.nestloop]
        case "stl_dist": [.distribute]
        case "stl_bcast": [.broadcast]
        default: StepRecord.Kind(rawValue: String(relation.dropFirst(4))).map { [$0] } ?? []
        }
    }

    static func add(_ relation: String, _ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let kinds = Set(kinds(relation))
        try forEach(snapshot) { detail, user, step in
            guard kinds.contains(step.kind) else { return }
            for slice in step.slices {
                try sink.add(common(detail.query, user, step, slice) + rest(relation, step, slice))
            }
        }
    }

    private static func forEach(
        _ snapshot: SystemSnapshot, _ body: (QueryDetail, Datum, StepRecord) throws -> Void
    ) throws {
        let users = snapshot.usersOfQueries
        for detail in snapshot.log.details {
            guard let user = users[detail.query] else { continue }
            for step in detail.steps { try body(detail, .number(user), step) }
        }
    }

    private static func common(_ query: Int, _ user: Datum, _ step: StepRecord, _ slice: StepRecord.Slice) -> [Datum] {
        [
            user, .number(query), .number(slice.slice), .number(step.segment), .number(step.step),
            .wide(slice.startMicroseconds), .wide(slice.endMicroseconds), .zero, .wide(slice.rows), .wide(slice.bytes),
        ]
    }

    private static func flag(_ value: Bool) -> Datum { .text(value ? "t" : "f") }

    /// The table's own columns.
    private static func rest(_ relation: String, _ step: StepRecord, _ slice: StepRecord.Slice) -> [Datum] {
        let table = Datum.wide(step.table), isDiskBased = flag(step.isDiskBased)
        let occupied = Datum.wide(min(slice.rows, Int64(Int32.max)))
        switch relation {
        case "stl_scan": return scan(step, slice)
        case "stl_aggr": return [occupied, occupied, .zero, table, isDiskBased, .zero, .text(step.form)]
        case "stl_hash":
            return [occupied, occupied, .zero, table, isDiskBased, .zero, .zero, .wide(slice.rows), .zero, .zero]
        case "stl_hashjoin":
            return [table, .zero, .number(joinType(step.form)), flag(false), flag(step.isDiskBased)]
        case "stl_mergejoin", "stl_nestloop": return [table, .zero]
        case "stl_sort": return [table, isDiskBased, .zero, .zero]
        case "stl_dist", "stl_bcast", "stl_return": return [.wide((slice.bytes + 65_535) / 65_536), .zero]
        case "stl_save": return [table, isDiskBased, .zero]
        case "stl_insert": return [table, flag(false), flag(false)]
        case "stl_delete": return [table]
        case "stl_unique":
            return [
                .text("HASHED"), isDiskBased, occupied, .zero, .zero, .zero, occupied, .zero, flag(false),
            ]
        case "stl_window": return [isDiskBased, .zero]
        default: return [.zero]
        }
    }

    /// 0 inner, 1 left, 2 full, 3 right, 4 semi, 5 anti.
    private static func joinType(_ form: String) -> Int {
        ["inner", "left", "full", "right", "semi", "anti"].firstIndex(of: form) ?? 0
    }

    private static func scan(_ step: StepRecord, _ slice: StepRecord.Slice) -> [Datum] {
        // 2: a user's table; 6: what another step has kept, or a catalog.
        let isTable = step.table >= 100_000
        let first: [Datum] = [
            .zero, .number(isTable ? 2 : 6), .wide(step.table), flag(step.isRangeRestricted), flag(false),
            .wide(slice.rowsBeforeFilter), .wide(slice.rowsBeforeFilter), .text(step.tableName), flag(false), .zero,
        ]
        let second: [Datum] = [
            .zero, .zero, flag(false), .zero, .zero, .zero, .zero, .zero, flag(true), .zero, .zero, .zero, flag(false),
            flag(step.isRangeRestricted),
        ]
        return first + second
    }

    // MARK: Views

    static func report(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEach(snapshot) { detail, user, step in
            for slice in step.slices {
                let place: [Datum] = [
                    user, .number(detail.query), .number(slice.slice), .number(step.segment), .number(step.step),
                    .wide(slice.startMicroseconds), .wide(slice.endMicroseconds), .wide(slice.busyMicroseconds),
                    .wide(slice.rows), .wide(slice.bytes),
                ]
                try sink.add(place + facts(step) + [.wide(slice.rowsBeforeFilter)])
            }
        }
    }

    /// label, is_diskbased, workmem, is_rrscan, is_delayed_scan
    private static func facts(_ step: StepRecord) -> [Datum] {
        [.text(step.label), flag(step.isDiskBased), .zero, flag(step.isRangeRestricted), flag(false)]
    }

    /// Over all slices.
    static func summary(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEach(snapshot) { detail, user, step in
            let times = step.slices.map(\.busyMicroseconds)
            let average = step.busyMicroseconds / Int64(max(times.count, 1))
            let seconds = Double(max(average, 1)) / 1_000_000
            let place: [Datum] = [
                user, .number(detail.query), .number(step.segment), .number(step.segment), .number(step.step),
                .wide(times.max() ?? 0), .wide(average), .wide(step.rows), .wide(step.bytes),
            ]
            let rates: [Datum] = [.double(Double(step.rows) / seconds), .double(Double(step.bytes) / seconds)]
            try sink.add(place + rates + facts(step) + [.wide(step.rowsBeforeFilter)])
        }
    }

    // MARK: What runs now

    /// Steps of statements that are not done: those of the segments that have ended.
    private static func forEachRunning(
        _ snapshot: SystemSnapshot, _ body: (QueryDetail, Datum, StepRecord) throws -> Void
    ) throws {
        for session in snapshot.sessions.all where session.number != snapshot.sessionNumber {
            guard let statement = session.statement, let detail = QueryDetail(query: statement.query, session.runs)
            else { continue }
            for step in detail.steps { try body(detail, .number(session.user), step) }
        }
    }

    static func running(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let now = Datum.wide(snapshot.time.wallMicroseconds())
        try forEachRunning(snapshot) { detail, user, step in
            for slice in step.slices {
                try sink.add([
                    user, .number(detail.query), .number(slice.slice), .number(step.segment), .number(step.step),
                    .wide(slice.startMicroseconds), now, .zero, .wide(slice.rows), .wide(slice.bytes),
                    .text(step.label), flag(step.isDiskBased), .zero, .zero, flag(step.isRangeRestricted), flag(false),
                ])
            }
        }
    }

    static func runningSummary(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEachRunning(snapshot) { detail, user, step in
            let times = step.slices.map { max($0.endMicroseconds - $0.startMicroseconds, 0) }
            let longest = times.max() ?? 0, average = times.reduce(0, +) / Int64(max(times.count, 1))
            let seconds = Double(max(average, 1)) / 1_000_000
            try sink.add([
                user, .number(detail.query), .number(step.segment), .number(step.step),
                .interval(Interval(months: 0, microseconds: longest)),
                .interval(Interval(months: 0, microseconds: average)),
                .wide(step.rows), .wide(step.bytes), .wide(step.busyMicroseconds), .zero,
                .double(Double(step.rows) / seconds), .double(Double(step.bytes) / seconds),
                .text(String(step.label.prefix(25))), flag(step.isDiskBased), .zero, .zero,
                flag(step.isRangeRestricted), flag(false),
            ])
        }
    }

    /// Each segment runs by itself: a stream has one.
    static func segments(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEach(snapshot) { detail, user, step in
            guard step.step == 0 else { return }
            try sink.add([user, .number(detail.query), .number(step.segment), .number(step.segment)])
        }
    }

    /// Which plan node a step belongs to, with the planner's figures.
    static func planInfo(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEach(snapshot) { detail, user, step in
            guard step.node > 0, step.node <= detail.nodes.count else { return }
            let node = detail.nodes[step.node - 1]
            func whole(_ value: Double) -> Datum { .wide(Int64(max(0, min(value, 9e18)))) }
            try sink.add([
                user, .number(detail.query), .number(step.node), .number(step.segment), .number(step.step),
                .number(step.kind == .result ? 2 : 1), .number(nodeType(step.kind)), .double(node.startupCost),
                .double(node.totalCost), whole(node.rows), whole(node.rows * node.width),
            ])
        }
    }

    /// The numbers of STL_PLAN_INFO for kinds of nodes.
    private static func nodeType(_ kind: StepRecord.Kind) -> Int {
        switch kind {
        case .scan: 100
        case .project: 101
        case .hash: 105
        case .hashjoin: 106
        case .mergejoin: 107
        case .nestloop: 108
        case .aggregate: 110
        case .unique: 111
        case .sort: 112
        case .window: 113
        case .limit: 114
        case .result: 115
        case .save: 116
        case .distribute: 117
        case .broadcast: 118
        case .insert: 119
        case .delete: 120
        }
    }
}

extension SystemSnapshot {
    /// Ids of users by query: of the queries that may be shown.
    var usersOfQueries: [Int: Int] {
        var result: [Int: Int] = [:]
        for query in log.queries where shownUser == nil || shownUser == query.user { result[query.id] = query.user }
        return result
    }
    /// All statements of the log by id.
    var queriesByID: [Int: WarehouseLog.Query] {
        Dictionary(log.queries.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }
}
