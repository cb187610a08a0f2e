import Glibc
import SQLTypes

/// One query's measurements.
struct QueryMeasurement {
    var name: String
    var coldMilliseconds: Double?
    var hotMilliseconds: [Double] = []
    var planMilliseconds: Double?
    var rows = 0
    /// nil without a reference answer.
    var isValid: Bool?
    /// An error, or how the answer differs.
    var problem: String?

    var median: Double? {
        let sorted = hotMilliseconds.sorted()
        guard !sorted.isEmpty else { return nil }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
    var minimum: Double? { hotMilliseconds.min() }
    var maximum: Double? { hotMilliseconds.max() }

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("cold_ms", coldMilliseconds.map { .number($0) } ?? .null),
            ("hot_ms", .array(hotMilliseconds.map { .number($0) })),
            ("plan_ms", planMilliseconds.map { .number($0) } ?? .null), ("rows", .integer(rows)),
            ("valid", isValid.map { .boolean($0) } ?? .null),
        ]
        if let problem { members.append(("problem", .string(problem))) }
        return .object(members)
    }
}

/// Everything a run of the benchmark found.
struct TPCHReport: BenchmarkReport {
    var scale: String
    var settings: [(String, JSONValue)] = []
    var queries: [QueryMeasurement] = []
    var loadSeconds = 0.0
    var loadBytes = 0
    var wasLoaded = true
    var loadTables: [(String, Double)] = []
    var diskBytes = 0
    var peakBytes = 0
    /// The peak as the program counts it.
    var accountedBytes = 0
    let machine = MachineFacts()

    static let title = "derived from TPC-H, not comparable to published results"

    var geometricMean: Double? {
        let times = queries.compactMap(\.minimum)
        guard !times.isEmpty else { return nil }
        return exp(times.reduce(0) { $0 + log(max($1, 1e-6)) } / Double(times.count))
    }
    var validCount: Int { queries.count { $0.isValid == true } }
    var hasFailures: Bool { queries.contains { $0.isValid == false || $0.problem != nil } }

    var json: JSONValue {
        .object([
            ("benchmark", .string("tpch")), ("note", .string(TPCHReport.title)), ("scale", .string(scale)),
            ("date", .string(TPCHReport.now())),
            ("versions", .object([("redbarn", .string(RedbarnCommand.version))])),
            ("machine", machine.json), ("settings", .object(settings)),
            ("queries", .array(queries.map(\.json))),
            (
                "load",
                .object([
                    ("seconds", .number(loadSeconds)), ("bytes", .integer(loadBytes)), ("reused", .boolean(!wasLoaded)),
                    ("tables", .object(loadTables.map { ($0.0, .number($0.1)) })),
                ])
            ),
            ("disk_bytes", .integer(diskBytes)), ("peak_rss_bytes", .integer(peakBytes)),
            ("peak_accounted_bytes", .integer(accountedBytes)),
            ("geometric_mean_ms", geometricMean.map { .number($0) } ?? .null),
        ])
    }

    static func now() -> String {
        var seconds = time(nil)
        var parts = tm()
        gmtime_r(&seconds, &parts)
        var buffer = [CChar](repeating: 0, count: 32)
        let count = strftime(&buffer, buffer.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// The table for the terminal.
    func printTable(_ output: OutputSink) throws {
        func figure(_ value: Double?, _ digits: Int = 2) -> String? {
            value.map { DecimalFigure.text($0, digits: digits) }
        }
        let rows: [[String?]] = queries.map { query in
            let spread = query.minimum.flatMap { low in query.maximum.map { $0 / low } }
            let verdict = query.isValid.map { $0 ? "ok" : "WRONG" } ?? (query.problem == nil ? "-" : "FAILED")
            return [
                query.name, figure(query.coldMilliseconds), figure(query.median), figure(query.minimum), figure(spread),
                figure(query.planMilliseconds), String(query.rows), verdict,
            ]
        }
        var display = DisplaySettings()
        display.showFooter = false
        display.null = "-"
        try output.table(
            ["query", "cold ms", "median ms", "min ms", "max/min", "plan ms", "rows", "answer"], rows, display,
            numbers: [1, 2, 3, 4, 5, 6])
        for query in queries { if let problem = query.problem { output.line("\(query.name): \(problem)") } }
        let checked = queries.count { $0.isValid != nil }
        output.line(
            "Answers: " + (checked == 0 ? "no reference for this scale" : "\(validCount) of \(queries.count) valid"))
        if let mean = figure(geometricMean) { output.line("Geometric mean of the minima: \(mean) ms") }
        if wasLoaded {
            output.line("Load: \(DecimalFigure.text(loadSeconds, digits: 2)) s for \(DecimalFigure.bytes(loadBytes))")
        } else {
            output.line("Load: warehouse reused")
        }
        output.line(
            "On disk: \(DecimalFigure.bytes(diskBytes)), peak memory: \(DecimalFigure.bytes(peakBytes)), "
                + "accounted: \(DecimalFigure.bytes(accountedBytes))")
        output.line("Queries and data are \(TPCHReport.title).")
        try output.flush()
    }
}
