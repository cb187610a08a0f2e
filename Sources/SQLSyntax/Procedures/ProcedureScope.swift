import SQLTypes

/// The names of a procedure's body while it is parsed: variables by block, labels, and what the statement at hand has
/// named so far. Confined to one thread.
final class ProcedureScope {
    private struct Level {
        var names: [String: Int] = [:]
        var label: String?
    }
    struct Label {
        var name: String?
        var isLoop: Bool
        var number: Int
    }
    private var levels: [Level] = [Level()]
    private(set) var variables: [ProcedureVariable] = []
    private(set) var labels: [Label] = []
    private var nextLabel = 0
    private var nextText = 0
    let argumentCount: Int
    private let argumentPlaces: [Int]
    let places: ProcedureBody.Places
    /// Of the SQL that is being parsed; nil: names of variables mean nothing.
    var references: [ProcedureReference]?

    init(parameters: [String?]) {
        var level = Level()
        for (index, name) in parameters.enumerated() {
            variables.append(ProcedureScope.variable(name ?? "$\(index + 1)"))
            if let name { level.names[name] = index }
        }
        argumentCount = parameters.count
        argumentPlaces = Array(parameters.indices)
        let first = parameters.count
        for name in ["found", "sqlstate", "sqlerrm"] { variables.append(ProcedureScope.variable(name)) }
        places = ProcedureBody.Places(found: first, errorState: first + 1, errorMessage: first + 2)
        if level.names["found"] == nil { level.names["found"] = first }
        levels = [level]
    }

    private static func variable(_ name: String) -> ProcedureVariable {
        ProcedureVariable(
            name: name, kind: .scalar(ParsedTypeName(name: name == "found" ? "boolean" : "varchar")),
            isConstant: false, isNotNull: false, initial: nil, line: 0)
    }

    var textCount: Int { nextText }
    func makeText() -> Int {
        defer { nextText += 1 }
        return nextText
    }

    // MARK: Blocks

    func open(label: String?) { levels.append(Level(label: label)) }
    func close() { levels.removeLast() }

    /// SQLSTATE and SQLERRM, which only a handler has.
    func openHandler() {
        var level = Level()
        level.names = ["sqlstate": places.errorState, "sqlerrm": places.errorMessage]
        levels.append(level)
    }

    /// - Returns: nil when the block has the name already.
    func declare(_ variable: ProcedureVariable) -> Int? {
        if levels[levels.count - 1].names[variable.name] != nil { return nil }
        levels[levels.count - 1].names[variable.name] = variables.count
        variables.append(variable)
        return variables.count - 1
    }

    /// ALIAS FOR: another name of a variable.
    func alias(_ name: String, _ variable: Int) { levels[levels.count - 1].names[name] = variable }

    func replace(_ place: Int, _ variable: ProcedureVariable) { variables[place] = variable }

    // MARK: Labels

    func openLabel(_ name: String?, isLoop: Bool) -> Int {
        nextLabel += 1
        labels.append(Label(name: name, isLoop: isLoop, number: nextLabel))
        return nextLabel
    }
    func closeLabel() { labels.removeLast() }
    func label(named name: String) -> Label? { labels.last { $0.name == name } }
    var innermostLoop: Label? { labels.last { $0.isLoop } }

    // MARK: Names

    func variable(named name: String) -> Int? {
        for level in levels.reversed() { if let found = level.names[name] { return found } }
        return nil
    }

    func argument(_ number: Int) -> Int? {
        argumentPlaces.indices.contains(number - 1) ? argumentPlaces[number - 1] : nil
    }

    /// `name`, `record.field`, `label.name` or `label.record.field`; nil: no variable.
    func find(_ parts: [String]) -> ProcedureReference? {
        switch parts.count {
        case 1: return variable(named: parts[0]).map { ProcedureReference(variable: $0, field: nil) }
        case 2:
            if let record = variable(named: parts[0]), isRecord(record) {
                return ProcedureReference(variable: record, field: parts[1])
            }
            return labelled(parts[0], parts[1]).map { ProcedureReference(variable: $0, field: nil) }
        case 3:
            guard let record = labelled(parts[0], parts[1]), isRecord(record) else { return nil }
            return ProcedureReference(variable: record, field: parts[2])
        default: return nil
        }
    }

    private func labelled(_ label: String, _ name: String) -> Int? {
        levels.last { $0.label == label }?.names[name]
    }

    func isRecord(_ variable: Int) -> Bool {
        switch variables[variable].kind {
        case .record, .row: true
        case .scalar, .column, .same, .cursor: false
        }
    }

    /// The parameter that stands for a variable in the SQL at hand; nil outside of SQL and for other names.
    func parameter(_ reference: ProcedureReference?) -> Int? {
        guard let reference, references != nil else { return nil }
        if let known = references?.firstIndex(of: reference) { return known + 1 }
        references?.append(reference)
        return references?.count
    }
}
