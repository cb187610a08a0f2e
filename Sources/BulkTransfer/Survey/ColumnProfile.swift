import SQLTypes

/// What the texts of one column have in common: which types take all of them, how long they are.
struct ColumnProfile: Sendable {
    struct Kinds: OptionSet, Sendable {
        let rawValue: UInt8
        static let integer = Kinds(rawValue: 1)
        /// Integers and numbers with a point.
        static let decimal = Kinds(rawValue: 2)
        static let double = Kinds(rawValue: 4)
        static let boolean = Kinds(rawValue: 8)
        static let date = Kinds(rawValue: 16)
        static let timestamp = Kinds(rawValue: 32)
        static let instant = Kinds(rawValue: 64)
        static let all: Kinds = [.integer, .decimal, .double, .boolean, .date, .timestamp, .instant]
    }
    enum DateForm: UInt8, Sendable, CaseIterable {
        case standard, monthFirst, dayFirst, dayFirstWithPoints

        /// Of DATEFORMAT.
        var option: String? {
            switch self {
            case .standard: nil
            case .monthFirst: "MM/DD/YYYY"
            case .dayFirst: "DD/MM/YYYY"
            case .dayFirstWithPoints: "DD.MM.YYYY"
            }
        }
    }

    private var kinds = Kinds.all
    /// Texts that are neither empty nor stand for NULL.
    private var values = 0
    private var longestBytes = 0
    private var largest: Int128 = 0
    private var smallest: Int128 = 0
    private var integerDigits = 0
    private var scale = 0
    private var dateForms = Set(DateForm.allCases)
    private(set) var needsAutomaticTimes = false
    private var marks: [String: Int] = [:]

    /// What stands for NULL in files of all kinds.
    private static let nullMarks: Set<String> = ["NULL", "null", "Null", "NA", "N/A", "n/a", "None", "nan", "NaN", "-"]
    private static let booleans: Set<String> = ["t", "f", "true", "false", "yes", "no", "y", "n"]

    // MARK: Reading

    /// - Parameter infers: false: only its length counts.
    mutating func add(_ text: UnsafeBufferPointer<UInt8>, infers: Bool) {
        longestBytes = max(longestBytes, text.count)
        if !infers || text.isEmpty { return }
        if text.count <= 4 {
            let word = String(decoding: text, as: UTF8.self)
            if ColumnProfile.nullMarks.contains(word) {
                marks[word, default: 0] += 1
                return
            }
        }
        values += 1
        if kinds.isEmpty { return }
        if !kinds.isDisjoint(with: [.integer, .decimal, .double]) { addNumber(text) }
        if kinds.contains(.boolean) {
            let word = text.count <= 5 ? String(decoding: text, as: UTF8.self).lowercased() : ""
            if !ColumnProfile.booleans.contains(word) { kinds.remove(.boolean) }
        }
        if !kinds.isDisjoint(with: [.date, .timestamp, .instant]) { addMoment(text) }
    }

    private mutating func addNumber(_ text: UnsafeBufferPointer<UInt8>) {
        guard let number = NumberShape(text) else { return kinds.subtract([.integer, .decimal, .double]) }
        // 007 is no number but a code.
        if number.hasLeadingZero { return kinds.subtract([.integer, .decimal, .double]) }
        if number.isFloating { return kinds.subtract([.integer, .decimal]) }
        if number.scale > 0 { kinds.remove(.integer) }
        integerDigits = max(integerDigits, number.integerDigits)
        scale = max(scale, number.scale)
        if integerDigits + scale > 38 { return kinds.subtract([.integer, .decimal]) }
        if kinds.contains(.integer), let value = number.value {
            largest = max(largest, value)
            smallest = min(smallest, value)
        }
    }

    private mutating func addMoment(_ text: UnsafeBufferPointer<UInt8>) {
        let moment = MomentShape(text)
        if kinds.contains(.date) {
            dateForms.formIntersection(moment.dateForms)
            if dateForms.isEmpty { kinds.remove(.date) }
        }
        if !moment.isTimestamp { kinds.remove(.timestamp) }
        if !moment.isInstant { kinds.remove(.instant) }
        if moment.needsAutomatic { needsAutomaticTimes = true }
    }

    mutating func merge(_ other: ColumnProfile) {
        kinds.formIntersection(other.kinds)
        values += other.values
        longestBytes = max(longestBytes, other.longestBytes)
        largest = max(largest, other.largest)
        smallest = min(smallest, other.smallest)
        integerDigits = max(integerDigits, other.integerDigits)
        scale = max(scale, other.scale)
        dateForms.formIntersection(other.dateForms)
        needsAutomaticTimes = needsAutomaticTimes || other.needsAutomaticTimes
        marks.merge(other.marks) { $0 + $1 }
    }

    // MARK: What it comes to

    /// nil: any form.
    var dateForm: DateForm? { DateForm.allCases.first { dateForms.contains($0) } }

    /// Marks of NULL among values that are no text.
    func nullMarks(_ isWhole: Bool) -> Set<String> {
        if values == 0 || kinds.isEmpty { return [] }
        // Floating-point columns have a NaN of their own.
        let isFloating = kinds.contains(.double) && !kinds.contains(.decimal)
        return Set(marks.keys.filter { !isFloating || $0.lowercased() != "nan" })
    }

    /// - Parameter nullMark: the one text that the statement will take for NULL.
    func type(named name: String, isWhole: Bool, nullMark: String?) -> SQLType {
        let others = marks.keys.filter { $0 != nullMark && !($0.lowercased() == "nan" && kinds.contains(.double)) }
        if values == 0 || kinds.isEmpty || !others.isEmpty || ColumnProfile.isCode(name) && kinds.contains(.integer) {
            return textType(isWhole: isWhole)
        }
        if kinds.contains(.boolean) { return .boolean }
        if kinds.contains(.integer) { return integerType(isWhole: isWhole) }
        if kinds.contains(.decimal) {
            if scale <= 10, integerDigits + 2 + scale <= 38 {
                return .decimal(precision: integerDigits + 2 + scale <= 18 ? 18 : 38, scale: scale)
            }
            return .double
        }
        if kinds.contains(.double) { return .double }
        if kinds.contains(.date) { return .date }
        if kinds.contains(.timestamp) { return .timestamp }
        return kinds.contains(.instant) ? .timestamptz : textType(isWhole: isWhole)
    }

    private func integerType(isWhole: Bool) -> SQLType {
        func fits<Value: FixedWidthInteger>(_ type: Value.Type) -> Bool {
            smallest >= Int128(Value.min) && largest <= Int128(Value.max)
        }
        if fits(Int16.self) && isWhole { return .smallint }
        if fits(Int32.self) { return .integer }
        return fits(Int64.self) ? .bigint : .decimal(precision: 38, scale: 0)
    }

    /// Room for what has not been seen yet.
    func textType(isWhole: Bool) -> SQLType {
        let wanted = isWhole ? longestBytes + longestBytes / 5 : max(longestBytes * 2, 64)
        let widths = (3...15).map { 1 << $0 }
        return .varchar(widths.first { $0 >= wanted } ?? SQLType.maximumVarcharLength)
    }

    private static let codes: Set<String> = [
        "zip", "zipcode", "zip_code", "postcode", "post_code", "postal_code", "postalcode", "phone", "phone_number",
        "fax", "mobile", "isbn", "ean", "iban", "ssn",
    ]
    /// Digits that nobody calculates with.
    private static func isCode(_ name: String) -> Bool { codes.contains(name) }
}
