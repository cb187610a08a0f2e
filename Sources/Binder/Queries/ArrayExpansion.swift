import QueryPlan
import SQLSyntax
import SQLTypes

/// `information_schema._pg_expandarray(array)` in a SELECT list: a row for each element, with the record `(x,n)` of
/// element and position, as its text. Drivers read the columns of keys with it.
struct ArrayExpansion {
    static let functionName = "_pg_expandarray"
    static let fields = ["x", "n"]

    let array: BoundExpression
    let record: BoundExpression
    private let series: LogicalSystemScan
    private let isInside: BoundExpression

    static func bind(_ call: FunctionCall, _ binder: ExpressionBinder) throws -> BoundExpression {
        guard binder.clause == .selectList, let computed = binder.computed, call.arguments.count == 1 else {
            throw binder.unsupported("\(functionName) outside of a SELECT list", call.position)
        }
        let array = try binder.bind(call.arguments[0])
        if let present = computed.expansion {
            guard present.array == array else {
                throw binder.unsupported("more than one array in the SELECT list", call.position)
            }
            return present.record
        }
        let expansion = try ArrayExpansion(array, binder.session, at: call.position)
        computed.expansion = expansion
        return expansion.record
    }

    private init(_ array: BoundExpression, _ session: BindingSession, at position: SourcePosition) throws {
        self.array = array
        let calls = SignatureCall(session)
        let one = BoundExpression.constant(.integer(1), .integer)
        let bounds: [Datum] = [.integer(0), .integer(1_600)]
        let number = OutputColumn(id: session.makeColumn(), name: "n", type: .bigint)
        let place = BoundExpression.column(number.id, .bigint)
        guard let numbers = try session.systemRelations.tableFunction("generate_series", bounds),
            let low = try calls.resolve("array_lower", [array, one], at: position),
            let high = try calls.resolve("array_upper", [array, one], at: position),
            let element = try calls.resolve("array_element_text", [array, place], at: position)
        else { throw OperatorError.noFunction(Self.functionName, [array.type], at: position) }
        series = numbers.scan(alias: "unnest", columns: [number])
        let compare = ComparisonBinder(session)
        isInside = .and([
            try compare.compare(.greaterOrEqual, place, low, at: position),
            try compare.compare(.lessOrEqual, place, high, at: position),
        ])
        let arithmetic = ArithmeticBinder(session)
        let fromLow = try arithmetic.bind(.subtract, place, low, at: position)
        let count = try arithmetic.bind(.add, fromLow, one, at: position)
        let text = try Coercion(session).cast(count, to: .varchar(20), .explicit, at: position)
        func constant(_ text: String) -> BoundExpression { .constant(.text(text), .varchar(1)) }
        record = [element, constant(","), text, constant(")")].reduce(constant("(")) {
            .call(.concatenate, [$0, $1], .varchar(300))
        }
    }

    func plan(over input: LogicalPlan) -> LogicalPlan {
        let pairs = LogicalJoin(kind: .inner, condition: nil, left: input, right: .systemScan(series))
        return .filter(isInside, .join(pairs))
    }
}
