import SQLTypes

/// `datestyle`: a format of output, which is kept for clients that ask and changes nothing, since dates are shown as
/// ISO has them; and the order in which numeric dates are read.
struct DateStyle: CustomStringConvertible {
    private(set) var format = "ISO"
    private(set) var order = DatetimeContext.Order.monthDayYear

    private static let formats = ["ISO", "Postgres", "SQL", "German"]
    private static let orders: [(names: Set<String>, order: DatetimeContext.Order)] = [
        (["mdy", "us", "noneuro", "noneuropean"], .monthDayYear), (["dmy", "euro", "european"], .dayMonthYear),
        (["ymd"], .yearMonthDay),
    ]

    init() {}

    /// A value that ``changed(by:)`` has made.
    init(stored: String) {
        self = DateStyle().with(stored) ?? DateStyle()
    }

    var description: String {
        switch order {
        case .monthDayYear: "\(format), MDY"
        case .dayMonthYear: "\(format), DMY"
        case .yearMonthDay: "\(format), YMD"
        }
    }

    func changed(by words: String) throws -> DateStyle {
        if let changed = with(words) { return changed }
        throw SQLError(
            .invalidParameterValue, "invalid value for parameter \"datestyle\": \"\(words)\"",
            hint: "It takes a format (ISO, Postgres, SQL, German), an order (MDY, DMY, YMD), or both.")
    }

    /// What the words leave out stays; German begins with the day unless they say otherwise. nil: an unknown word, or
    /// two that contradict each other.
    private func with(_ words: String) -> DateStyle? {
        var newFormat: String?
        var newOrder: DatetimeContext.Order?
        for part in words.split(separator: ",", omittingEmptySubsequences: false) {
            let word = part.filter { $0 != " " }.lowercased()
            if word == "default" {
                (newFormat, newOrder) = (newFormat ?? DateStyle().format, newOrder ?? DateStyle().order)
            } else if let format = DateStyle.formats.first(where: { $0.lowercased() == word }),
                newFormat == nil || newFormat == format
            {
                newFormat = format
            } else if let order = DateStyle.orders.first(where: { $0.names.contains(word) })?.order,
                newOrder == nil || newOrder == order
            {
                newOrder = order
            } else {
                return nil
            }
        }
        var result = self
        result.format = newFormat ?? format
        result.order = newOrder ?? (newFormat == "German" ? .dayMonthYear : order)
        return result
    }
}
