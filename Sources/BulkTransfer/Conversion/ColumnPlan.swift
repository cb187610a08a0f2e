import Catalog
import SQLTypes

/// How the fields of one table column are converted: everything that does not change during a load.
struct ColumnPlan {
    enum Kind {
        case integer(lowest: Int64, highest: Int64)
        case decimal(precision: Int, scale: Int, wide: Bool)
        case float(real: Bool)
        case boolean
        /// With the limit in bytes.
        case char(Int)
        case varchar(Int)
        /// Hexadecimal digits of at most so many bytes.
        case bytes(Int)
        /// JSON text.
        case document
        /// The text of HLLSKETCH.
        case sketch
        case date
        case timestamp(withZone: Bool)
        case time(withZone: Bool)
        case interval(IntervalFields)
    }
    let tableIndex: Int
    let name: String
    let type: SQLType
    let kind: Kind
    let notNull: Bool
    let isIdentity: Bool
    let strings: StringRules

    init(_ column: ColumnDefinition, tableIndex: Int, options: CopyOptions) throws {
        self.tableIndex = tableIndex
        name = column.name
        type = column.type
        notNull = column.notNull || column.identity != nil
        isIdentity = column.identity != nil
        kind = try ColumnPlan.kind(column.type)
        switch (kind, options.layout) {
        case (.document, .avro), (.document, .orc), (.document, .parquet):
            throw SQLError(
                .featureNotSupported, "COPY from this format into SUPER is not supported (column \"\(column.name)\")",
                hint: "SUPER is loaded from JSON and from delimited text.")
        case (.sketch, .avro), (.sketch, .orc), (.sketch, .parquet), (.sketch, .json):
            throw SQLError(
                .featureNotSupported,
                "COPY from this format into HLLSKETCH is not supported (column \"\(column.name)\")",
                hint: "Sketches are loaded from delimited text and CSV.")
        default: break
        }
        var prefix: UInt32 = 0
        for (index, byte) in options.nullAs.prefix(4).enumerated() { prefix |= UInt32(byte) << UInt32(8 * index) }
        var rules = StringRules(
            maximumBytes: .max, nullCount: options.nullAs.count, nullPrefix: prefix,
            emptyIsOdd: options.emptyAsNull || options.nullAs.isEmpty,
            blankIsOdd: options.blanksAsNull || options.trimBlanks)
        switch kind {
        case .char(let length):
            rules.maximumBytes = length
            rules.blankIsOdd = true
        case .varchar(let length): rules.maximumBytes = length
        default: break
        }
        strings = rules
    }

    private static func kind(_ type: SQLType) throws -> Kind {
        switch type {
        case .boolean: .boolean
        case .smallint: .integer(lowest: Int64(Int16.min), highest: Int64(Int16.max))
        case .integer: .integer(lowest: Int64(Int32.min), highest: Int64(Int32.max))
        case .bigint: .integer(lowest: .min, highest: .max)
        case .decimal(let precision, let scale):
            .decimal(precision: precision, scale: scale, wide: type.physical == .int128)
        case .real: .float(real: true)
        case .double: .float(real: false)
        case .char(let length): .char(length)
        case .varchar(let length): .varchar(length)
        case .varbyte(let length): .bytes(length)
        case .semistructured: .document
        case .hllsketch: .sketch
        case .date: .date
        case .timestamp: .timestamp(withZone: false)
        case .timestamptz: .timestamp(withZone: true)
        case .time: .time(withZone: false)
        case .timetz: .time(withZone: true)
        case .yearMonthInterval(let fields), .dayTimeInterval(let fields): .interval(fields)
        case .interval, .unknown:
            throw SQLError(.featureNotSupported, "COPY cannot load columns of type \(type)")
        }
    }

    /// As STL_LOAD_ERRORS names types, and as reasons such as "Invalid digit, Value 'a', Pos 0, Type: Integer" do.
    var typeLabel: String { type.descriptor.loadName }
    var reasonLabel: String { type.descriptor.reasonName }

    var lengthLabel: String {
        if type.isDecimal { return "\(type.modifierPair.first), \(type.modifierPair.second)" }
        return "\(type.length ?? 0)"
    }
}
