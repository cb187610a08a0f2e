import SQLTypes

/// One overload of a SQL function: how it is called, which kernel runs it and what it returns. The families stand in
/// `FunctionSignature+*.swift`; a new function is one entry there, one case of ``ScalarFunction`` and its kernel.
package struct FunctionSignature: Sendable {
    /// SQL names in lower case. The first one labels result columns.
    package var names: [String]
    package var function: ScalarFunction
    package var parameters: [Parameter]
    /// The last parameter may be repeated.
    package var isVariadic: Bool
    package var result: ResultRule
    package var volatility: Volatility
    /// A NULL argument makes a NULL result, so that kernels need not look.
    package var isStrict: Bool

    package init(
        _ names: [String], _ function: ScalarFunction, _ parameters: [Parameter], returns result: ResultRule,
        variadic: Bool = false, volatility: Volatility = .immutable, strict: Bool = true
    ) {
        self.names = names
        self.function = function
        self.parameters = parameters
        self.result = result
        isVariadic = variadic
        self.volatility = volatility
        isStrict = strict
    }

    package enum Volatility: Sendable {
        /// The same arguments always give the same result: constant calls may be folded.
        case immutable
        /// Constant within one statement; depends on the session.
        case stable
        /// Evaluated for every row.
        case volatile
    }

    package var minimumArguments: Int { parameters.count { !$0.isOptional } }
    package var maximumArguments: Int { isVariadic ? Int.max : parameters.count }

    /// The parameter that the argument at this index belongs to.
    package func parameter(at index: Int) -> Parameter { parameters[min(index, parameters.count - 1)] }
}

/// What a function returns, given the types of its arguments after the binder's casts.
package enum ResultRule: Sendable {
    case fixed(SQLType)
    /// The type of the argument at this index.
    case argument(Int)
    case computed(@Sendable ([SQLType]) -> SQLType)

    package func type(for arguments: [SQLType]) -> SQLType {
        switch self {
        case .fixed(let type): type
        case .argument(let index): index < arguments.count ? arguments[index] : .unknown
        case .computed(let rule): rule(arguments)
        }
    }

    package static let boolean = ResultRule.fixed(.boolean)
    package static let integer = ResultRule.fixed(.integer)
    package static let bigint = ResultRule.fixed(.bigint)
    package static let double = ResultRule.fixed(.double)
    package static let date = ResultRule.fixed(.date)
    package static let timestamp = ResultRule.fixed(.timestamp)
    package static let timestamptz = ResultRule.fixed(.timestamptz)
    package static let interval = ResultRule.fixed(.interval)
    package static let longBytes = ResultRule.fixed(.varbyte(SQLType.maximumVarbyteLength))
    package static let longText = ResultRule.fixed(.varchar(SQLType.maximumVarcharLength))
    package static func text(_ length: Int) -> ResultRule { .fixed(.varchar(length)) }
    /// VARCHAR as long as the argument's text.
    package static func textLike(_ index: Int) -> ResultRule {
        .computed { .varchar($0[index].textLength) }
    }
}

/// One formal parameter.
package struct Parameter: Sendable {
    package var accepts: ArgumentClass
    package var isOptional: Bool
    /// Stands for a left-out argument, so that kernels always see the whole list; nil: the list is really shorter.
    package var defaultValue: Datum?

    package init(_ accepts: ArgumentClass, isOptional: Bool = false, defaultValue: Datum? = nil) {
        self.accepts = accepts
        self.isOptional = isOptional
        self.defaultValue = defaultValue
    }
    package var optional: Parameter { Parameter(accepts, isOptional: true) }
    package func defaulting(_ value: Datum) -> Parameter {
        Parameter(accepts, isOptional: true, defaultValue: value)
    }

    package static let any = Parameter(.any)
    package static let common = Parameter(.common)
    package static let boolean = Parameter(.exactly(.boolean))
    package static let integer = Parameter(.exactly(.integer))
    package static let bigint = Parameter(.exactly(.bigint))
    package static let anyInteger = Parameter(.anyInteger)
    package static let decimal = Parameter(.decimal)
    package static let double = Parameter(.exactly(.double))
    package static let string = Parameter(.string)
    package static let bytes = Parameter(.bytes)
    package static let semistructured = Parameter(.semistructured)
    package static let superValue = Parameter(.superValue)
    package static let text = Parameter(.text)
    package static let date = Parameter(.exactly(.date))
    package static let time = Parameter(.exactly(.time))
    package static let timetz = Parameter(.exactly(.timetz))
    package static let timestamp = Parameter(.exactly(.timestamp))
    package static let timestamptz = Parameter(.exactly(.timestamptz))
    package static let interval = Parameter(.exactly(.interval))
    package static let datePart = Parameter(.datePart)
}

