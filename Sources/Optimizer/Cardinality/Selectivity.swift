import Catalog
import Glibc
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
        for conjunct in conjuncts.prefix(Self.largestSample) {
            if let (id, op, value) = Self.range(conjunct) {
                let share = rangeShare(id, op, value)
                let isLower = op == .greater || op == .greaterOrEqual
                if let known = ranges[id] {
                    let closes = isLower ? known.hasUpper : known.hasLower
                    let notNull = 1 - context.facts(id).nullFraction
                    let both = closes ? max(known.share + share - notNull, narrowest(id)) : min(known.share, share)
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
            let sample = Self.sample(items)
            for item in sample { none *= 1 - of(item, profile) }
            return 1 - pow(none, Double(items.count) / Double(max(1, sample.count)))
        case .not(let inner):
            if case .isNull(let value) = inner { return 1 - nullShare(value) }
            return max(0.001, 1 - of(inner, profile))
        case .isNull(let value): return max(nullShare(value), 1e-4)
        case .inList(let value, let items):
            var total = 0.0
            let sample = Self.sample(items)
            for item in sample { total += equality(value, item, profile) }
            return min(total * Double(items.count) / Double(max(1, sample.count)), 1)
        case .comparison(let op, let left, let right): return comparison(op, left, right, profile)
        case .call(let function, let arguments, _): return call(function, arguments)
        case .column: return 0.5
        default: return Self.rangeDefault
        }
    }

    /// Every so many of a very long list: its members are looked at by each plan that is weighed.
    private static func sample(_ items: [BoundExpression]) -> [BoundExpression] {
        guard items.count > largestSample else { return items }
        return stride(from: 0, to: items.count, by: (items.count + largestSample - 1) / largestSample).map { items[$0] }
    }
    private static let largestSample = 512

    private func nullShare(_ value: BoundExpression) -> Double {
        guard case .column(let id, _) = value else { return 0.01 }
        let facts = context.facts(id)
        return facts.notNull ? 0.05 : max(facts.nullFraction, 0.001)
    }

    private func call(_ function: ScalarFunction, _ arguments: [BoundExpression]) -> Double {
        switch function {
        case .like, .ilike: return like(arguments, ignoresCase: function == .ilike)
        case .similarTo, .regexMatch, .regexMatchInsensitive: return patternDefault(arguments)
        default: return Self.rangeDefault
        }
    }

    private func like(_ arguments: [BoundExpression], ignoresCase: Bool) -> Double {
        guard arguments.count == 3, case .column(let id, _) = arguments[0],
            case .string(let bytes)? = arguments[1].asConstant,
            case .string(let escape)? = arguments[2].asConstant, escape.count <= 1
        else { return patternDefault(arguments) }
        return context.patternShare(id, bytes, ignoresCase) {
            let pattern = LikeEstimate(bytes, escape: escape.first, ignoresCase: ignoresCase)
            guard let share = distribution(id)?.matching(pattern) else { return patternDefault(arguments) }
            return min(1, max(share, Self.smallest))
        }
    }

    private func patternDefault(_ arguments: [BoundExpression]) -> Double {
        guard case .string(let pattern)? = arguments.dropFirst().first?.asConstant, let first = pattern.first,
            first != 0x25, first != 0x5F
        else { return 0.05 }
        return 0.1
    }

    /// nil for columns that are computed or whose table has no rows.
    private func distribution(_ id: ColumnID) -> ValueDistribution? {
        guard let statistics = context.columnStatistics(id) else { return nil }
        let facts = context.facts(id)
        return ValueDistribution(
            statistics: statistics, nullFraction: facts.nullFraction, distinct: facts.distinct ?? 200)
    }

    /// A range that is closed on both sides holds a value at least.
    private func narrowest(_ id: ColumnID) -> Double {
        guard let statistics = context.columnStatistics(id), statistics.histogram.count >= 2 else { return 0.0005 }
        return min(0.0005, max(1 / max(1, statistics.distinctCount), Self.smallest))
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
        guard let distribution = distribution(id) else {
            return 1 / max(2, min(profile.distinctCount(id, context), 200))
        }
        if let value = right.asConstant { return max(distribution.equal(to: value), Self.smallest) }
        return max(distribution.equalToOther(), Self.smallest)
    }

    /// Share of rows with `column op value`.
    private func rangeShare(_ id: ColumnID, _ op: ComparisonOperator, _ value: Datum) -> Double {
        guard let distribution = distribution(id) else { return Self.computedRangeDefault }
        guard let below = distribution.below(value, inclusive: op == .lessOrEqual || op == .greater) else {
            return Self.rangeDefault
        }
        let share = op == .less || op == .lessOrEqual ? below : 1 - distribution.nullFraction - below
        return min(1, max(share, Self.smallest))
    }

    /// Share of the pairs of two tables' rows that have equal values, from the values that are common on both sides;
    /// nil when these say nothing.
    func commonMatches(_ a: ColumnID, _ b: ColumnID) -> Double? {
        guard let left = context.columnStatistics(a), let right = context.columnStatistics(b),
            !left.mostCommon.isEmpty, !right.mostCommon.isEmpty
        else { return nil }
        var shares: [Datum: Double] = [:]
        for item in right.mostCommon { shares[item.value] = item.fraction }
        var matched = 0.0, leftMatched = 0.0, rightMatched = 0.0
        for item in left.mostCommon {
            guard let share = shares[item.value] else { continue }
            matched += item.fraction * share
            leftMatched += item.fraction
            rightMatched += share
        }
        // What is left meets evenly.
        let leftRest = max(0, 1 - context.facts(a).nullFraction - leftMatched)
        let rightRest = max(0, 1 - context.facts(b).nullFraction - rightMatched)
        if left.histogram.isEmpty && right.histogram.isEmpty { return max(matched, Self.smallest) }
        return matched + leftRest * rightRest / max(left.distinctCount, right.distinctCount, 1)
    }
}
