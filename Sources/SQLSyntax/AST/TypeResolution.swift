import SQLTypes

extension ParsedTypeName {
    /// The SQL type behind a written name, with Redshift's defaults and limits.
    package func resolve() throws(SQLError) -> SQLType {
        guard arrayDepth == 0 else { throw unsupported() }
        if let intervalQualifier { return try interval(intervalQualifier) }
        guard let descriptor = TypeDescriptor.named(name) else { return try catalogType() }
        switch descriptor.modifiers {
        case .none: return try plain(descriptor.standard)
        case .fraction: return try datetime(descriptor.standard)
        case .intervalFields: return descriptor.standard
        case .precisionAndScale: return try decimal()
        case .length(let standard, let maximum, let make):
            return make(try length(standard, maximum: maximum, typeName: descriptor.title))
        }
    }

    /// VARCHAR or TEXT without a length: 256 bytes as a column, and as long as its input in a cast.
    package var isVaryingWithoutLength: Bool {
        modifiers.isEmpty && arrayDepth == 0 && TypeDescriptor.named(name)?.family == .varchar
    }

    /// INTERVAL with the fields that it names: the parser lets no others pass.
    private func interval(_ qualifier: IntervalQualifier) throws(SQLError) -> SQLType {
        let first = IntervalFields.Field(rawValue: qualifier.first.rawValue)
        let last = IntervalFields.Field(rawValue: qualifier.last.rawValue)
        guard let first, let last,
            let fields = IntervalFields(first: first, last: last, precision: qualifier.precision ?? 6)
        else { throw invalidModifier() }
        return fields.type
    }

    private func catalogType() throws(SQLError) -> SQLType {
        switch name {
        case "float": return try floating()
        case "bpchar": return .char(try length(256, maximum: SQLType.maximumCharLength, typeName: "character"))
        // Leader-node types of catalog queries, in the nearest type of ours.
        case "oid", "xid", "tid": return try plain(.bigint)
        case "name", "sql_identifier", "character_data", "yes_or_no": return .varchar(128)
        case "cardinal_number": return .integer
        case "abstime", "time_stamp": return .timestamp
        case "int2vector", "oidvector", "aclitem", "anyarray", "cstring": return .varchar(SQLType.maximumVarcharLength)
        case "\"char\"": return .char(1)
        case "geometry", "geography", "bytea", "json", "jsonb", "uuid", "xml", "money", "bit",
            "bit varying", "serial", "bigserial", "regclass", "regproc", "regtype":
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
