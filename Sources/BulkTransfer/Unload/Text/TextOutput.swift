import ColumnVectors
import SQLTypes

/// Files of text whose rows stand for themselves: delimited, CSV, fixed-width, JSON lines.
struct TextOutput: RecordOutputFormat {
    enum Layout: Sendable, Hashable {
        case delimited
        case csv
        /// A width in characters for each column.
        case fixedWidth([Int])
        case json
    }
    var layout: Layout
    var delimiter: UInt8
    /// Double quotes around every field.
    var addQuotes = false
    /// A backslash before what COPY with ESCAPE would take for something else.
    var escape = false
    var header = false
    /// What stands for NULL; nil for the layout's own.
    var nullAs: [UInt8]?
    var style = ValueStyle()

    var fileSuffix: String { "" }
    var compressesInside: Bool { false }

    init(_ layout: Layout, delimiter: UInt8 = UInt8(ascii: "|"), style: ValueStyle = ValueStyle()) {
        self.layout = layout
        self.delimiter = delimiter
        self.style = style
    }

    init(_ options: UnloadOptions, style: ValueStyle) {
        let layout: Layout =
            switch options.format {
            case .csv: .csv
            case .json: .json
            case .text, .parquet: options.fixedFields.map { .fixedWidth($0.map(\.width)) } ?? .delimited
            }
        self.init(layout, delimiter: options.delimiter, style: style)
        addQuotes = options.addQuotes
        escape = options.escape
        header = options.header
        nullAs = options.nullAs
    }

    func check(_ columns: [OutputColumn]) throws {
        switch layout {
        case .fixedWidth(let widths):
            guard widths.count != columns.count else { return }
            throw SQLError(
                .invalidParameterValue,
                "FIXEDWIDTH describes \(widths.count) fields, but the query returns \(columns.count) columns")
        case .json:
            var names: Set<String> = []
            for column in columns where !names.insert(column.name).inserted {
                throw SQLError(
                    .duplicateColumn, "column \"\(column.name)\" is specified more than once",
                    hint: "In JSON the name of each column must be unique: use AS.")
            }
        case .delimited, .csv: return
        }
    }

    func makeWriter(_ columns: [OutputColumn], to target: any ByteTarget) throws -> any RecordWriter {
        try check(columns)
        return try TextRecordWriter(self, columns, target)
    }

    /// How the texts of a column's values are dressed.
    func dressing(_ column: OutputColumn, at index: Int) -> FieldDressing {
        switch layout {
        case .csv:
            // Numbers and times have neither quotes nor line ends, and hardly a delimiter.
            let isSafe = !column.type.showsAnyText && FieldDressing.isNeverInValues(delimiter)
            return isSafe && nullAs == nil ? .none : .csv(delimiter: delimiter, null: nullAs ?? [])
        case .json: return column.type.isBareInJSON ? .none : .json(isNumber: column.type.isFloat)
        case .fixedWidth(let widths): return .padded(width: widths[index], name: column.name)
        case .delimited:
            let escape: FieldDressing.Escapes =
                !self.escape || !column.type.showsAnyText
                ? .none : .backslash(delimiter: delimiter, quotes: addQuotes)
            if addQuotes { return .quoted(escape) }
            return escape == .none ? .none : .escaped(escape)
        }
    }

    /// What stands for NULL in a column.
    func null(_ column: OutputColumn, at index: Int) -> NullText {
        switch layout {
        case .json: return .text(Array("null".utf8))
        case .delimited, .csv: return .text(nullAs ?? [])
        case .fixedWidth(let widths):
            let blanks = [UInt8](repeating: 0x20, count: widths[index])
            guard let text = nullAs else { return .text(blanks) }
            let missing = widths[index] - FieldDressing.characters(text)
            if missing >= 0 { return .text(text + blanks.prefix(missing)) }
            return column.type.showsAnyText ? .tooLong : .text(blanks)
        }
    }

    enum NullText {
        case text([UInt8])
        /// An error if there is a NULL.
        case tooLong
    }
}

/// What the texts of values depend on beside their types.
package struct ValueStyle: Sendable {
    package var zone: ZoneRules
    /// `extra_float_digits`.
    package var extraDigits: Int
    package var intervals: IntervalStyle
    package init(zone: ZoneRules = .utc, intervals: IntervalStyle = .postgres, extraDigits: Int = 0) {
        self.zone = zone
        self.intervals = intervals
        self.extraDigits = extraDigits
    }
}

extension SQLType {
    /// Their texts are JSON as they are.
    var isBareInJSON: Bool { isInteger || isDecimal || self == .semistructured }
    /// Their texts may hold quotes, delimiters and line ends.
    var showsAnyText: Bool { isString || self == .semistructured || self == .hllsketch }
}
