import SQLTypes

/// COPY JOB, and the option that makes one of a COPY.
extension Parser {
    private static let copyJobVerbs: [StaticString] = ["list", "show", "run", "alter", "drop"]

    /// Behind COPY: JOB and one of its verbs. A table may be called job.
    var atCopyJob: Bool { at(word: "job") && Self.copyJobVerbs.contains { matches(peek(), $0) } }

    mutating func copyJob(_ place: SourcePosition) throws -> CopyJobStatement {
        advance()
        let verb = TokenText.lowered(TokenText.raw(bytes, token))
        advance()
        if verb == "list" { return .list(at: place) }
        let name = try name()
        let action: CopyJobStatement.Action
        switch verb {
        case "show": action = .show
        case "run": action = .run
        case "drop": action = .drop
        default:
            guard take(word: "auto") else { throw syntaxError() }
            action = .alter(isAutomatic: try onOrOff())
        }
        return CopyJobStatement(action: action, name: name, position: place)
    }

    private mutating func onOrOff() throws -> Bool {
        if take(word: "on") { return true }
        guard take(word: "off") else { throw syntaxError() }
        return false
    }

    /// `JOB CREATE name`, one of the options of a COPY.
    mutating func copyJobOption(at place: SourcePosition) throws -> StatementOption {
        guard take(word: "create") else { throw syntaxError() }
        return StatementOption(name: "JOB CREATE", values: [.names([try name()])], position: place)
    }

    /// A COPY with JOB CREATE among its options is a job.
    func copyOrJob(_ copy: CopyStatement) throws -> Statement {
        guard let job = copy.options.first(where: { $0.name == "JOB CREATE" }),
            case .names(let names)? = job.values.first, let name = names.first
        else { return .copy(copy) }
        let automatic = copy.options.filter { $0.name == "AUTO" }
        guard automatic.count <= 1, copy.options.filter({ $0.name == "JOB CREATE" }).count == 1 else {
            throw SQLError(.syntaxError, "conflicting or redundant options", position: job.position.offset)
        }
        let isOff = automatic.first.map { ["off", "false"].contains($0.values.first?.text ?? "") } ?? false
        let plain = CopyStatement(
            table: copy.table, columns: copy.columns, source: copy.source, sourcePosition: copy.sourcePosition,
            options: copy.options.filter { $0.name != "JOB CREATE" && $0.name != "AUTO" }, position: copy.position)
        return .copyJob(
            CopyJobStatement(action: .create(plain, isAutomatic: !isOff), name: name, position: copy.position))
    }
}
