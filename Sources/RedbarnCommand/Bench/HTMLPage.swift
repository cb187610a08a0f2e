/// A report as one web page without outside parts.
enum HTMLPage {
    static func text(title: String, body: String) -> String {
        """
        <!DOCTYPE html>
        <html lang="en"><head><meta charset="utf-8"><title>\(escaped(title))</title>
        <style>
        body { font: 15px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #222 }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums }
        th, td { padding: .15rem .7rem; text-align: right; border-bottom: 1px solid #ddd }
        th:first-child, td:first-child { text-align: left }
        .bad { color: #b00020; font-weight: 600 } svg text { font: 12px system-ui, sans-serif }
        </style></head><body>
        <h1>\(escaped(title))</h1>
        \(body)
        </body></html>

        """
    }

    /// Cells as they are, already escaped.
    static func table(_ heading: [String], _ rows: [[String]]) -> String {
        let lines = rows.map { "<tr>" + $0.map { "<td>\($0)</td>" }.joined() + "</tr>" }
        return "<table><tr>" + heading.map { "<th>\($0)</th>" }.joined() + "</tr>\n" + lines.joined(separator: "\n")
            + "</table>"
    }

    static func escaped(_ text: String) -> String {
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

extension MachineFacts {
    var html: String {
        "\(HTMLPage.escaped(processor)), \(processors) CPUs, \(DecimalFigure.bytes(memoryBytes)), "
            + "\(HTMLPage.escaped(system)), kernel \(HTMLPage.escaped(kernel)); Redbarn \(RedbarnCommand.version)"
    }
}
