import ColumnVectors
import SQLTypes

/// How the values of one result column become bytes: plain data for the row loop.
struct ColumnEncoder {
    enum Form: UInt8 {
        case booleanText, integerText, otherText, wideText, floatText
        case string, paddedString, hexadecimal, document, sketch
        case booleanBinary, int16Binary, int32Binary, int64Binary, float32Binary, float64Binary
        /// Redshift's own: the unscaled value in 8 or 16 bytes.
        case numericInteger
        case arrayBinary
        case numericBinary, dateBinary, timestampBinary, timeZoneBinary, intervalBinary
    }
    var form: Form
    var physical: PhysicalType
    var type: SQLType
    var values: UnsafeRawPointer
    var validity: UnsafePointer<UInt8>?
    /// Length of a padded string.
    var length = 0
    /// `pg_type`'s oid of an array.
    var array: Int32 = 0

    init(
        _ column: ColumnBuffer, type: SQLType, isBinary: Bool, array: Int32 = 0,
        version: ProtocolVersion = .base
    ) {
        self.type = type
        physical = column.physical
        values = UnsafeRawPointer(column.values)
        validity = column.validity.map { UnsafePointer($0) }
        form = isBinary ? ColumnEncoder.binaryForm(type) : ColumnEncoder.textForm(type, column.physical)
        if case .char(let length) = type { self.length = length }
        guard isBinary else { return }
        if form == .numericBinary && version >= .binary { form = .numericInteger }
        if form == .string && array != 0 {
            form = .arrayBinary
            self.array = array
        }
    }

    private static func textForm(_ type: SQLType, _ physical: PhysicalType) -> Form {
        switch type.family {
        case .boolean: .booleanText
        case .integer: .integerText
        case .float: .floatText
        case .char: .paddedString
        case .varchar, .unknown: .string
        case .bytes: .hexadecimal
        case .semistructured: .document
        case .hllsketch: .sketch
        case .interval: .wideText
        default: physical == .int128 ? .wideText : .otherText
        }
    }

    private static func binaryForm(_ type: SQLType) -> Form {
        switch type.descriptor.binary {
        case .boolean: .booleanBinary
        case .int16: .int16Binary
        case .int32: .int32Binary
        case .int64, .time: .int64Binary
        case .numeric: .numericBinary
        case .float32: .float32Binary
        case .float64: .float64Binary
        case .paddedText: .paddedString
        case .text, .bytes: .string
        case .document: .document
        case .sketch: .sketch
        case .date: .dateBinary
        case .timestamp: .timestampBinary
        case .timeWithZone: .timeZoneBinary
        case .interval: .intervalBinary
        }
    }
}

/// What text output depends on.
struct TextStyle {
    var zone = ZoneRules.utc
    var intervals = IntervalStyle.postgres
    var extraDigits = 0
}