/// Which arguments a parameter takes, and what the binder casts them to.
package enum ArgumentClass: Sendable, Hashable {
    /// Cast to this very type.
    case exactly(SQLType)
    /// SMALLINT, INTEGER or BIGINT as it is.
    case anyInteger
    /// DECIMAL as it is; integers become DECIMAL of their range.
    case decimal
    /// SUPER as it is.
    case semistructured
    /// Whatever JSON can show, as SUPER.
    case superValue
    /// CHAR or VARCHAR as it is; types that become VARCHAR implicitly do so.
    case string
    /// VARBYTE as it is.
    case bytes
    /// As `string`, and every other type as its text.
    case text
    /// Taken as it is.
    case any
    /// All such arguments are cast to one common type.
    case common
    /// A constant name of a ``DatePart``, bare or quoted; reaches the kernel as its canonical name.
    case datePart

    /// How far an argument of this type is from the parameter: 0 is exact, nil is impossible without an explicit cast.
    package func distance(from type: SQLType) -> Int? {
        switch self {
        case .any, .common: 1
        case .datePart: type == .unknown || type.isString ? 0 : nil
        case .anyInteger: type.isInteger ? 0 : type == .unknown ? 2 : nil
        case .decimal: type.isDecimal ? 0 : type.isInteger ? 2 : type == .unknown ? 3 : nil
        case .string: type.isString ? 0 : type == .unknown ? 1 : Self.asText(type)
        case .bytes: type.family == .bytes ? 0 : type == .unknown ? 2 : nil
        case .semistructured: type == .semistructured ? 0 : nil
        case .superValue: SuperCasts.knows(type.family) ? (type == .semistructured ? 0 : 9) : nil
        case .text: type.isString ? 1 : type == .unknown ? 2 : 9
        case .exactly(let target): Self.distance(from: type, to: target)
        }
    }

    /// Behind every overload for the type itself and for wider ones.
    private static func asText(_ type: SQLType) -> Int? {
        CastRules.canCast(from: type, to: .text, context: .implicit) ? 8 : nil
    }

    private static func distance(from type: SQLType, to target: SQLType) -> Int? {
        if type == target { return 0 }
        if type == .unknown { return 2 }
        switch (type, target) {
        case (.smallint, .integer), (.integer, .bigint), (.real, .double): return 1
        case (.smallint, .bigint): return 2
        case (.bigint, .integer): return 3
        case (.decimal, .double): return 3
        case (.smallint, .double), (.integer, .double), (.bigint, .double): return 4
        case (.decimal, .integer), (.decimal, .bigint): return 6
        case (.real, .integer), (.real, .bigint), (.double, .integer), (.double, .bigint): return 7
        case (.date, .timestamp), (.time, .timetz), (.timestamp, .timestamptz): return 1
        case (.yearMonthInterval, .interval), (.dayTimeInterval, .interval): return 1
        case (.date, .timestamptz): return 2
        case (.timestamptz, .timestamp): return 3
        case (.timestamp, .date): return 4
        case (.timestamptz, .date): return 5
        case (.char, let other), (.varchar, let other): return other.isDatetime ? 6 : nil
        default: return nil
        }
    }
}
