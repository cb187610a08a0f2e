import ArgumentParser

/// How results are written.
enum ResultFormat: String, CaseIterable, ExpressibleByArgument {
    case aligned
    case csv
    case tsv
    case json
    case markdown
    case vertical
}

/// Everything `\pset` can change.
struct DisplaySettings {
    enum Expanded: String, CaseIterable { case off, on, auto }
    enum LineStyle: String, CaseIterable { case unicode, ascii }

    var format = ResultFormat.aligned
    var expanded = Expanded.off
    var lineStyle = LineStyle.unicode
    var null: String?
    var tuplesOnly = false
    var showFooter = true
    /// Width to fit tables into; nil takes the terminal's.
    var columns: Int?
    var timing = false

    static let optionNames = ["columns", "expanded", "footer", "format", "linestyle", "null", "tuples_only"]

    /// What stands for NULL.
    var nullText: String {
        if let null { return null }
        switch format {
        case .aligned, .markdown, .vertical: return "NULL"
        case .csv, .tsv, .json: return ""
        }
    }

    /// The present value of an option, or nil when there is no such option.
    func value(_ name: String) -> String? {
        switch name {
        case "columns": columns.map(String.init) ?? "0"
        case "expanded", "x": expanded.rawValue
        case "footer": showFooter ? "on" : "off"
        case "format": format.rawValue
        case "linestyle": lineStyle.rawValue
        case "null": "'\(nullText)'"
        case "tuples_only", "t": tuplesOnly ? "on" : "off"
        default: nil
        }
    }

    /// - Returns: nil when done, or what is wrong. A missing value toggles.
    mutating func set(_ name: String, _ value: String?) -> String? {
        switch name {
        case "columns":
            guard let width = Int(value ?? "0"), width >= 0 else { return "\\pset columns needs a number" }
            columns = width == 0 ? nil : width
        case "expanded", "x":
            let toggled: Expanded = expanded == .on ? .off : .on
            guard let mode = value.map({ Expanded(rawValue: $0) }) ?? toggled else {
                return "\\pset expanded: on, off or auto"
            }
            expanded = mode
        case "footer": showFooter = value.map { $0 == "on" } ?? !showFooter
        case "format":
            guard let chosen = ResultFormat(rawValue: value ?? "") else {
                return "\\pset format: " + ResultFormat.allCases.map(\.rawValue).joined(separator: ", ")
            }
            format = chosen
        case "linestyle":
            guard let style = LineStyle(rawValue: value ?? "") else { return "\\pset linestyle: unicode or ascii" }
            lineStyle = style
        case "null": null = value ?? ""
        case "tuples_only", "t": tuplesOnly = value.map { $0 == "on" } ?? !tuplesOnly
        default: return "\\pset: unknown option: \(name)"
        }
        return nil
    }
}
