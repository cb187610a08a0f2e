extension SQLType: CustomStringConvertible {
    /// The name in messages and catalogs, as Redshift's `format_type` gives it.
    public var description: String {
        switch self {
        case .boolean: "boolean"
        case .smallint: "smallint"
        case .integer: "integer"
        case .bigint: "bigint"
        case .decimal(let precision, let scale): "numeric(\(precision),\(scale))"
        case .real: "real"
        case .double: "double precision"
        case .char(let length): "character(\(length))"
        case .varchar(let length): "character varying(\(length))"
        case .date: "date"
        case .time: "time without time zone"
        case .timetz: "time with time zone"
        case .timestamp: "timestamp without time zone"
        case .timestamptz: "timestamp with time zone"
        case .interval: "interval"
        case .unknown: "unknown"
        }
    }

    /// The name without length, precision and scale: for "function f(character varying) does not exist".
    public var nameWithoutModifiers: String {
        switch self {
        case .decimal: "numeric"
        case .char: "character"
        case .varchar: "character varying"
        default: description
        }
    }

    /// How DDL spells the type.
    public var sqlName: String {
        switch self {
        case .decimal(let precision, let scale): "NUMERIC(\(precision),\(scale))"
        case .char(let length): "CHAR(\(length))"
        case .varchar(let length): "VARCHAR(\(length))"
        case .double: "DOUBLE PRECISION"
        case .time: "TIME"
        case .timetz: "TIMETZ"
        case .timestamp: "TIMESTAMP"
        case .timestamptz: "TIMESTAMPTZ"
        case .unknown: "VARCHAR"
        default: description.uppercased()
        }
    }
}
