/// Where a conversion stands: inside an expression, into a column, or asked for.
public enum CastContext: Sendable, Hashable {
    case implicit
    case assignment
    case explicit
}

/// Which conversions exist, and which type several expressions have in common.
public enum CastRules {
    /// True when values of the first type convert to the second in this context. Single values may still fail.
    public static func canCast(from: SQLType, to: SQLType, context: CastContext) -> Bool {
        if from == to || from == .unknown { return true }
        let source = from.family
        let target = to.family
        if source == target && source != .integer && source != .float { return true }
        switch context {
        case .implicit: return isImplicit(source, target, from, to)
        case .assignment: return isImplicit(source, target, from, to) || isAssignment(source, target)
        case .explicit:
            return isImplicit(source, target, from, to) || isAssignment(source, target) || isExplicit(source, target)
        }
    }

    /// Nothing is lost, or Redshift's table of implicit conversions leads to text.
    private static func isImplicit(_ source: TypeFamily, _ target: TypeFamily, _ from: SQLType, _ to: SQLType) -> Bool {
        switch (source, target) {
        case (.integer, .integer), (.float, .float): numericRank(from) <= numericRank(to)
        case (.integer, .decimal), (.integer, .float), (.decimal, .float): true
        case (.integer, .varchar), (.decimal, .varchar), (.float, .varchar), (.char, .varchar), (.varchar, .char): true
        case (.date, .varchar), (.timestamp, .varchar), (.timestamptz, .varchar): true
        case (.time, .varchar), (.timetz, .varchar): true
        case (.date, .timestamp), (.date, .timestamptz), (.timestamp, .timestamptz), (.time, .timetz): true
        case (.yearMonthInterval, .interval), (.dayTimeInterval, .interval): true
        // Every value of SQL that JSON can show.
        case (_, .semistructured): SuperCasts.knows(source)
        default: false
        }
    }

    /// The rest of Redshift's table.
    private static func isAssignment(_ source: TypeFamily, _ target: TypeFamily) -> Bool {
        switch (source, target) {
        case (.integer, .boolean), (.integer, .integer), (.integer, .char): true
        case (.decimal, .integer), (.decimal, .char), (.float, .float), (.float, .integer), (.float, .decimal): true
        case (.float, .char), (.date, .char), (.timestamp, .char), (.timestamptz, .char): true
        case (.timestamp, .date), (.timestamp, .time), (.timestamptz, .date), (.timestamptz, .timestamp): true
        case (.interval, .yearMonthInterval), (.interval, .dayTimeInterval): true
        case (.timestamptz, .timetz), (.timetz, .time), (.char, .bytes), (.varchar, .bytes): true
        default: false
        }
    }

    private static func isExplicit(_ source: TypeFamily, _ target: TypeFamily) -> Bool {
        switch (source, target) {
        case (.semistructured, _): target != .unknown && SuperCasts.knows(target)
        case (.char, _), (.varchar, _): target != .unknown
        case (.bytes, .integer), (.integer, .bytes), (.bytes, .varchar), (.bytes, .char): true
        case (.bytes, _), (_, .bytes): false
        case (_, .varchar), (_, .char): true
        case (.boolean, .integer), (.timestamptz, .time), (.time, .interval), (.interval, .time): true
        case (.time, .dayTimeInterval), (.dayTimeInterval, .time): true
        default: false
        }
    }

    static func numericRank(_ type: SQLType) -> Int {
        switch type {
        case .smallint: 1
        case .integer: 2
        case .bigint: 3
        case .decimal: 4
        case .real: 5
        case .double: 6
        default: 0
        }
    }

    /// The type of CASE, COALESCE, set operations and IN lists; nil when the categories do not mix. Only unknown
    /// literals give `unknown`.
    public static func commonType(_ types: [SQLType]) -> SQLType? {
        var result = SQLType.unknown
        for type in types {
            guard let common = commonType(result, type) else { return nil }
            result = common
        }
        return result
    }

    public static func commonType(_ left: SQLType, _ right: SQLType) -> SQLType? {
        if left == right || right == .unknown { return left }
        if left == .unknown { return right }
        if left.isNumeric && right.isNumeric { return commonNumeric(left, right) }
        if left.isString && right.isString { return commonString(left, right) }
        if left == .semistructured || right == .semistructured {
            return SuperCasts.knows(left.family) && SuperCasts.knows(right.family) ? .semistructured : nil
        }
        if case .varbyte(let first) = left, case .varbyte(let second) = right { return .varbyte(max(first, second)) }
        switch (left, right) {
        case (.date, .timestamp), (.timestamp, .date): return .timestamp
        case (.date, .timestamptz), (.timestamptz, .date): return .timestamptz
        case (.timestamp, .timestamptz), (.timestamptz, .timestamp): return .timestamptz
        case (.time, .timetz), (.timetz, .time): return .timetz
        case (.yearMonthInterval, .yearMonthInterval): return .yearMonthInterval(.yearToMonth)
        case (.dayTimeInterval, .dayTimeInterval): return .dayTimeInterval(.dayToSecond)
        case (.interval, let other), (let other, .interval): return other.isInterval ? .interval : nil
        default: return nil
        }
    }

    private static func commonNumeric(_ left: SQLType, _ right: SQLType) -> SQLType? {
        if left.isFloat || right.isFloat { return .double }
        if left.isInteger && right.isInteger { return numericRank(left) >= numericRank(right) ? left : right }
        guard let first = DecimalRules.shape(of: left), let second = DecimalRules.shape(of: right) else { return nil }
        return DecimalRules.union(first, second).type
    }

    private static func commonString(_ left: SQLType, _ right: SQLType) -> SQLType? {
        switch (left, right) {
        case (.char(let first), .char(let second)): .char(max(first, second))
        case (.char(let first), .varchar(let second)), (.varchar(let first), .char(let second)),
            (.varchar(let first), .varchar(let second)):
            .varchar(max(first, second))
        default: nil
        }
    }
}
