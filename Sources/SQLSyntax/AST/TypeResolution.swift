import SQLTypes

extension ParsedTypeName {
    /// The SQL type behind a written name, with Redshift's defaults and limits.
    package func resolve() throws(SQLError) -> SQLType {
        guard arrayDepth == 0 else { throw unsupported() }
        switch name {
        case "smallint", "int2": return try plain(.smallint)
        case "integer", "int", "int4": return try plain(.integer)
        case "bigint", "int8": return try plain(.bigint)
        case "boolean", "bool": return try plain(.boolean)
        case "real", "float4": return try plain(.real)
        case "double precision", "float8", "double": return try plain(.double)
        case "float": return try floating()
        case "decimal", "numeric", "dec": return try decimal()
        case "date": return try plain(.date)
        case "interval": return .interval
        case "time", "time without time zone": return try datetime(.time)
        case "timetz", "time with time zone": return try datetime(.timetz)
        case "timestamp", "timestamp without time zone", "datetime": return try datetime(.timestamp)
        case "timestamptz", "timestamp with time zone": return try datetime(.timestamptz)
        default: return try stringOrCatalogType()
        }
    }

    private static let varyingNames: Set<String> = [
        "varchar", "character varying", "nvarchar", "national character varying", "national varchar", "char varying",
        "text",
    ]

    /// VARCHAR or TEXT without a length: 256 bytes as a column, and as long as its input in a cast.
    package var isVaryingWithoutLength: Bool {
        modifiers.isEmpty && arrayDepth == 0 && Self.varyingNames.contains(name)
    }

    private func stringOrCatalogType() throws(SQLError) -> SQLType {
        switch name {
        case "char", "character", "nchar", "national character", "national char": return try character(defaultLength: 1)
        case "bpchar": return try character(defaultLength: 256)
        case _ where Self.varyingNames.contains(name): return try varying()
        // Leader-node types of catalog queries, in the nearest type of ours.
        case "oid", "xid", "tid": return try plain(.bigint)
        case "name", "sql_identifier", "character_data", "yes_or_no": return .varchar(128)
        case "cardinal_number": return .integer
        case "abstime", "time_stamp": return .timestamp
        case "int2vector", "oidvector", "aclitem", "anyarray", "cstring": return .varchar(SQLType.maximumVarcharLength)
        case "\"char\"": return .char(1)
        case "unknown": return .unknown
        case "super", "hllsketch", "geometry", "geography", "varbyte", "varbinary", "binary varying", "bytea", "json",
            "jsonb", "uuid", "xml", "money", "bit", "bit varying", "serial", "bigserial", "regclass", "regproc",
            "regtype":
            throw unsupported()
        default:
            if name.contains("<") { throw unsupported() }
            throw SQLError(.undefinedObject, "type \"\(name)\" does not exist", at: position)
        }
    }

    private func unsupported() -> SQLError {
        let suffix = String(repeating: "[]", count: arrayDepth)
        return SQLError(.featureNotSupported, "type \"\(name)\(suffix)\" is not supported", at: position)
    }

    private func plain(_ type: SQLType) throws(SQLError) -> SQLType {
        guard modifiers.isEmpty else {
            throw SQLError(.syntaxError, "type modifier is not allowed for type \"\(name)\"", at: position)
        }
        return type
    }

    private func floating() throws(SQLError) -> SQLType {
        guard let bits = try single() else { return .double }
        guard bits >= 1 else {
            throw SQLError(.invalidParameterValue, "precision for type float must be at least 1 bit", at: position)
        }
        guard bits <= 53 else {
            throw SQLError(.invalidParameterValue, "precision for type float must be less than 54 bits", at: position)
        }
        return bits <= 24 ? .real : .double
    }

    private func decimal() throws(SQLError) -> SQLType {
        guard modifiers.count <= 2, !modifiers.contains(nil) else { throw invalidModifier() }
        guard let precision = modifiers.first ?? nil else { return .defaultDecimal }
        let scale = modifiers.count == 2 ? modifiers[1] ?? 0 : 0
        guard (1...SQLType.maximumPrecision).contains(precision) else {
            throw SQLError(
                .invalidParameterValue,
                "NUMERIC precision \(precision) must be between 1 and \(SQLType.maximumPrecision)", at: position)
        }
        // The largest scale in DDL is 37; a type of precision 38 may name 38 only in casts, which we allow too.
        guard (0...precision).contains(scale) else {
            throw SQLError(
                .invalidParameterValue, "NUMERIC scale \(scale) must be between 0 and precision \(precision)",
                at: position)
        }
        return .decimal(precision: precision, scale: scale)
    }

    /// Fraction digits are accepted and change nothing, as values always carry microseconds.
    private func datetime(_ type: SQLType) throws(SQLError) -> SQLType {
        guard let precision = try single() else { return type }
        guard (0...6).contains(precision) else {
            throw SQLError(
                .invalidParameterValue, "\(name)(\(precision)) precision must be between 0 and 6", at: position)
        }
        return type
    }

    private func character(defaultLength: Int) throws(SQLError) -> SQLType {
        .char(try length(defaultLength, maximum: SQLType.maximumCharLength, typeName: "character"))
    }

    private func varying() throws(SQLError) -> SQLType {
        .varchar(try length(256, maximum: SQLType.maximumVarcharLength, typeName: "character varying"))
    }

    private func length(_ standard: Int, maximum: Int, typeName: String) throws(SQLError) -> Int {
        guard modifiers.count <= 1 else { throw invalidModifier() }
        guard let modifier = modifiers.first else { return standard }
        guard let length = modifier else { return maximum }
        guard length >= 1 else {
            throw SQLError(.invalidParameterValue, "length for type \(typeName) must be at least 1", at: position)
        }
        guard length <= maximum else {
            throw SQLError(.invalidParameterValue, "length for type \(typeName) cannot exceed \(maximum)", at: position)
        }
        return length
    }

    private func single() throws(SQLError) -> Int? {
        guard modifiers.count <= 1, !modifiers.contains(nil) else { throw invalidModifier() }
        return modifiers.first ?? nil
    }

    private func invalidModifier() -> SQLError {
        SQLError(.invalidParameterValue, "invalid type modifier for type \"\(name)\"", at: position)
    }
}
