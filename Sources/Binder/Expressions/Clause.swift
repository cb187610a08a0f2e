import SQLTypes

/// Where an expression stands: decides whether aggregates and window functions may be used, and how errors name it.
enum Clause {
    case selectList, filter, joinCondition, groupBy, having, qualify, orderBy, values, limit, defaultValue, assignment
    case aggregateArgument, windowArgument

    var allowsAggregates: Bool {
        switch self {
        case .selectList, .having, .qualify, .orderBy, .windowArgument: true
        default: false
        }
    }

    var allowsWindows: Bool {
        switch self {
        case .selectList, .qualify, .orderBy: true
        default: false
        }
    }

    func aggregateError() -> SQLError {
        switch self {
        case .aggregateArgument: SQLError(.groupingError, "aggregate function calls may not be nested")
        case .filter: SQLError(.groupingError, "aggregates not allowed in WHERE clause")
        case .joinCondition: SQLError(.groupingError, "aggregates not allowed in JOIN conditions")
        case .groupBy: SQLError(.groupingError, "aggregates not allowed in GROUP BY clause")
        default: SQLError(.groupingError, "aggregates not allowed in \(name)")
        }
    }

    func windowError() -> SQLError {
        switch self {
        case .aggregateArgument:
            SQLError(.groupingError, "aggregate function calls may not contain window function calls")
        case .windowArgument: SQLError(.windowingError, "window function calls may not be nested")
        default: SQLError(.windowingError, "window functions not allowed in \(name)")
        }
    }

    private var name: String {
        switch self {
        case .selectList: "SELECT list"
        case .filter: "WHERE clause"
        case .joinCondition: "JOIN conditions"
        case .groupBy: "GROUP BY clause"
        case .having: "HAVING clause"
        case .qualify: "QUALIFY clause"
        case .orderBy: "ORDER BY clause"
        case .values: "VALUES"
        case .limit: "LIMIT clause"
        case .defaultValue: "DEFAULT clause"
        case .assignment: "UPDATE"
        case .aggregateArgument: "aggregate function calls"
        case .windowArgument: "window function calls"
        }
    }
}
