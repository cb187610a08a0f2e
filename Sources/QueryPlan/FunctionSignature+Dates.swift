import SQLTypes

extension FunctionSignature {
    /// Operators over dates, times and intervals.
    static let dateOperators: [FunctionSignature] = [
        FunctionSignature(["+"], .dateAddDays, [.date, .integer], returns: .date),
        FunctionSignature(["-"], .dateSubtractDays, [.date, .integer], returns: .date),
        FunctionSignature(["-"], .dateDifference, [.date, .date], returns: .integer),
        FunctionSignature(["+"], .dateAddInterval, [.date, .interval], returns: .timestamp),
        FunctionSignature(["+"], .dateAddTime, [.date, .time], returns: .timestamp),
        FunctionSignature(["+"], .dateAddTime, [.date, .timetz], returns: .timestamptz),
        FunctionSignature(["+"], .timestampAddInterval, [.timestamp, .interval], returns: .timestamp),
        FunctionSignature(["+"], .timestampAddInterval, [.timestamptz, .interval], returns: .timestamptz),
        FunctionSignature(["+"], .timeAddInterval, [.time, .interval], returns: .fixed(.time)),
        FunctionSignature(["+"], .timeAddInterval, [.timetz, .interval], returns: .fixed(.timetz)),
        FunctionSignature(["-"], .timestampSubtract, [.timestamp, .timestamp], returns: .interval),
        FunctionSignature(["-"], .timestampSubtract, [.timestamptz, .timestamptz], returns: .interval),
        FunctionSignature(["-"], .timestampSubtract, [.time, .time], returns: .interval),
        FunctionSignature(["+"], .intervalAdd, [.interval, .interval], returns: .interval),
        FunctionSignature(["-"], .intervalSubtract, [.interval, .interval], returns: .interval),
        FunctionSignature(["*"], .intervalMultiply, [.interval, .double], returns: .interval),
        FunctionSignature(["/"], .intervalDivide, [.interval, .double], returns: .interval),
        FunctionSignature(["-"], .intervalNegate, [.interval], returns: .interval),
    ]

    static let dates: [FunctionSignature] =
        [.date, .timestamp, .timestamptz, .time, .timetz, .interval].map {
            FunctionSignature(["date_part", "pgdate_part", "extract"], .datePart, [.datePart, $0], returns: .integer)
        } + [
            FunctionSignature(["date_part_year"], .datePart, [.datePart, .date], returns: .integer),
            FunctionSignature(["date_trunc"], .dateTruncate, [.datePart, .timestamp], returns: .timestamp),
            FunctionSignature(["date_trunc"], .dateTruncate, [.datePart, .timestamptz], returns: .timestamptz),
            FunctionSignature(["date_trunc"], .dateTruncate, [.datePart, .interval], returns: .interval),
        ]
        + [.timestamp, .timestamptz, .time, .timetz].map {
            FunctionSignature(
                ["date_add", "dateadd"], .dateAdd, [.datePart, .bigint, $0], returns: .argument(2))
        }
        + [.date, .timestamp, .timestamptz, .time, .timetz].map {
            FunctionSignature(["date_diff", "datediff"], .dateDiff, [.datePart, $0, $0], returns: .bigint)
        } + [
            FunctionSignature(["add_months"], .addMonths, [.timestamp, .integer], returns: .timestamp),
            FunctionSignature(["months_between"], .monthsBetween, [.timestamp, .timestamp], returns: .double),
            FunctionSignature(["last_day"], .lastDay, [.date], returns: .date),
            FunctionSignature(["next_day"], .nextDay, [.date, .string], returns: .date),
            FunctionSignature(["age"], .age, [.timestamp, .timestamp], returns: .interval),
            // [zone, value]: a local time in the zone becomes an instant, and the way back.
            FunctionSignature(["timezone"], .atTimeZone, [.string, .timestamp], returns: .timestamptz),
            FunctionSignature(["timezone"], .timestampToZone, [.string, .timestamptz], returns: .timestamp),
            FunctionSignature(["timezone"], .timeToZone, [.string, .timetz], returns: .fixed(.timetz)),
            FunctionSignature(["make_date"], .makeDate, [.integer, .integer, .integer], returns: .date),
            FunctionSignature(["to_timestamp"], .epochToTimestamp, [.double], returns: .timestamptz),
        ]

