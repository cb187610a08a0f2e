import SQLTypes

/// How long concurrency scaling may be used in a period, and what happens when it was.
struct UsageLimit: Sendable, Hashable {
    /// Of UTC.
    enum Period: String, Sendable, CaseIterable {
        case daily
        /// From Sunday on.
        case weekly
        case monthly

        /// The first day of the one that a moment belongs to, counted from 1970-01-01.
        func start(ofMicroseconds moment: Int64) -> Int64 {
            let day = moment / 86_400_000_000 - (moment % 86_400_000_000 < 0 ? 1 : 0)
            switch self {
            case .daily: return day
            // 1970-01-01 was a Thursday.
            case .weekly: return day - ((day + 4) % 7 + 7) % 7
            case .monthly:
                let date = Calendar.civil(days: day)
                return Calendar.days(year: date.year, month: date.month, day: 1)
            }
        }
    }
    enum Action: String, Sendable, CaseIterable {
        /// A row of STL_USAGE_CONTROL.
        case log
        /// The same, and no more scaling until the next period.
        case disable
    }
    var period: Period
    var minutes: Double
    var action: Action
    /// As it was written: what STL_USAGE_CONTROL calls it.
    var text: String

    static let most = 4
    /// A hundred years.
    private static let mostMinutes = 52_560_000.0

    var microseconds: Int64 { Int64(minutes * 60e6) }

    /// `daily 60 disable, monthly 600 log`; nothing: no limits.
    static func list(_ text: String) throws -> [UsageLimit] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        if parts.allSatisfy({ $0.allSatisfy(\.isWhitespace) }) { return [] }
        guard parts.count <= most else { throw fault("there are at most \(most) limits") }
        var limits: [UsageLimit] = []
        for part in parts {
            let words = part.lowercased().split { $0.isWhitespace }.map(String.init)
            guard words.count == 3, let period = Period(rawValue: words[0]), let minutes = Double(words[1]),
                minutes > 0, minutes <= mostMinutes, let action = Action(rawValue: words[2])
            else { throw fault("\"\(part)\" is no limit") }
            let limit = UsageLimit(
                period: period, minutes: minutes, action: action, text: words.joined(separator: " "))
            if limits.contains(limit) { throw fault("\"\(limit.text)\" is there twice") }
            limits.append(limit)
        }
        return limits
    }

    private static func fault(_ message: String) -> SQLError {
        SQLError(
            .invalidParameterValue,
            "invalid value for parameter \"\(SystemParameter.usageLimits.rawValue)\": \(message)",
            hint: "Limits are daily, weekly or monthly, with minutes, and log or disable, such as "
                + "'daily 60 disable, monthly 600 log'.")
    }
}

/// Counts what was used, and tells which limits that reaches. A value; time comes with each call.
struct UsageCount: Sendable {
    private(set) var limits: [UsageLimit]
    private var used: [UsageLimit.Period: (start: Int64, microseconds: Int64)] = [:]
    /// Those that were reached, in the period that began on this day.
    private var reached: [UsageLimit: Int64] = [:]

    init(_ limits: [UsageLimit]) { self.limits = limits }

    /// Other limits; what was used stays used.
    mutating func change(_ limits: [UsageLimit], at now: Int64) -> [UsageLimit] {
        self.limits = limits
        reached = [:]
        return add(0, at: now)
    }

    /// - Returns: the limits that this reaches, each once in its period.
    mutating func add(_ microseconds: Int64, at now: Int64) -> [UsageLimit] {
        for period in UsageLimit.Period.allCases {
            let start = period.start(ofMicroseconds: now)
            let before = used[period].flatMap { $0.start == start ? $0.microseconds : nil } ?? 0
            used[period] = (start, before.addingReportingOverflow(max(microseconds, 0)).partialValue)
        }
        return limits.filter { limit in
            guard let sum = used[limit.period], sum.microseconds >= limit.microseconds, reached[limit] != sum.start
            else { return false }
            reached[limit] = sum.start
            return true
        }
    }

    func isDisabled(at now: Int64) -> Bool {
        limits.contains { $0.action == .disable && reached[$0] == $0.period.start(ofMicroseconds: now) }
    }
}
