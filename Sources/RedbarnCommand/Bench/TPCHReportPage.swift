/// The report as one web page without outside parts.
extension TPCHReport {
    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>Redbarn, TPC-H scale \(scale)</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums }
        th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
        th:first-child, td:first-child { text-align: left }
        .bad { color: #b00020; font-weight: 600 } svg text { font: 12px system-ui, sans-serif }
        </style></head><body>
        <h1>Redbarn, TPC-H scale \(scale)</h1>
        <p>Queries and data are \(TPCHReport.title). \(TPCHReport.now()).</p>
        <p>\(escaped(machine.processor)), \(machine.processors) CPUs, \(DecimalFigure.bytes(machine.memoryBytes)),
        \(escaped(machine.system)), kernel \(escaped(machine.kernel)); Redbarn \(RedbarnCommand.version);
        \(settings.map { "\($0.0) \(escaped($0.1.text))" }.joined(separator: ", ")).</p>
        <h2>Hot runs, minimum, milliseconds</h2>
        \(chart)
        <h2>Figures</h2>
        \(table)
        <p>Load \(wasLoaded ? DecimalFigure.text(loadSeconds, digits: 2) + " s" : "reused"),
        on disk \(DecimalFigure.bytes(diskBytes)), peak memory \(DecimalFigure.bytes(peakBytes)),
        geometric mean \(geometricMean.map { DecimalFigure.text($0, digits: 2) } ?? "-") ms.</p>
        </body></html>

        """
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
        let rows = queries.map { query -> String in
            let isBad = query.isValid == false || query.problem != nil
            let verdict =
                isBad
                ? "<span class=\"bad\">\(escaped(query.problem ?? "wrong"))</span>"
                : query.isValid == true ? "valid" : "-"
            let cells = [
                query.name, cell(query.coldMilliseconds), cell(query.median), cell(query.minimum), cell(query.maximum),
                cell(query.planMilliseconds), String(query.rows), verdict,
            ]
            return "<tr>" + cells.map { "<td>\($0)</td>" }.joined() + "</tr>"
        }
        return "<table><tr>" + heading.map { "<th>\($0)</th>" }.joined() + "</tr>\n" + rows.joined(separator: "\n")
            + "</table>"
    }

    private func escaped(_ text: String) -> String {
        var result = ""
        for character in text {
            switch character {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            default: result.append(character)
            }
        }
        return result
    }
}
