import QueryPlan

/// What is estimated of a plan's result.
struct PlanProfile {
    var rows: Double
    /// Distinct values of columns that filters and joins have narrowed; others keep their table's count.
    var distinct: [ColumnID: Double] = [:]
    /// Column sets whose values never repeat, each with the number of values that its table has without filters.
    var keys: [Key] = []

    struct Key {
        var columns: ColumnSet
        var domain: Double
    }

    init(rows: Double) { self.rows = max(rows, 0) }

    func distinctCount(_ id: ColumnID, _ context: OptimizerContext) -> Double {
        let known = distinct[id] ?? context.facts(id).distinct ?? Self.guessedDistinct(rows)
        return max(1, min(known, rows))
    }

    func distinctCount(_ expression: BoundExpression, _ context: OptimizerContext) -> Double {
        switch expression {
        case .column(let id, _): return distinctCount(id, context)
        case .constant, .parameter: return 1
        case .cast(let value, _, _): return distinctCount(value, context)
        case .comparison, .and, .or, .not, .isNull, .inList: return min(3, max(1, rows))
        case .caseWhen(let branches, _, _): return min(Double(branches.count + 1), max(1, rows))
        case .call(let function, let arguments, _):
            var product = 1.0
            for argument in arguments { product *= distinctCount(argument, context) }
            if function == .datePart || function == .dateTruncate { product = max(1, product / 300) }
            if function == .substring || function == .left { product = min(product, 100) }
            return max(1, min(product, rows))
        case .subquery: return max(1, rows)
        }
    }

    private static func guessedDistinct(_ rows: Double) -> Double { max(10, rows * 0.1) }

    mutating func narrow(_ id: ColumnID, to count: Double) { distinct[id] = max(1, min(distinct[id] ?? count, count)) }
}
