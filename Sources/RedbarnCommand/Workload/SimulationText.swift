import Workload

/// A simulation's report for people and for programs.
struct SimulationText {
    private let report: SimulationReport
    private let statements: Int
    /// What it has taken.
    private let seconds: Double
    private static let percents = [50.0, 95, 99, 100]

    init(_ report: SimulationReport, statements: Int, seconds: Double) {
        self.report = report
        self.statements = statements
        self.seconds = seconds
    }

    var text: String {
        var lines = [
            "\(DecimalFigure.grouped(statements)) statements on \(report.cores) cores: "
                + "\(figure(report.nanoseconds / 1e9, 0)) s of simulated time in \(figure(seconds, 1)) s",
            "\(figure(report.statementsPerSecond, 1)) statements a second, cores \(percent(report.utilisation)) busy, "
                + "\(percent(report.contendedUtilisation)) while statements waited",
            "completed \(report.completed), cancelled by clients \(report.cancelled), timed out \(report.timedOut), "
                + "hopped \(report.hopped), refused \(report.refused)",
            "",
        ]
        lines += QueueTable.aligned([queueHeader] + used.map(row))
        lines += ["", "Turns"]
        lines += QueueTable.aligned([turnHeader] + report.turns.map(row))
        lines.append("")
        if report.faults.isEmpty {
            lines.append(
                "Checks: no statement and no slot lost, none exceeded or idle, first come first served, nobody starved")
        } else {
            lines += report.faults.map { "FAULT: \($0)" }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var used: [SimulationReport.Queue] { report.queues.filter { $0.waits.count > 0 } }

    private var queueHeader: [String] {
        ["class", "queue", "statements", "waited p50", "p95", "p99", "max", "took p50", "p95", "p99", "max"]
            + ["evicted", "scaled"]
    }
    private func row(_ queue: SimulationReport.Queue) -> [String] {
        let times = queue.waits.percentiles(SimulationText.percents) + queue.times.percentiles(SimulationText.percents)
        return ["\(queue.id)", queue.name, "\(queue.waits.count)"] + times.map { figure($0, 3) }
            + ["\(queue.evicted)", "\(queue.scaledOut)"]
    }

    private var turnHeader: [String] {
        ["queues", "priority", "weight", "starts", "while others waited", "passed over at most", "allowed"]
    }
    private func row(_ turns: SimulationReport.Turns) -> [String] {
        [
            turns.pool, turns.priority.name, "\(turns.priority.weight)", "\(turns.starts)",
            "\(turns.contendedStarts)", "\(turns.mostPassedOver)", "\(turns.allowedPassedOver)",
        ]
    }

    private func figure(_ value: Double, _ digits: Int) -> String { DecimalFigure.text(value, digits: digits) }
    private func percent(_ share: Double) -> String { figure(share * 100, 1) + " %" }

    var json: JSONValue {
        .object([
            ("statements", .integer(statements)), ("cores", .integer(report.cores)),
            ("seconds", .number(seconds)), ("simulated_seconds", .number(report.nanoseconds / 1e9)),
            ("statements_per_second", .number(report.statementsPerSecond)),
            ("utilisation", .number(report.utilisation)),
            ("contended_utilisation", .number(report.contendedUtilisation)),
            ("completed", .integer(report.completed)), ("cancelled", .integer(report.cancelled)),
            ("timed_out", .integer(report.timedOut)), ("hopped", .integer(report.hopped)),
            ("refused", .integer(report.refused)), ("queues", .array(used.map(json))),
            ("turns", .array(report.turns.map(json))), ("faults", .array(report.faults.map { .string($0) })),
        ])
    }

    private func json(_ queue: SimulationReport.Queue) -> JSONValue {
        func object(_ durations: Durations) -> JSONValue {
            let values = durations.percentiles(SimulationText.percents)
            return .object(Array(zip(["p50", "p95", "p99", "max"], values.map { .number($0) })))
        }
        return .object([
            ("service_class", .integer(queue.id)), ("name", .string(queue.name)),
            ("statements", .integer(queue.waits.count)), ("waited_seconds", object(queue.waits)),
            ("took_seconds", object(queue.times)), ("evicted", .integer(queue.evicted)),
            ("scaled_out", .integer(queue.scaledOut)),
        ])
    }

    private func json(_ turns: SimulationReport.Turns) -> JSONValue {
        .object([
            ("queues", .string(turns.pool)), ("priority", .string(turns.priority.name)),
            ("starts", .integer(turns.starts)), ("starts_while_others_waited", .integer(turns.contendedStarts)),
            ("passed_over", .integer(turns.mostPassedOver)), ("allowed", .integer(turns.allowedPassedOver)),
        ])
    }
}
