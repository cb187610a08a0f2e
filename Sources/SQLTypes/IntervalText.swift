/// The fields that an interval literal or column names: `DAY`, `HOUR TO SECOND(3)`, `YEAR TO MONTH`.
public struct IntervalQualifier: Hashable, Sendable {
    /// year, month, day, hour, minute or second.
    public var from: DatePart
    /// The smallest unit; what is finer is cut.
    public var to: DatePart
    /// Digits of fractional seconds, 0 ... 6.
    public var precision: Int?
    public init(from: DatePart, to: DatePart, precision: Int? = nil) {
        self.from = from
        self.to = to
        self.precision = precision
    }

    /// The interval without what is smaller than the named units.
    public func truncated(_ interval: Interval) -> Interval {
        var result = interval
        switch to {
        case .year: result = Interval(months: interval.months / 12 * 12, microseconds: 0)
        case .month: result.microseconds = 0
        case .second:
            var unit: Int64 = 1
            for _ in 0..<(6 - min(max(precision ?? 6, 0), 6)) { unit *= 10 }
            result.microseconds = interval.microseconds / unit * unit
        default:
            let unit = to.microseconds ?? 1
            result.microseconds = interval.microseconds / unit * unit
        }
        return result
    }
}

/// INTERVAL as text.
public enum IntervalText {
    public static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, qualifier: IntervalQualifier? = nil
    ) throws -> Interval {
        let interval = try read(bytes, count, qualifier: qualifier)
        return qualifier?.truncated(interval) ?? interval
    }

    /// With everything that the text says; the qualifier tells what bare numbers count.
    static func read(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, qualifier: IntervalQualifier?
    ) throws -> Interval {
        do {
            return try IntervalReader.read(bytes, count, qualifier)
        } catch .syntax {
            throw SQLError(
                .invalidDatetimeFormat, "invalid input syntax for type interval: \(TextInput.quoted(bytes, count))")
        } catch .range {
            throw SQLError(.datetimeOverflow, "interval field value out of range: \(TextInput.quoted(bytes, count))")
        }
    }

    /// Whether the text names years and months alone, however many: such a literal moves a date to a date.
    package static func namesMonths(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, qualifier: IntervalQualifier? = nil
    ) -> Bool {
        if let qualifier, qualifier.to == .year || qualifier.to == .month { return true }
        do {
            return try IntervalReader.reader(bytes, count, qualifier).namesMonths
        } catch {
            return false
        }
    }

    /// PostgreSQL's style: `1 year 2 mons 3 days 04:05:06`.
    public static func append(_ value: Interval, to buffer: TextBuffer) {
        let start = buffer.count
        var negative = false
        func field(_ amount: Int64, _ unit: StaticString) {
            if amount == 0 { return }
            if buffer.count > start { buffer.append(0x20) }
            if negative && amount > 0 { buffer.append(0x2B) }
            IntegerText.append(amount, to: buffer)
            buffer.append(0x20)
            buffer.append(unit)
            if amount != 1 { buffer.append(0x73) }
            negative = amount < 0
        }
        field(value.months / 12, "year")
        field(value.months % 12, "mon")
        field(value.microseconds / Calendar.microsecondsPerDay, "day")
        let time = value.microseconds % Calendar.microsecondsPerDay
        if time == 0 && buffer.count > start { return }
        if buffer.count > start { buffer.append(0x20) }
        if time < 0 { buffer.append(0x2D) } else if negative { buffer.append(0x2B) }
        DatetimeText.appendTime(Int64(time.magnitude), to: buffer)
    }
}

/// Reads interval input: amounts with units, `HH:MM:SS`, `Y-M`, and ISO 8601's `P` form.
struct IntervalReader {
    enum Failure: Error { case syntax, range }
    /// An amount with up to six digits after the point, as whole and millionths of the same sign.
    private struct Amount {
        var whole: Int64
        var millionths: Int64
    }

    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private let qualifier: IntervalQualifier?
    private var index = 0
    private var months: Int64 = 0
    private var microseconds: Int64 = 0
    private var found = false
    private(set) var namesMonths = true

    static func read(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ qualifier: IntervalQualifier?
    ) throws(Failure) -> Interval {
        let reader = try reader(bytes, count, qualifier)
        return Interval(months: reader.months, microseconds: reader.microseconds)
    }

    /// At the end of the text.
    static func reader(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ qualifier: IntervalQualifier?
    ) throws(Failure) -> IntervalReader {
        let (start, end) = TextInput.trimmed(bytes, count)
        guard end - start <= 256 else { throw .syntax }
        var reader = IntervalReader(bytes: bytes + start, count: end - start, qualifier: qualifier)
        if reader.current == 0x50 { try reader.readISO() } else { try reader.readWords() }
        guard reader.found else { throw .syntax }
        guard Int32(exactly: reader.months) != nil else { throw .range }
        return reader
    }

    private init(bytes: UnsafePointer<UInt8>, count: Int, qualifier: IntervalQualifier?) {
        self.bytes = bytes
        self.count = count
        self.qualifier = qualifier
    }

    private var current: UInt8 { index < count ? bytes[index] : 0 }
    private mutating func skipBlanks() {
        while index < count && (TextInput.isBlank(bytes[index]) || bytes[index] == 0x2C) { index += 1 }
    }

