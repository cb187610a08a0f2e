/// The report as one web page without outside parts.
extension TPCHReport {
    var html: String {
        HTMLPage.text(
            title: "Redbarn, TPC-H scale \(scale)",
            body: """
                <p>Queries and data are \(TPCHReport.title). \(TPCHReport.now()).</p>
                <p>\(machine.html);
                \(settings.map { "\($0.0) \(HTMLPage.escaped($0.1.text))" }.joined(separator: ", ")).</p>
                <h2>Hot runs, minimum, milliseconds</h2>
                \(chart)
                <h2>Figures</h2>
                \(table)
                <p>Load \(wasLoaded ? DecimalFigure.text(loadSeconds, digits: 2) + " s" : "reused"),
                on disk \(DecimalFigure.bytes(diskBytes)), peak memory \(DecimalFigure.bytes(peakBytes)),
                geometric mean \(geometricMean.map { DecimalFigure.text($0, digits: 2) } ?? "-") ms.</p>
                """)
    }

    private var chart: String {
        let longest = max(queries.compactMap(\.minimum).max() ?? 1, 1e-6)
        let bars = queries.enumerated().map { index, query -> String in
            let milliseconds = query.minimum ?? 0
            let y = index * 22
            let width = DecimalFigure.text(milliseconds / longest * 560, digits: 1)
            let color = query.isValid == false || query.problem != nil ? "#b00020" : "#8c2f1b"
            return """
                <text x="0" y="\(y + 14)">\(query.name)</text>\
                <rect x="40" y="\(y + 2)" width="\(width)" height="16" fill="\(color)"/>\
                <text x="\(DecimalFigure.text(46 + milliseconds / longest * 560, digits: 1))" y="\(y + 14)">\
                \(DecimalFigure.text(milliseconds, digits: 2))</text>
                """
        }
        let height = queries.count * 22
        return "<svg viewBox=\"0 0 680 \(height)\" width=\"680\" height=\"\(height)\">"
            + bars.joined(separator: "\n") + "</svg>"
    }

    private var table: String {
        func cell(_ value: Double?) -> String { value.map { DecimalFigure.text($0, digits: 2) } ?? "-" }
        let heading = ["query", "cold", "median", "minimum", "maximum", "planning", "rows", "answer"]
        let rows = queries.map { query -> [String] in
            let isBad = query.isValid == false || query.problem != nil
            let verdict =
                isBad
                ? "<span class=\"bad\">\(HTMLPage.escaped(query.problem ?? "wrong"))</span>"
                : query.isValid == true ? "valid" : "-"
            return [
                query.name, cell(query.coldMilliseconds), cell(query.median), cell(query.minimum), cell(query.maximum),
                cell(query.planMilliseconds), String(query.rows), verdict,
            ]
        }
        return HTMLPage.table(heading, rows)
    }
}
