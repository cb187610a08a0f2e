/// Dates, times, timestamps and intervals.
extension TypeDescriptor {
    static let date = TypeDescriptor(
        .date, .date, title: "date", keyword: "DATE", catalogName: "date", names: ["date"], oid: 1082, wireSize: 4,
        binary: .date, storedTag: 9, loadName: "date",
        encodings: [.az64, .bytedict, .delta, .delta32k, .lzo, .runlength, .zstd],
        range: Int128(Calendar.minimumDay)...Int128(Calendar.maximumDay), textBytes: 13, usualBytes: 4)

    static let time = TypeDescriptor(
        .time, .time, title: "time without time zone", keyword: "TIME", catalogName: "time",
        names: ["time", "time without time zone"], modifiers: .fraction, oid: 1083, wireSize: 8, binary: .time,
        storedTag: 10, loadName: "time", encodings: [.az64], range: Int128(Int64.min)...Int128(Int64.max),
        textBytes: 15, usualBytes: 8)

    static let timetz = TypeDescriptor(
        .timetz, .timetz, title: "time with time zone", keyword: "TIMETZ", catalogName: "timetz",
        names: ["timetz", "time with time zone"], modifiers: .fraction, oid: 1266, wireSize: 12,
        binary: .timeWithZone, storedTag: 11, loadName: "timetz", encodings: [.az64],
        range: Int128(Int64.min)...Int128(Int64.max), textBytes: 21, usualBytes: 8)

    static let timestamp = TypeDescriptor(
        .timestamp, .timestamp, title: "timestamp without time zone", keyword: "TIMESTAMP",
        catalogName: "timestamp", names: ["timestamp", "timestamp without time zone", "datetime"],
        modifiers: .fraction, oid: 1114, wireSize: 8, binary: .timestamp, storedTag: 12, loadName: "timestamp",
        encodings: [.az64, .bytedict, .delta, .delta32k, .lzo, .runlength, .zstd],
        range: Int128(Calendar.minimumTimestamp)...Int128(Calendar.maximumTimestamp), textBytes: 29, usualBytes: 8)

    static let timestamptz = TypeDescriptor(
        .timestamptz, .timestamptz, title: "timestamp with time zone", keyword: "TIMESTAMPTZ",
        catalogName: "timestamptz", names: ["timestamptz", "timestamp with time zone"], modifiers: .fraction,
        oid: 1184, wireSize: 8, binary: .timestamp, storedTag: 13, loadName: "timestamptz",
        encodings: [.az64, .bytedict, .lzo, .runlength, .zstd],
        range: Int128(Calendar.minimumTimestamp)...Int128(Calendar.maximumTimestamp), textBytes: 35, usualBytes: 8)

    static let interval = TypeDescriptor(
        .interval, .interval, title: "interval", keyword: "INTERVAL", catalogName: "interval", names: ["interval"],
        oid: 1186, wireSize: 16, binary: .interval, storedTag: 14, loadName: "unknown",
        encodings: [.bytedict, .lzo, .runlength, .zstd], textBytes: 64, usualBytes: 16)

    static let yearMonthInterval = TypeDescriptor(
        .yearMonthInterval(.yearToMonth), .yearMonthInterval, title: "interval year to month",
        keyword: "INTERVAL YEAR TO MONTH", catalogName: "intervaly2m", names: ["intervaly2m"],
        modifiers: .intervalFields,
        oid: 1188, wireSize: 4, binary: .int32, storedTag: 17, loadName: "intervaly2m",
        encodings: [.az64, .bytedict, .lzo, .runlength, .zstd],
        range: Int128(Int32.min)...Int128(Int32.max), textBytes: 64, usualBytes: 4)

    static let dayTimeInterval = TypeDescriptor(
        .dayTimeInterval(.dayToSecond), .dayTimeInterval, title: "interval day to second",
        keyword: "INTERVAL DAY TO SECOND", catalogName: "intervald2s", names: ["intervald2s"],
        modifiers: .intervalFields,
        oid: 1190, wireSize: 8, binary: .int64, storedTag: 18, loadName: "intervald2s",
        encodings: [.az64, .bytedict, .lzo, .runlength, .zstd],
        range: Int128(Int64.min)...Int128(Int64.max), textBytes: 64, usualBytes: 8)
}
