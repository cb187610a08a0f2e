import SQLTypes
import Testing

@testable import Warehouse

/// Limits of concurrency scaling, by the calendar.
struct UsageLimitTests {
    private static let hour: Int64 = 3_600_000_000
    /// 2026-03-01, a Sunday.
    private static let sunday: Int64 = 1_772_323_200_000_000

    @Test func periodsBeginByTheCalendar() {
        let (sunday, day) = (Self.sunday, Self.hour * 24)
        let first = sunday / day
        for (period, moment, start) in [
            (UsageLimit.Period.daily, sunday, first), (.daily, sunday - 1, first - 1),
            (.daily, sunday + day - 1, first),
            (.weekly, sunday, first), (.weekly, sunday - 1, first - 7), (.weekly, sunday + 7 * day - 1, first),
            (.monthly, sunday, first), (.monthly, sunday - 1, first - 28), (.monthly, sunday + 31 * day - 1, first),
            (.daily, -1, -1), (.weekly, 0, -4), (.monthly, -1, -31),
        ] {
            #expect(period.start(ofMicroseconds: moment) == start, "\(period) \(moment)")
        }
    }

    @Test func eachIsReachedOnceInItsPeriod() throws {
        var count = UsageCount(try UsageLimit.list("daily 60 disable, weekly 90 log"))
        let start = Self.sunday
        #expect(count.add(Self.hour - 1, at: start) == [])
        #expect(!count.isDisabled(at: start))
        #expect(count.add(1, at: start).map(\.text) == ["daily 60 disable"])
        #expect(count.isDisabled(at: start))
        #expect(count.add(Self.hour / 4, at: start) == [])
        // The next day is another one, and the week goes on.
        let monday = start + 24 * Self.hour
        #expect(!count.isDisabled(at: monday))
        #expect(count.add(Self.hour / 4, at: monday).map(\.text) == ["weekly 90 log"])
        #expect(count.add(Self.hour, at: monday).map(\.text) == ["daily 60 disable"])
    }

    @Test func otherLimitsCountWhatWasUsed() throws {
        var count = UsageCount(try UsageLimit.list("daily 60 disable"))
        _ = count.add(Self.hour, at: Self.sunday)
        #expect(count.change(try UsageLimit.list("daily 61 disable"), at: Self.sunday) == [])
        #expect(!count.isDisabled(at: Self.sunday))
        #expect(count.change(try UsageLimit.list("daily 59 disable"), at: Self.sunday).count == 1)
        #expect(count.isDisabled(at: Self.sunday))
        #expect(count.change([], at: Self.sunday) == [])
        #expect(!count.isDisabled(at: Self.sunday))
    }

    @Test(arguments: [
        "daily", "daily 60", "daily 60 stop", "hourly 60 log", "daily 0 log", "daily -1 log", "daily nan log",
        "daily inf log", "daily 1e300 log", "daily 60 log,", "daily 60 log, DAILY 60 LOG",
        "daily 1 log, daily 2 log, daily 3 log, daily 4 log, daily 5 log",
    ])
    func faults(text: String) {
        let error = #expect(throws: SQLError.self) { try UsageLimit.list(text) }
        #expect(error?.state.code == "22023")
    }
}
