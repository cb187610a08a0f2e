import QueryPlan
import SQLSyntax

/// Names of result columns without an alias.
enum ColumnLabel {
    static let unnamed = "?column?"

    static func of(_ expression: Expression) -> String {
        switch expression {
        case .name(let name): return name.name
        case .function(let call): return label(of: call)
        case .cast(let cast):
            let inner = of(cast.value)
            return inner == unnamed ? typeLabel(cast.type.name) : inner
        case .typedLiteral(let literal): return typeLabel(literal.type.name)
        case .caseWhen: return "case"
        case .extract: return "date_part"
        case .exists: return unnamed
        case .atTimeZone: return "timezone"
        case .subquery(let subquery): return of(subquery.query.body)
        case .literal(let literal):
            if case .boolean = literal.value { return "bool" }
            return unnamed
        case .interval: return "interval"
        case .navigation(let navigation):
            if case .field(let field)? = navigation.steps.last { return field.text }
            return unnamed
        default: return unnamed
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

    private static func label(of call: FunctionCall) -> String {
        let name = call.name.name
        switch name {
        case "nvl": return "coalesce"
        case "decode", "nvl2", "iif": return "case"
        case "trim": return "btrim"
        case "datepart": return "date_part"
        case "current_date": return "date"
        case "current_timestamp", "now": return call.form == .niladic ? "timestamptz" : name
        default: break
        }
        if call.form == .niladic { return name }
        if let aggregate = FunctionTable.aggregate(named: name) { return aggregate.names[0] }
        if let signature = FunctionTable.scalars(named: name).first { return signature.names[0] }
        return name
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
