import SQLTypes
import Workload

/// Everything that a mixed workload has shown.
struct MixedReport: BenchmarkReport {
    let scale: String
    let settings: MixedSettings
    let workers: Int
    var machineSlices = 0
    /// The dashboards without the others.
    var idle: MixedFigures?
    /// By configuration.
    var runs: [MixedFigures] = []
    let machine = MachineFacts()

    init(scale: String, settings: MixedSettings, workers: Int) {
        self.scale = scale
        self.settings = settings
        self.workers = workers
    }

    var all: [MixedFigures] { (idle.map { [$0] } ?? []) + runs }

    // MARK: Text

    static let heading = [
        "configuration", "class", "statements", "per second", "p50 ms", "p95 ms", "p99 ms", "max ms", "queued p50",
        "queued p95", "queued max", "errors",
    ]

    var rows: [[String]] {
        all.flatMap { figures in
            MixedKind.allCases.compactMap { kind -> [String]? in
                guard let one = figures.classes[kind] else { return nil }
                let times = one.latencies.percentiles(MixedFigures.percents) + one.queued.percentiles([50, 95, 100])
                return [figures.label, kind.rawValue, "\(one.latencies.count)", text(figures.perSecond(kind), 3)]
                    + times.map { text($0 * 1000, 2) } + ["\(one.errorCount)"]
            }
        }
    }

    /// What the bars of a report would say, in words.
    var remarks: [String] {
        var lines: [String] = []
        if let alone = idle?[.dashboard].latencies.percentile(95), alone > 0 {
            for figures in runs where figures.classes[.dashboard] != nil {
                let p95 = figures[.dashboard].latencies.percentile(95)
                lines.append(
                    "\(figures.label): p95 of dashboards is \(text(p95 / alone, 2)) times that of an idle machine")
            }
        }
        for figures in runs where figures.perSecond(.background) > 0 {
            lines.append(
                "\(figures.label): throughput of heavy is "
                    + "\(ratio(figures.perSecond(.heavy), figures.perSecond(.background))) times that of background")
        }
        if runs.count == 2 {
            for kind in MixedKind.allCases where runs[0].classes[kind] != nil && runs[1].classes[kind] != nil {
                let (first, second) = (runs[0][kind].latencies.percentile(95), runs[1][kind].latencies.percentile(95))
                lines.append(
                    "\(kind.rawValue), \(runs[0].label) to \(runs[1].label): "
                        + "throughput \(ratio(runs[0].perSecond(kind), runs[1].perSecond(kind))), "
                        + "p95 \(ratio(first, second))")
            }
        }
        for figures in runs {
            for kind in MixedKind.allCases {
                for (state, error) in figures[kind].errors.sorted(by: { $0.key < $1.key }) {
                    lines.append(
                        "\(figures.label): \(error.count) errors of \(kind.rawValue), \(state): \(error.message)")
                }
            }
        }
        return lines
    }

    func printTable(_ output: OutputSink) throws {
        var display = DisplaySettings()
        display.showFooter = false
        try output.table(MixedReport.heading, rows, display, numbers: Set(2...11))
        for remark in remarks { output.line(remark) }
        output.line("Queries and data are \(TPCHReport.title).")
        try output.flush()
    }

    private func text(_ value: Double, _ digits: Int) -> String { DecimalFigure.text(value, digits: digits) }
    private func ratio(_ one: Double, _ other: Double) -> String { other > 0 ? text(one / other, 3) : "-" }

    // MARK: JSON

    var json: JSONValue {
        .object([
            ("benchmark", .string("mixed")), ("note", .string(TPCHReport.title)), ("scale", .string(scale)),
            ("date", .string(TPCHReport.now())),
            ("versions", .object([("redbarn", .string(RedbarnCommand.version))])), ("machine", machine.json),
            ("workers", .integer(workers)), ("slices", .integer(machineSlices)), ("settings", settings.json),
            ("idle", idle?.json ?? .null), ("configurations", .array(runs.map(\.json))),
        ])
    }
}
