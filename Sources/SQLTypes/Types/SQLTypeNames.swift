extension SQLType: CustomStringConvertible {
    /// What the type is made of: all that is not a value's business.
    package var descriptor: TypeDescriptor {
        switch self {
        case .boolean: .boolean
        case .smallint: .smallint
        case .integer: .integer
        case .bigint: .bigint
        case .decimal: .decimal
        case .real: .real
        case .double: .double
        case .char: .char
        case .varchar: .varchar
        case .varbyte: .varbyte
        case .semistructured: .semistructured
        case .hllsketch: .hllsketch
        case .date: .date
        case .time: .time
        case .timetz: .timetz
        case .timestamp: .timestamp
        case .timestamptz: .timestamptz
        case .interval: .interval
        case .yearMonthInterval: .yearMonthInterval
        case .dayTimeInterval: .dayTimeInterval
        case .unknown: .unknown
        }
    }
    package var family: TypeFamily { descriptor.family }

    /// The name in messages and catalogs, as Redshift's `format_type` gives it.
    public var description: String {
        if let intervalFields { return "interval " + intervalFields.text }
        return descriptor.title + modifierText
    }
    /// The name without length, precision and scale: for "function f(character varying) does not exist".
    public var nameWithoutModifiers: String { descriptor.title }
    /// How DDL spells the type.
    public var sqlName: String {
        intervalFields == nil ? descriptor.keyword + modifierText : description.uppercased()
    }

    private var modifierText: String {
        switch descriptor.modifiers {
        case .none, .fraction, .intervalFields: ""
        case .precisionAndScale: "(\(modifierPair.first),\(modifierPair.second))"
        case .length: "(\(modifierPair.first))"
        }
    }
}

// MARK: Modifiers as numbers

extension SQLType {
    /// Length, or precision and scale; zeros without.
    package var modifierPair: (first: Int, second: Int) {
        switch self {
        case .decimal(let precision, let scale): (precision, scale)
        case .char(let length), .varchar(let length), .varbyte(let length): (length, 0)
        case .yearMonthInterval(let fields), .dayTimeInterval(let fields): (fields.packed, Int(fields.precision))
        default: (0, 0)
        }
    }
    /// The length in bytes of types that have one.
    package var length: Int? {
        if case .length = descriptor.modifiers { modifierPair.first } else { nil }
    }
    /// `atttypmod`: -1 without.
    package var catalogModifier: Int {
        switch descriptor.modifiers {
        case .none, .fraction: -1
        case .intervalFields:
            intervalFields?.isWhole ?? true ? -1 : (modifierPair.first << 16 | modifierPair.second) + 4
        case .precisionAndScale: (modifierPair.first << 16 | modifierPair.second) + 4
        case .length: modifierPair.first + 4
        }
    }

    /// The most bytes that a value's text takes; the length of VARCHAR results made from it.
    package var textLength: Int {
        if let bytes = descriptor.textBytes { return bytes }
        switch family {
        case .decimal: return modifierPair.first + 3
        case .bytes: return min(2 * modifierPair.first, SQLType.maximumVarcharLength)
        default: return modifierPair.first
        }
    }

    /// Bytes of a value when no statistics say better.
    package var estimatedWidth: Double {
        if let bytes = descriptor.usualBytes { return bytes }
        switch family {
        case .decimal: return modifierPair.first <= 18 ? 8 : 16
        case .char: return Double(modifierPair.first)
        default: return Double(min(modifierPair.first, 64)) / 2
        }
    }

    /// Bounds that every value of the type respects: what results are checked against.
    package var valueBounds: (lower: Int128, upper: Int128) {
        if let range = descriptor.range { return (range.lowerBound, range.upperBound) }
        if case .decimal(let precision, _) = self { return DecimalArithmetic.range(precision: precision) }
        return (Int128.min, Int128.max)
    }
}

extension TypeDescriptor {
    /// The type with these modifiers as ``SQLType/modifierPair`` gives them; nil where they are out of range.
    package func type(_ first: Int, _ second: Int) -> SQLType? {
        switch modifiers {
        case .none, .fraction: return standard
        case .intervalFields:
            let type = IntervalFields(packed: first, precision: second)?.type
            return type?.family == family ? type : nil
        case .precisionAndScale:
            let isValid = (1...SQLType.maximumPrecision).contains(first) && (0...first).contains(second)
            return isValid ? .decimal(precision: first, scale: second) : nil
        case .length(_, let maximum, let make):
            // Types of results may be longer than what a column may be.
            return (0...max(maximum, SQLType.maximumVarcharLength)).contains(first) ? make(first) : nil
        }
    }

    /// The type of a column that a client is told of by oid and `atttypmod`.
    package func type(catalogModifier: Int) -> SQLType {
        let packed = catalogModifier - 4
        if packed < 0 { return standard }
        switch modifiers {
        case .none, .fraction: return standard
        case .precisionAndScale, .intervalFields: return type(packed >> 16 & 0xFFFF, packed & 0xFFFF) ?? standard
        case .length: return type(packed, 0) ?? standard
        }
    }
}
