import SQLTypes

/// STL_ALERT_EVENT_LOG: what a query's steps tell of its tables' design.
enum AlertRelation {
    struct Alert {
        var segment: Int
        var step: Int
        var event: String
        var solution: String
    }

    static func rows(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let users = snapshot.usersOfQueries
        var queries: [Int: WarehouseLog.Query] = [:]
        for query in snapshot.log.queries { queries[query.id] = query }
        for detail in snapshot.log.details {
            guard let user = users[detail.query] else { continue }
            let query = queries[detail.query]
            for alert in alerts(of: detail, detail.steps) {
                try sink.add([
                    .number(user), .number(detail.query), .zero, .number(alert.segment),
                    .number(alert.step), .number(query?.session ?? 0), .wide(query?.transaction ?? 0),
                    .text(alert.event), .text(alert.solution), .wide(query?.endMicroseconds ?? 0),
                ])
            }
        }
    }

    private static let manyRows: Int64 = 1_000_000

    static func alerts(of detail: QueryDetail, _ steps: [StepRecord]) -> [Alert] {
        steps.compactMap { step in
            guard let (event, solution) = alert(step) else { return nil }
            return Alert(segment: step.segment, step: step.step, event: event, solution: solution)
        }
    }

    private static func alert(_ step: StepRecord) -> (String, String)? {
        let (kept, read) = (step.rows, step.rowsBeforeFilter)
        switch step.kind {
        case .nestloop:
            return (
                "Nested Loop Join in the query plan", "Review the join predicates to avoid Cartesian products"
            )
        case .scan where read >= manyRows && Double(kept) < 0.05 * Double(read):
            return (
                "Very selective query filter:ratio=rows(\(kept))/rows_pre_user_filter(\(read))="
                    + "\(Double(kept) / Double(read))",
                "Review the choice of sort key to enable range restricted scans, or run the VACUUM command"
            )
        case .distribute where kept > manyRows:
            return (
                "Distributed a large number of rows across the network: \(kept) rows",
                "Review the choice of distribution key to collocate the join or aggregation"
            )
        case .broadcast where kept > manyRows:
            return (
                "Broadcasted a large number of rows across the network: \(kept) rows",
                "Review the choice of distribution key to collocate the join and consider using distributed tables"
            )
        default: return nil
        }
    }
}
