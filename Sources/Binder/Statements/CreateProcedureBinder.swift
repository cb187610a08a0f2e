import Catalog
import SQLSyntax
import SQLTypes

/// CREATE PROCEDURE: the body is read for its errors; what it names is looked up when it runs.
struct CreateProcedureBinder {
    private static let maximumParameters = 32
    private static let maximumPerDatabase = 10_000
    private static let maximumSourceBytes = 2 << 20
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: CreateRoutineStatement) throws -> BoundCreateProcedure {
        guard node.language == "plpgsql" else {
            throw SQLError(
                .featureNotSupported, "procedures in language \"\(node.language)\" are not supported",
                hint: "Use LANGUAGE plpgsql.", at: node.position)
        }
        if node.returns != nil {
            throw SQLError(.syntaxError, "procedures cannot have a RETURNS clause", at: node.position)
        }
        try checkLimits(node)
        var definition = ProcedureDefinition(
            id: ObjectID(0), schema: try session.creationSchema(for: node.name), name: node.name.name,
            parameters: try node.parameters.map { try parameter($0) }, body: node.body,
            owner: session.settings.user.id)
        for option in node.options { try apply(option, to: &definition) }
        try checkNames(node)
        try checkBody(node)
        if let existing = session.catalog.procedures[definition.schema]?[definition.signature] {
            try checkReplacement(existing, definition, node)
        }
        return BoundCreateProcedure(definition: definition, orReplace: node.orReplace)
    }

    private func checkLimits(_ node: CreateRoutineStatement) throws {
        for (isInput, word) in [(true, "input"), (false, "output")] {
            let count = node.parameters.count { isInput ? $0.mode != .output : $0.mode != .input }
            guard count > Self.maximumParameters else { continue }
            throw SQLError(
                "54023", "procedures cannot have more than \(Self.maximumParameters) \(word) arguments",
                at: node.position)
        }
        if node.body.utf8.count > Self.maximumSourceBytes {
            throw SQLError(
                .limitExceeded, "the source of a procedure cannot be larger than \(Self.maximumSourceBytes >> 20) MB",
                at: node.bodyPosition)
        }
        let count = session.catalog.procedures.values.reduce(0) { $0 + $1.count }
        if count >= Self.maximumPerDatabase {
            throw SQLError(
                .limitExceeded, "a database cannot have more than \(Self.maximumPerDatabase) procedures",
                at: node.position)
        }
    }

    private func parameter(_ node: RoutineParameter) throws -> ProcedureDefinition.Parameter {
        let isCursor = node.type.isCursor
        return ProcedureDefinition.Parameter(
            name: node.name?.text, mode: node.mode.stored, type: isCursor ? .cursorName : try node.type.resolve(),
            isCursor: isCursor)
    }

    private func checkNames(_ node: CreateRoutineStatement) throws {
        var seen: Set<String> = []
        for name in node.parameters.compactMap(\.name) where !seen.insert(name.text).inserted {
            throw SQLError(
                "42P13", "parameter name \"\(name)\" used more than once", at: name.position)
        }
    }

    private func apply(_ option: StatementOption, to definition: inout ProcedureDefinition) throws {
        switch option.name {
        case "NONATOMIC": definition.isNonatomic = true
        case "SECURITY":
            switch option.values.first?.text {
            case "definer": definition.isDefiner = true
            case "invoker": definition.isDefiner = false
            default:
                throw SQLError(.syntaxError, "SECURITY takes INVOKER or DEFINER", at: option.position)
            }
        case "SET":
            guard option.values.count == 2, let name = option.values[0].text, let value = option.values[1].text else {
                throw SQLError(.syntaxError, "SET takes a parameter and a value", at: option.position)
            }
            definition.settings.append(ProcedureDefinition.Setting(name: name.lowercased(), value: value))
        default:
            throw SQLError(
                "42P13", "invalid attribute in procedure definition: \(option.name)", at: option.position)
        }
    }

    private func checkReplacement(
        _ existing: ProcedureDefinition, _ new: ProcedureDefinition, _ node: CreateRoutineStatement
    ) throws {
        if !node.orReplace { throw existing.alreadyExists.at(node.name.position) }
        if existing.outputs.map(\.typeWord) != new.outputs.map(\.typeWord) {
            throw SQLError(
                "42P13", "cannot change return type of existing procedure",
                detail: "Its output arguments have other types.", hint: "Use DROP PROCEDURE first.",
                at: node.position)
        }
    }

    /// Positions in the body become positions in the statement, where its text stands in it as it is.
    private func checkBody(_ node: CreateRoutineStatement) throws {
        do {
            let body = try ProcedureBody.parse(
                node.body, parameters: node.parameters.map { $0.name?.text }, budget: session.budget)
            for variable in body.variables {
                if case .scalar(let type) = variable.kind, !type.isCursor { _ = try type.resolve() }
            }
        } catch var error as SQLError {
            if let offset = error.position, let start = node.textPosition.offset {
                error.position = start + offset - 1
            } else {
                error.position = node.bodyPosition.offset
            }
            throw error
        }
    }
}

extension RoutineParameter.Mode {
    fileprivate var stored: ProcedureDefinition.Parameter.Mode {
        switch self {
        case .input: .input
        case .output: .output
        case .inputOutput: .inputOutput
        }
    }
}

extension SQLType {
    /// Of a REFCURSOR, which is text to everybody but FETCH.
    package static var cursorName: SQLType { .varchar(256) }
}
