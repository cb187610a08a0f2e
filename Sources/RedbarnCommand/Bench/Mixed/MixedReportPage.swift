import Glibc
import Workload

/// The report as a web page: figures, and a histogram of latencies for each class.
extension MixedReport {
    private static let colors = ["#9a9a9a", "#8c2f1b", "#1b5e8c"]
    private static let (width, height) = (640.0, 150.0)
    private static let bars = 48

    var html: String {
        let facts = [
            "\(settings.streams) heavy streams", "\(settings.background) background streams",
            "\(settings.clients) dashboard clients at \(figure(settings.ratePerSecond)) a second",
            "\(settings.loads) loads", "\(workers) workers", "\(machineSlices) slices",
        ]
        var body = """
            <p>Queries and data are \(TPCHReport.title), scale \(HTMLPage.escaped(scale)). \(TPCHReport.now()).</p>
            <p>\(machine.html); \(facts.joined(separator: ", ")).</p>
            <h2>Figures</h2>
            \(HTMLPage.table(MixedReport.heading, rows.map { $0.map(HTMLPage.escaped) }))
            \(remarks.map { "<p>\(HTMLPage.escaped($0))</p>" }.joined(separator: "\n"))
            """
        for kind in MixedKind.allCases where all.contains(where: { ($0.classes[kind]?.latencies.count ?? 0) > 0 }) {
            body += "\n<h2>Latencies of \(kind.rawValue)</h2>\n" + histogram(kind)
        }
        return HTMLPage.text(title: "Redbarn, mixed workload", body: body)
    }

    /// One above the other on the same scale of logarithms, so that they can be compared by eye.
    private func histogram(_ kind: MixedKind) -> String {
        let samples = all.enumerated().compactMap { index, figures -> (index: Int, label: String, seconds: [Double])? in
            guard let sorted = figures.classes[kind]?.latencies.sortedSeconds, !sorted.isEmpty else { return nil }
            return (index, figures.label, sorted)
        }
        let least = max(samples.compactMap(\.seconds.first).min() ?? 1e-6, 1e-6)
        let most = max(samples.compactMap(\.seconds.last).max() ?? 1, least * 1.01)
        let step = log(most / least) / Double(MixedReport.bars)
        var parts: [String] = []
        for (place, sample) in samples.enumerated() {
            var counts = [Int](repeating: 0, count: MixedReport.bars)
            for seconds in sample.seconds {
                let bar = Int(log(max(seconds, least) / least) / step)
                counts[min(max(bar, 0), MixedReport.bars - 1)] += 1
            }
            let color = MixedReport.colors[min(sample.index + (idle == nil ? 1 : 0), 2)]
            parts.append(
                drawn(counts, color, sample.label, sample.seconds, top: Double(place) * MixedReport.height, least, step)
            )
        }
        let height = figure(Double(samples.count) * MixedReport.height)
        return "<svg viewBox=\"0 0 \(figure(MixedReport.width)) \(height)\" width=\"\(figure(MixedReport.width))\" "
            + "height=\"\(height)\">\(parts.joined(separator: "\n"))</svg>"
    }

    private func drawn(
        _ counts: [Int], _ color: String, _ label: String, _ sorted: [Double], top: Double, _ least: Double,
        _ step: Double
    ) -> String {
        let room = MixedReport.height - 50
        let bar = MixedReport.width / Double(MixedReport.bars)
        let most = Double(max(counts.max() ?? 1, 1))
        var parts = ["<text x=\"0\" y=\"\(figure(top + 14))\">\(HTMLPage.escaped(label)), \(sorted.count)</text>"]
        for (index, count) in counts.enumerated() where count > 0 {
            let tall = max(Double(count) / most * room, 1)
            parts.append(
                "<rect x=\"\(figure(Double(index) * bar))\" y=\"\(figure(top + 20 + room - tall))\" "
                    + "width=\"\(figure(bar - 1))\" height=\"\(figure(tall))\" fill=\"\(color)\"/>")
        }
        for mark in stride(from: 0, through: MixedReport.bars, by: MixedReport.bars / 6) {
            let milliseconds = least * exp(step * Double(mark)) * 1000
            let digits = milliseconds < 10 ? 2 : milliseconds < 100 ? 1 : 0
            let anchor = mark == MixedReport.bars ? "end" : "start"
            parts.append(
                "<text x=\"\(figure(Double(mark) * bar))\" y=\"\(figure(top + 36 + room))\" "
                    + "text-anchor=\"\(anchor)\">\(DecimalFigure.text(milliseconds, digits: digits)) ms</text>")
        }
        return parts.joined(separator: "\n")
    }

    private func figure(_ value: Double) -> String { DecimalFigure.text(value, digits: 1) }
}