    static let formats: [FunctionSignature] = [
        FunctionSignature(["to_char"], .toCharDatetime, [.date, .string], returns: .text(256)),
        FunctionSignature(["to_char"], .toCharDatetime, [.timestamp, .string], returns: .text(256)),
        FunctionSignature(["to_char"], .toCharDatetime, [.timestamptz, .string], returns: .text(256)),
        FunctionSignature(["to_char"], .toCharDatetime, [.interval, .string], returns: .text(256)),
        FunctionSignature(["to_char"], .toCharNumber, [.decimal, .string], returns: .text(256)),
        FunctionSignature(["to_char"], .toCharNumber, [.double, .string], returns: .text(256)),
        FunctionSignature(
            ["to_date"], .toDate, [.string, .string, .boolean.defaulting(.boolean(false))], returns: .date),
        FunctionSignature(
            ["to_timestamp"], .toTimestamp, [.string, .string, .boolean.defaulting(.boolean(false))],
            returns: .timestamptz),
        FunctionSignature(
            ["to_number"], .toNumber, [.string, .string], returns: .fixed(.decimal(precision: 38, scale: 10))),
        FunctionSignature(["text_to_int_alt"], .zonedTextToInteger, [.string, .string.optional], returns: .integer),
        FunctionSignature(
            ["text_to_numeric_alt"], .zonedTextToDecimal, [.string, .string.optional],
            returns: .fixed(.decimal(precision: 38, scale: 0))),
    ]

    /// OVERLAPS: the binder brings all four to one of these types.
    static let periods: [FunctionSignature] = [SQLType.timestamp, .timestamptz, .time].map { type in
        FunctionSignature(
            ["overlaps"], .overlaps, [Parameter](repeating: Parameter(.exactly(type)), count: 4), returns: .boolean,
            strict: false)
    }

    /// Times of the transaction or statement. CURRENT_TIMESTAMP with type TIMESTAMP is SYSDATE.
    static let clocks: [FunctionSignature] = [
        FunctionSignature(["date", "current_date"], .currentDate, [], returns: .date, volatility: .stable),
        FunctionSignature(
            ["timestamptz", "current_timestamp", "now"], .currentTimestamp, [], returns: .timestamptz,
            volatility: .stable),
        FunctionSignature(
            ["timestamp", "sysdate", "localtimestamp"], .currentTimestamp, [], returns: .timestamp,
            volatility: .stable),
        FunctionSignature(["getdate"], .getDate, [], returns: .timestamp, volatility: .stable),
        FunctionSignature(["timeofday"], .timeOfDay, [], returns: .text(64), volatility: .volatile),
    ]

    static let session: [FunctionSignature] = [
        FunctionSignature(
            ["current_user", "user", "session_user", "current_role"], .currentUser, [], returns: .text(128),
            volatility: .stable),
        FunctionSignature(
            ["current_database", "current_catalog"], .currentDatabase, [], returns: .text(128), volatility: .stable),
        FunctionSignature(["current_schema"], .currentSchema, [], returns: .text(128), volatility: .stable),
        FunctionSignature(["version"], .version, [], returns: .text(256), volatility: .stable),
        FunctionSignature(["pg_backend_pid"], .backendPID, [], returns: .integer, volatility: .stable),
        FunctionSignature(
            ["current_setting"], .currentSetting, [.string, .boolean.defaulting(.boolean(true))], returns: .text(256),
            volatility: .stable),
    ]
}
