import ColumnStore
import ColumnVectors
import SQLTypes

/// A value of every row of a batch, as known when a pipeline is compiled. Bounds and dictionaries come from zone maps
/// and from finished build sides, so the physical type is often much narrower than the SQL type.
struct Register {
    let index: Int
    let physical: PhysicalType
    let type: SQLType
    /// Proved bounds of non-NULL values, for every integer form; of the codes when there is a dictionary.
    let lower: Int128
    let upper: Int128
    /// False: no row is NULL.
    let nullable: Bool
    /// When set, values are codes of this ordered dictionary and `physical` is uint8 or uint16.
    let dictionary: TextDictionary?
    /// False: no value ends in a blank, so strings may be compared and hashed as plain bytes.
    let trailingBlanks: Bool
    /// The one value of all rows.
    let constant: Datum?

    init(
        index: Int, physical: PhysicalType, type: SQLType, lower: Int128, upper: Int128, nullable: Bool,
        dictionary: TextDictionary?, trailingBlanks: Bool, constant: Datum?
    ) {
        self.index = index
        self.physical = physical
        self.type = type
        // Whoever looks for the bounds of no values finds none between them: any bounds are true of these.
        self.lower = lower <= upper ? lower : 0
        self.upper = lower <= upper ? upper : 0
        self.nullable = nullable
        self.dictionary = dictionary
        // All bytes of binary values count.
        self.trailingBlanks = trailingBlanks && !type.family.isBinaryString
        self.constant = constant
    }

    /// How many values the bounds allow; nil when that leaves 64 bits or nothing is known.
    var domainCount: Int? {
        let (span, overflow) = upper.subtractingReportingOverflow(lower)
        return overflow || span < 0 || span >= Int128(Int64.max) ? nil : Int(span) + 1
    }
    var isConstant: Bool { constant != nil }
    var isInteger: Bool { physical.isInteger && dictionary == nil }
}

/// A register's form that the step was not compiled for: a fault of the compiler, said instead of reading memory
/// wrongly.
func unexpectedForm(_ register: Register) -> SQLError {
    SQLError(.internalError, "a step cannot read \(register.physical) values of \(register.type)")
}

extension PhysicalType {
    /// The narrowest form that holds all values between the bounds.
    static func narrowest(_ lower: Int128, _ upper: Int128) -> PhysicalType {
        if lower >= 0 && upper <= 0xff { return .uint8 }
        if lower >= 0 && upper <= 0xffff { return .uint16 }
        if lower >= Int128(Int32.min) && upper <= Int128(Int32.max) { return .int32 }
        if lower >= Int128(Int64.min) && upper <= Int128(Int64.max) { return .int64 }
        return .int128
    }
    var bounds: (lower: Int128, upper: Int128) {
        switch self {
        case .uint8: (0, 0xff)
        case .uint16: (0, 0xffff)
        case .int32: (Int128(Int32.min), Int128(Int32.max))
        case .int64: (Int128(Int64.min), Int128(Int64.max))
        case .int128, .float64, .string: (Int128.min, Int128.max)
        }
    }
}
