/// From and to SUPER. Numbers, booleans and texts have a JSON form; dates and times are their text.
package enum SuperCasts {
    /// Whether values of the type can become SUPER, and SUPER can become them.
    package static func knows(_ family: TypeFamily) -> Bool {
        switch family {
        case .boolean, .integer, .decimal, .float, .char, .varchar, .unknown, .date, .time, .timetz, .timestamp,
            .timestamptz, .semistructured:
            true
        case .bytes, .interval, .yearMonthInterval, .dayTimeInterval, .hllsketch: false
        }
    }

    // MARK: To SUPER

    /// Writes a value that is not NULL.
    package static func append(
        _ value: Datum, _ type: SQLType, to builder: SuperBuilder, _ context: () -> DatetimeContext
    ) throws {
        switch value {
        case .null: builder.null()
        case .string(let bytes) where type.family == .semistructured:
            try bytes.withUnsafeBufferPointer { try builder.value(SuperView($0)) }
        case .string(let bytes):
            guard bytes.count < SuperForm.maximumBytes else { throw SuperForm.tooLong }
            bytes.withUnsafeBufferPointer { builder.string($0) }
        case .double(let number): try append(number, isReal: type == .real, to: builder)
        case .integer(let number):
            switch type.family {
            case .boolean: builder.boolean(number != 0)
            case .integer: builder.integer(Int64(truncatingIfNeeded: number))
            case .decimal: builder.decimal(number, scale: type.scale)
            case .float: try append(Double(number), isReal: type == .real, to: builder)
            default:
                builder.beginString()
                let zone = type == .timestamptz ? context().zone : .utc
                ValueText.append(wide: number, type: type, zone: zone, to: builder.out)
                builder.endString()
            }
        case .interval: throw SQLError(.cannotCoerce, "cannot cast type \(type) to super")
        }
    }

    private static func append(_ value: Double, isReal: Bool, to builder: SuperBuilder) throws {
        guard value.isFinite else {
            throw SQLError(.invalidParameterValue, "NaN and infinity have no form in JSON")
        }
        // The digits that name a REAL, not those of the double that holds it.
        builder.double(isReal ? Double("\(Float(value))") ?? value : value)
    }

    package static func datum(
        _ value: Datum, from: SQLType, _ context: () -> DatetimeContext
    ) throws -> Datum {
        let builder = SuperBuilder()
        try append(value, from, to: builder, context)
        return .string(builder.array)
    }

    // MARK: From SUPER

    /// A scalar as a value of SQL; nil for arrays and objects.
    package static func scalar(_ view: SuperView) throws -> (value: Datum, type: SQLType)? {
        let kind = try view.kind()
        switch kind {
        case .null: return (.null, .unknown)
        case .no, .yes: return (.boolean(kind == .yes), .boolean)
        case .integer: return (.integer(Int128(try view.integer())), .bigint)
        case .decimal:
            let (value, scale) = try view.decimal()
            return (.integer(value), .decimal(precision: 38, scale: scale))
        case .double: return (.double(try view.double()), .double)
        case .string:
            let text = view.text()
            return (.string(Array(text)), .varchar(max(1, min(text.count, SQLType.maximumVarcharLength))))
        case .array, .object: return nil
        }
    }

    /// - Throws: for values that have no form in the type; whoever casts in lax mode makes that NULL.
    package static func datum(
        _ view: SuperView, to type: SQLType, _ context: () -> DatetimeContext
    ) throws -> Datum {
        guard let (value, own) = try scalar(view) else {
            throw SQLError(
                .cannotCoerce, "cannot cast a SUPER \(try view.kind().name) to \(type.nameWithoutModifiers)",
                hint: "JSON_SERIALIZE shows arrays and objects as text.")
        }
        if value.isNull { return .null }
        if case .double(let number) = value, type.isString {
            let text = "\(number)"
            return .string(try StringLength.fitted(Array(text.utf8), type, explicit: false))
        }
        if case .string(let bytes) = value {
            if type.isString { return .string(try StringLength.fitted(bytes, type, explicit: true)) }
            return try Datum.parse(bytes, as: type, context: context())
        }
        guard CastRules.canCast(from: own, to: type, context: .explicit) else {
            throw SQLError(
                .cannotCoerce, "cannot cast a SUPER \(try view.kind().name) to \(type.nameWithoutModifiers)")
        }
        return try value.cast(from: own, to: type, explicit: true, context: context())
    }
}