    private mutating func readWords() throws(Failure) {
        skipBlanks()
        if current == 0x40 { index += 1 }
        while true {
            skipBlanks()
            guard index < count else { return }
            if TextInput.isLetter(current) {
                guard word() == "ago", found else { throw .syntax }
                (months, microseconds) = (0 &- months, 0 &- microseconds)
                continue
            }
            var negative = false
            if current == 0x2D || current == 0x2B {
                negative = current == 0x2D
                index += 1
            }
            let amount = try readAmount(negative)
            if current == 0x3A {
                try readClock(amount, negative)
            } else if current == 0x2D && amount.millionths == 0 && index + 1 < count
                && TextInput.isDigit(bytes[index + 1])
            {
                index += 1
                let rest = try readAmount(negative)
                try add(amount, .year)
                try add(rest, .month)
            } else {
                skipBlanks()
                try add(amount, try unit())
            }
        }
    }

    /// The unit behind an amount; without one the qualifier's smallest, or days when a time follows, or seconds.
    private mutating func unit() throws(Failure) -> DatePart {
        if TextInput.isLetter(current) {
            let start = index
            let name = word()
            if name == "ago" {
                index = start
            } else if let part = DatePart(name: name), part.months != nil || part.microseconds != nil {
                return part
            } else {
                throw .syntax
            }
        }
        if index < count && (TextInput.isDigit(current) || current == 0x2D || current == 0x2B) { return .day }
        return qualifier?.to ?? .second
    }

    private mutating func word() -> String {
        let start = index
        while TextInput.isLetter(current) { index += 1 }
        let letters = UnsafeBufferPointer(start: bytes + start, count: index - start)
        return String(decoding: letters, as: UTF8.self).lowercased()
    }

    private mutating func readAmount(_ negative: Bool) throws(Failure) -> Amount {
        var whole: Int64 = 0
        var millionths: Int64 = 0
        let start = index
        while TextInput.isDigit(current) {
            let (product, overflow) = whole.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(Int64(current - 48))
            if overflow || carry { throw .range }
            whole = sum
            index += 1
        }
        var digits = index - start
        if current == 0x2E {
            index += 1
            var place: Int64 = 100_000
            while TextInput.isDigit(current) {
                millionths += Int64(current - 48) * place
                place /= 10
                digits += 1
                index += 1
            }
        }
        guard digits > 0 else { throw .syntax }
        return negative ? Amount(whole: -whole, millionths: -millionths) : Amount(whole: whole, millionths: millionths)
    }

    /// `HH:MM`, `HH:MM:SS.f`, or `MM:SS` under `MINUTE TO SECOND`; the index is at the first colon.
    private mutating func readClock(_ first: Amount, _ negative: Bool) throws(Failure) {
        guard first.millionths == 0 else { throw .syntax }
        index += 1
        let second = try readAmount(negative)
        if current == 0x3A {
            index += 1
            let third = try readAmount(negative)
            guard second.whole.magnitude < 60, third.whole.magnitude <= 60 else { throw .range }
            try add(first, .hour)
            try add(second, .minute)
            return try add(third, .second)
        }
        let minutesFirst = qualifier?.from == .minute || second.millionths != 0
        try add(first, minutesFirst ? .minute : .hour)
        try add(second, minutesFirst ? .second : .minute)
    }

    private mutating func readISO() throws(Failure) {
        index += 1
        var inTime = false
        while index < count {
            if current == 0x54 {
                inTime = true
                index += 1
                continue
            }
            let negative = current == 0x2D
            if negative || current == 0x2B { index += 1 }
            let amount = try readAmount(negative)
            let part: DatePart
            switch (current, inTime) {
            case (0x59, false): part = .year
            case (0x4D, false): part = .month
            case (0x57, false): part = .week
            case (0x44, false): part = .day
            case (0x48, true): part = .hour
            case (0x4D, true): part = .minute
            case (0x53, true): part = .second
            default: throw .syntax
            }
            index += 1
            try add(amount, part)
        }
    }

    private mutating func add(_ amount: Amount, _ part: DatePart) throws(Failure) {
        found = true
        if part.months == nil || part == .month && amount.millionths != 0 { namesMonths = false }
        if let unit = part.months {
            try grow(&months, amount.whole, unit)
            // A fraction of a year is cut to months; a fraction of a month counts 30 days to it.
            let fraction = amount.millionths * unit
            months += fraction / 1_000_000
            if unit == 1 { try grow(&microseconds, amount.millionths, 30 * Calendar.microsecondsPerDay / 1_000_000) }
        } else if let unit = part.microseconds {
            try grow(&microseconds, amount.whole, unit)
            let fraction = Int64(Int128(amount.millionths) * Int128(unit) / 1_000_000)
            try grow(&microseconds, fraction, 1)
        } else {
            throw .syntax
        }
    }

    private func grow(_ target: inout Int64, _ amount: Int64, _ unit: Int64) throws(Failure) {
        let (product, overflow) = amount.multipliedReportingOverflow(by: unit)
        let (sum, carry) = target.addingReportingOverflow(product)
        // Stay away from the ends so that later negation and small additions cannot overflow.
        if overflow || carry || sum.magnitude > 1 << 62 { throw .range }
        target = sum
    }
}
