import QueryPlan
import SQLSyntax

/// Names of result columns without an alias.
enum ColumnLabel {
    static let unnamed = "?column?"

    static func of(_ expression: Expression) -> String { figured(expression).name }

    /// A name is strong when it is a column's or a function's own: casts and CASE do not hide it.
    private static func figured(_ expression: Expression) -> (name: String, isStrong: Bool) {
        switch expression {
        case .name(let name): return (name.name, true)
        case .function(let call): return label(of: call)
        case .cast(let cast):
            let inner = figured(cast.value)
            return inner.isStrong ? inner : (typeLabel(cast.type.name), false)
        case .typedLiteral(let literal): return (typeLabel(literal.type.name), false)
        case .caseWhen(let choice):
            if let last = choice.otherwise.map(figured), last.isStrong { return last }
            return ("case", false)
        case .extract: return ("date_part", true)
        case .atTimeZone: return ("timezone", true)
        case .subquery(let subquery): return (of(subquery.query.body), true)
        case .literal(let literal):
            if case .boolean = literal.value { return ("bool", false) }
            return (unnamed, false)
        case .interval: return ("interval", false)
        case .navigation(let navigation):
            if case .field(let field)? = navigation.steps.last { return (field.text, true) }
            return (unnamed, false)
        default: return (unnamed, false)
        }
    }

    private static func of(_ body: QueryBody) -> String {
        switch body {
        case .select(let select):
            if case .expression(let expression, let alias)? = select.items.first, select.items.count == 1 {
                return alias?.text ?? of(expression)
            }
            return unnamed
        case .nested(let query): return of(query.body)
        case .setOperation, .values: return unnamed
        }
    }

    /// As the call is written, except for what Redshift's grammar makes of some names.
    private static func label(of call: FunctionCall) -> (name: String, isStrong: Bool) {
        let name = call.name.name
        switch name {
        case "nvl": return ("coalesce", true)
        case "decode", "nvl2", "iif": return ("case", false)
        case "nullif":
            if let first = call.arguments.first.map(figured), first.isStrong { return first }
            return ("case", false)
        case "trim": return ("btrim", true)
        case "dateadd": return ("date_add", true)
        case "datediff": return ("date_diff", true)
        case "date_part", "datepart": return ("pgdate_part", true)
        case "user" where call.form == .niladic: return ("current_user", true)
        case "current_date": return ("date", true)
        case "current_timestamp", "now": return (call.form == .niladic ? "timestamptz" : name, true)
        default: return (name, true)
        }
    }

    private static func typeLabel(_ name: String) -> String {
        switch name {
        case "integer", "int", "int4": "int4"
        case "bigint", "int8": "int8"
        case "smallint", "int2": "int2"
        case "double precision", "float8", "float": "float8"
        case "real", "float4": "float4"
        case "boolean", "bool": "bool"
        case "character varying", "varchar", "nvarchar", "text": "varchar"
        case "character", "char", "nchar", "bpchar": "bpchar"
        case "decimal", "numeric": "numeric"
        case "timestamp without time zone": "timestamp"
        case "timestamp with time zone": "timestamptz"
        default: name
        }
    }
}
