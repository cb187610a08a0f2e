import SQLTypes

/// How a column is stored: its physical type, and what that means.
struct ParquetOutputType {
    /// The form in which values are collected.
    enum Form: Hashable {
        case truth
        /// 32 or 64 bits of integers.
        case narrow
        case wide
        case float
        case double
        case string
        /// Decimals of more than 18 digits, in so many bytes.
        case decimalBytes(Int)
        /// TIMETZ and INTERVAL, for which Parquet has no type that readers know.
        case text
    }
    let type: SQLType
    let form: Form

    init(_ type: SQLType) {
        self.type = type
        form =
            switch type {
            case .boolean: .truth
            case .smallint, .integer, .date: .narrow
            case .bigint, .time, .timestamp, .timestamptz: .wide
            case .decimal(let precision, _):
                precision <= 9
                    ? .narrow : precision <= 18 ? .wide : .decimalBytes(ParquetOutputType.bytes(ofDigits: precision))
            case .real: .float
            case .double: .double
            case .char, .varchar, .varbyte, .unknown: .string
            case .timetz, .interval, .yearMonthInterval, .dayTimeInterval, .semistructured, .hllsketch: .text
            }
    }

    var physical: ParquetPhysical {
        switch form {
        case .truth: .boolean
        case .narrow: .int32
        case .wide: .int64
        case .float: .float
        case .double: .double
        case .string, .text: .byteArray
        case .decimalBytes: .fixedByteArray
        }
    }

    /// Collected as strings rather than words.
    var isBytes: Bool {
        switch form {
        case .string, .text, .decimalBytes: true
        case .truth, .narrow, .wide, .float, .double: false
        }
    }

    /// The fewest bytes that hold all numbers of so many digits.
    static func bytes(ofDigits digits: Int) -> Int {
        var bytes = 1
        while bytes < 16, let power = PowersOfTen.power(digits), Int128(1) << Int128(8 * bytes - 1) < power {
            bytes += 1
        }
        return bytes
    }

    /// The SchemaElement.
    func element(_ name: String, _ writer: inout ThriftWriter) {
        writer.element { element in
            element.field(1, int32: physical.rawValue)
            if case .decimalBytes(let bytes) = form { element.field(2, int32: bytes) }
            element.field(3, int32: ParquetNode.Repetition.optional.rawValue)
            element.field(4, binary: Array(name.utf8))
            if let converted { element.field(6, int32: converted) }
            if case .decimal(let precision, let scale) = type {
                element.field(7, int32: scale)
                element.field(8, int32: precision)
            }
            logical(&element)
        }
    }

    /// The ConvertedType, for older readers. Local timestamps have none.
    private var converted: Int? {
        switch type {
        case .char, .varchar, .unknown, .timetz, .interval, .yearMonthInterval, .dayTimeInterval, .semistructured,
            .hllsketch:
            0
        case .decimal: 5
        case .date: 6
        case .time: 8
        case .timestamptz: 10
        case .smallint: 16
        case .boolean, .integer, .bigint, .real, .double, .timestamp, .varbyte: nil
        }
    }

    private func logical(_ element: inout ThriftWriter) {
        switch type {
        case .char, .varchar, .unknown, .timetz, .interval, .yearMonthInterval, .dayTimeInterval, .semistructured,
            .hllsketch:
            element.field(10) { $0.field(1) { _ in } }
        case .decimal(let precision, let scale):
            element.field(10) {
                $0.field(5) {
                    $0.field(1, int32: scale)
                    $0.field(2, int32: precision)
                }
            }
        case .date: element.field(10) { $0.field(6) { _ in } }
        case .time: clock(&element, 7, isUTC: false)
        case .timestamp: clock(&element, 8, isUTC: false)
        case .timestamptz: clock(&element, 8, isUTC: true)
        case .smallint:
            element.field(10) {
                $0.field(10) {
                    $0.field(1, byte: 16)
                    $0.field(2, truth: true)
                }
            }
        case .boolean, .integer, .bigint, .real, .double, .varbyte: break
        }
    }

    private func clock(_ element: inout ThriftWriter, _ number: Int, isUTC: Bool) {
        element.field(10) {
            $0.field(number) {
                $0.field(1, truth: isUTC)
                $0.field(2) { $0.field(ParquetUnit.micros.rawValue) { _ in } }
            }
        }
    }
}
