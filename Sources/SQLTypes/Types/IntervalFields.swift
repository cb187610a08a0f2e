/// What INTERVAL YEAR TO MONTH and INTERVAL DAY TO SECOND name: the largest and the smallest field that a value has,
/// and how many digits its seconds have behind the point.
public struct IntervalFields: Hashable, Sendable {
    public enum Field: UInt8, Sendable, Hashable, CaseIterable {
        case year, month, day, hour, minute, second

        var part: DatePart {
            switch self {
            case .year: .year
            case .month: .month
            case .day: .day
            case .hour: .hour
            case .minute: .minute
            case .second: .second
            }
        }
    }

    public let first: Field
    public let last: Field
    /// Of seconds, 0 ... 6.
    public let precision: UInt8

    /// nil for fields that no type has together.
    public init?(first: Field, last: Field, precision: Int = 6) {
        guard first.rawValue <= last.rawValue, (first.rawValue < 2) == (last.rawValue < 2), (0...6).contains(precision)
        else { return nil }
        self.init(first, last, UInt8(precision))
    }

    private init(_ first: Field, _ last: Field, _ precision: UInt8) {
        self.first = first
        self.last = last
        self.precision = precision
    }

    public static let yearToMonth = IntervalFields(.year, .month, 6)
    public static let dayToSecond = IntervalFields(.day, .second, 6)

    /// Months are counted, otherwise microseconds.
    public var isMonths: Bool { first.rawValue < 2 }
    /// Nothing is cut off.
    public var isWhole: Bool { self == .yearToMonth || self == .dayToSecond }

    public var type: SQLType { isMonths ? .yearMonthInterval(self) : .dayTimeInterval(self) }

    /// As numbers, for stored types and `atttypmod`.
    var packed: Int { Int(first.rawValue) << 4 | Int(last.rawValue) }
    init?(packed: Int, precision: Int) {
        guard (0...0xFF).contains(packed), let first = Field(rawValue: UInt8(packed >> 4)),
            let last = Field(rawValue: UInt8(packed & 0xF))
        else { return nil }
        self.init(first: first, last: last, precision: precision)
    }

    /// `year to month`, `hour to second(3)`.
    var text: String {
        let digits = last == .second && precision < 6 ? "(\(precision))" : ""
        return (first == last ? "\(first)" : "\(first) to \(last)") + digits
    }

    private var qualifier: IntervalQualifier {
        IntervalQualifier(from: first.part, to: last.part, precision: Int(precision))
    }

    // MARK: Values

    /// The number of months or microseconds that an interval is, cut to the fields.
    ///
    /// - Parameter cutting: leave out what the other kind of interval would hold; otherwise that is an error.
    public func value(of interval: Interval, cutting: Bool) throws -> Int64 {
        if !cutting, isMonths ? interval.microseconds != 0 : interval.months != 0 {
            throw SQLError(.invalidDatetimeFormat, "the interval has fields that are no part of \(type)")
        }
        let cut = qualifier.truncated(interval)
        guard isMonths else { return cut.microseconds }
        guard let months = Int32(exactly: cut.months) else { throw Calendar.intervalOutOfRange }
        return Int64(months)
    }

    /// The other way.
    public func interval(_ value: Int64) -> Interval {
        isMonths ? Interval(months: value, microseconds: 0) : Interval(months: 0, microseconds: value)
    }

    public func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws -> Int64 {
        let interval = try IntervalText.read(bytes, count, qualifier: qualifier)
        if isMonths ? interval.microseconds != 0 : interval.months != 0 {
            throw SQLError(
                .invalidDatetimeFormat,
                "invalid input syntax for type \(type.nameWithoutModifiers): \(TextInput.quoted(bytes, count))")
        }
        return try value(of: interval, cutting: true)
    }
}

extension SQLType {
    /// Of INTERVAL YEAR TO MONTH and INTERVAL DAY TO SECOND; nil for other types, also for intervals of both kinds.
    public var intervalFields: IntervalFields? {
        switch self {
        case .yearMonthInterval(let fields), .dayTimeInterval(let fields): fields
        default: nil
        }
    }
    public var isInterval: Bool { self == .interval || intervalFields != nil }
}
