import SQLTypes

/// SYS_QUERY_DETAIL: a row for each step, and above them for each segment, each stream and the query.
enum QueryDetailRelation {
    static func rows(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let users = snapshot.usersOfQueries
        for detail in snapshot.log.details {
            guard let id = users[detail.query] else { continue }
            let user = Datum.number(id)
            try add(detail.steps, nil, nil, "child query", detail, user, sink)
            for segment in Set(detail.steps.map(\.segment)).sorted() {
                let steps = detail.steps.filter { $0.segment == segment }
                try add(steps, segment, nil, "stream", detail, user, sink)
                try add(steps, segment, -1, "segment", detail, user, sink)
                for step in steps { try add([step], segment, step.step, "step", detail, user, sink) }
            }
        }
    }

    /// One row over some steps.
    ///
    /// - Parameters:
    ///   - segment: nil above segments, which are streams as well.
    ///   - step: the step's number, -1 for a whole segment, nil for a whole stream or query.
    private static func add(
        _ steps: [StepRecord], _ segment: Int?, _ step: Int?, _ level: String, _ detail: QueryDetail, _ user: Datum,
        _ sink: SystemRows
    ) throws {
        let slices = steps.flatMap(\.slices)
        guard let start = slices.map(\.startMicroseconds).min(), let end = slices.map(\.endMicroseconds).max(),
            let first = steps.first, let last = steps.last
        else { return }
        let single = level == "step" ? first : nil
        let scanned = steps.reduce(Int64(0)) { $0 + $1.rowsBeforeFilter }
        let input = single.map { $0.kind == .scan ? $0.rowsBeforeFilter : $0.rows } ?? scanned
        let node = single?.node ?? 0
        let place: [Datum] = [
            user, .number(detail.query), .number(1), .number(segment ?? -1),
            .number(step == nil ? -1 : segment ?? -1), .number(step ?? -1), .text(single?.kind.rawValue ?? ""),
            .wide(single?.table ?? 0), .text(single?.tableName ?? ""), .text(first.isRangeRestricted ? "t" : "f"),
            .wide(start), .wide(end), .wide(single?.busyMicroseconds ?? max(0, end - start)),
            .text(AlertRelation.alerts(of: detail, steps).map(\.event).joined(separator: "; ")),
        ]
        let figures: [Datum] = [
            .wide(last.bytes), .wide(input), .wide(last.bytes), .wide(last.rows),
            .number(steps.reduce(0) { $0 + $1.blocks }), .zero, .zero, .zero, .blank,
            .number(skew(last.slices.map(\.rows))), .number(skew(last.slices.map(\.busyMicroseconds))), .text("f"),
            .zero, .zero, .text(single?.form ?? ""), .text(level),
            .number(node > 0 && node <= detail.nodes.count ? detail.nodes[node - 1].parent : 0), .number(node),
        ]
        try sink.add(place + figures)
    }

    /// 0 when all slices have the same share, 100 when one has all.
    private static func skew(_ values: [Int64]) -> Int {
        guard values.count > 1, let largest = values.max(), largest > 0 else { return 0 }
        let mean = Double(values.reduce(0, +)) / Double(values.count)
        return Int((100 * (1 - mean / Double(largest))).rounded())
    }
}
