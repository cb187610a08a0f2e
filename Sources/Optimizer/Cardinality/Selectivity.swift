import Catalog
import QueryPlan
import SQLTypes

/// The share of rows for which conditions are true.
struct Selectivity {
    let context: OptimizerContext

    static let smallest = 1e-7
    private static let rangeDefault = 0.33
    /// HAVING and filters on other computed columns are written to find the unusual.
    private static let computedRangeDefault = 0.1
    private static let equalityDefault = 0.01

    /// Of all conjuncts together; narrows the profile's distinct counts on the way, not its rows.
    func conjunction(_ conjuncts: [BoundExpression], _ profile: inout PlanProfile) -> Double {
        var result = 1.0
        var ranges: [ColumnID: (share: Double, hasLower: Bool, hasUpper: Bool)] = [:]
        for conjunct in conjuncts {
            if let (id, op, value) = Self.range(conjunct) {
                let share = rangeShare(id, op, value)
                let isLower = op == .greater || op == .greaterOrEqual
                if let known = ranges[id] {
                    let closes = isLower ? known.hasUpper : known.hasLower
                    let both = closes ? max(known.share + share - 1, 0.0005) : min(known.share, share)
                    ranges[id] = (both, known.hasLower || isLower, known.hasUpper || !isLower)
                } else {
                    ranges[id] = (share, isLower, !isLower)
                }
                continue
            }
            let share = of(conjunct, profile)
            result *= share
            narrow(conjunct, share, &profile)
        }
        for (id, range) in ranges {
            result *= range.share
            profile.narrow(id, to: profile.distinctCount(id, context) * range.share)
        }
        return min(1, max(result, Self.smallest))
    }

    private func narrow(_ conjunct: BoundExpression, _ share: Double, _ profile: inout PlanProfile) {
        switch conjunct {
        case .comparison(.equal, .column(let id, _), let value) where value.columns.isEmpty:
            profile.narrow(id, to: 1)
        case .inList(.column(let id, _), let items): profile.narrow(id, to: Double(items.count))
        default:
            let columns = conjunct.columns
            guard columns.count == 1, let id = columns.elements.first else { return }
            profile.narrow(id, to: profile.distinctCount(id, context) * share)
        }
    }

    private static func range(_ conjunct: BoundExpression) -> (ColumnID, ComparisonOperator, Datum)? {
        guard case .comparison(let op, .column(let id, _), .constant(let value, _)) = conjunct else { return nil }
        switch op {
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return (id, op, value)
        default: return nil
        }
    }

    func of(_ condition: BoundExpression, _ profile: PlanProfile) -> Double {
        switch condition {
        case .constant(let value, _): return value == .integer(1) ? 1 : Self.smallest
        case .and(let items):
            var copy = profile
            return conjunction(items, &copy)
        case .or(let items):
            var none = 1.0
            for item in items { none *= 1 - of(item, profile) }
            return 1 - none
        case .not(let inner):
            if case .isNull(let value) = inner { return 1 - nullShare(value) }
            return max(0.001, 1 - of(inner, profile))
        case .isNull(let value): return max(nullShare(value), 1e-4)
        case .inList(let value, let items):
            var total = 0.0
            for item in items { total += equality(value, item, profile) }
            return min(total, 1)
        case .comparison(let op, let left, let right): return comparison(op, left, right, profile)
        case .call(let function, let arguments, _): return call(function, arguments)
        case .column: return 0.5
        default: return Self.rangeDefault
        }
    }

    private func nullShare(_ value: BoundExpression) -> Double {
        guard case .column(let id, _) = value else { return 0.01 }
        let facts = context.facts(id)
        return facts.notNull ? 0.05 : max(facts.nullFraction, 0.001)
    }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression]) -> Double {
        switch function {
        case .like, .ilike, .similarTo, .regexMatch, .regexMatchInsensitive:
            if case .string(let pattern)? = arguments.dropFirst().first?.asConstant, let first = pattern.first,
                first != 0x25, first != 0x5F
            {
                return 0.1
            }
            return 0.05
        default: return Self.rangeDefault
        }
    }

    private func comparison(
        _ op: ComparisonOperator, _ left: BoundExpression, _ right: BoundExpression, _ profile: PlanProfile
    ) -> Double {
        switch op {
        case .equal, .notDistinctFrom: return equality(left, right, profile)
        case .notEqual, .distinctFrom: return max(0.01, 1 - equality(left, right, profile))
        case .less, .lessOrEqual, .greater, .greaterOrEqual:
            if case .column(let id, _) = left, let value = right.asConstant { return rangeShare(id, op, value) }
            return right.columns.isEmpty ? Self.rangeDefault : 0.45
        }
    }

    private func equality(_ left: BoundExpression, _ right: BoundExpression, _ profile: PlanProfile) -> Double {
        guard right.columns.isEmpty else {
            let most = max(profile.distinctCount(left, context), profile.distinctCount(right, context))
            return 1 / max(1, most)
        }
        guard case .column(let id, _) = left else {
            return 1 / max(1, min(profile.distinctCount(left, context), 1 / Self.equalityDefault))
        }
        guard let statistics = context.columnStatistics(id) else {
            return 1 / max(2, min(profile.distinctCount(id, context), 200))
        }
        if let value = right.asConstant {
            if isOutside(value, statistics) { return Self.smallest }
            for common in statistics.mostCommon where ConstantFolding.order(common.value, value) == 0 {
                return common.fraction
            }
        }
        var share = 1 - context.facts(id).nullFraction
        for common in statistics.mostCommon { share -= common.fraction }
        let others = max(1, (context.facts(id).distinct ?? 200) - Double(statistics.mostCommon.count))
        return max(share, Self.smallest) / others
    }

    private func isOutside(_ value: Datum, _ statistics: ColumnStatistics) -> Bool {
        if let order = ConstantFolding.order(value, statistics.minimum), order < 0 { return true }
        if let order = ConstantFolding.order(value, statistics.maximum), order > 0 { return true }
        return false
    }

    /// Share of rows with `column op value`, from the histogram or by interpolation between the bounds.
    private func rangeShare(_ id: ColumnID, _ op: ComparisonOperator, _ value: Datum) -> Double {
        guard let statistics = context.columnStatistics(id) else { return Self.computedRangeDefault }
        guard let below = shareBelow(value, op == .lessOrEqual || op == .greater, statistics) else {
            return Self.rangeDefault
        }
        let notNull = 1 - context.facts(id).nullFraction
        let share = op == .less || op == .lessOrEqual ? below : 1 - below
        return min(1, max(share * notNull, Self.smallest))
    }

    private func shareBelow(_ value: Datum, _ inclusive: Bool, _ statistics: ColumnStatistics) -> Double? {
        if statistics.histogram.count > 2 {
            var bucket = 0
            while bucket < statistics.histogram.count,
                let order = ConstantFolding.order(statistics.histogram[bucket], value), order < 0
            {
                bucket += 1
            }
            return Double(bucket) / Double(statistics.histogram.count)
        }
        guard let low = Self.position(statistics.minimum), let high = Self.position(statistics.maximum),
            let point = Self.position(value)
        else { return nil }
        if point < low { return 0 }
        if point > high { return 1 }
        if case .integer = value { return (point - low + (inclusive ? 1 : 0)) / (high - low + 1) }
        return high > low ? (point - low) / (high - low) : 0.5
    }

    /// A number that orders as the value: strings by their first seven bytes.
    private static func position(_ value: Datum) -> Double? {
        switch value {
        case .integer(let number): return Double(number)
        case .double(let number): return number.isFinite ? number : nil
        case .string(let bytes):
            var number = 0.0
            for index in 0..<7 { number = number * 256 + (index < bytes.count ? Double(bytes[index]) : 0x20) }
            return number
        case .null, .interval: return nil
        }
    }
}
