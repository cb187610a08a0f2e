import SQLTypes

extension ProcedureBody {
    /// Reads a body for its syntax; names other than those of its variables are not looked up.
    ///
    /// - Parameter parameters: the names of the procedure's arguments, nil for those without one.
    package static func parse(
        _ text: String, parameters: [String?], options: SyntaxOptions = .standard, budget: PlanningBudget? = nil
    ) throws -> ProcedureBody {
        try Parser.parseProcedure(text, parameters: parameters, options: options, budget: budget)
    }
}

/// Procedures in PL/pgSQL: the body and its blocks. Expressions and SQL are read by the ordinary parser.
extension Parser {
    mutating func procedureBody(_ scope: ProcedureScope) throws -> ProcedureBody {
        let label = try blockLabel()
        let block = try procedureBlock(label)
        _ = take(.semicolon)
        try expectEnd()
        return ProcedureBody(
            block: block, variables: scope.variables, textCount: scope.textCount, places: scope.places)
    }

    /// `<<name>>`
    mutating func blockLabel() throws -> String? {
        guard take(.shiftLeft) else { return nil }
        let name = try name().text
        try expect(.shiftRight)
        return name
    }

    func names() throws -> ProcedureScope {
        guard let scope else { throw SQLError(.internalError, "a statement of a procedure outside of one") }
        return scope
    }

    /// As messages count lines: an empty first one does not count.
    func line(of index: Int) -> Int {
        lines?.line(of: tokens[index].start) ?? 0
    }

    mutating func procedureBlock(_ label: String?) throws -> ProcedureBlock {
        let scope = try names()
        scope.open(label: label)
        defer { scope.close() }
        let line = line(of: index)
        var declared: [Int] = []
        while take(.declare) {
            while !at(.begin), !at(.declare) { if let place = try declaration() { declared.append(place) } }
        }
        try expect(.begin)
        let number = scope.openLabel(label, isLoop: false)
        defer { scope.closeLabel() }
        let statements = try procedureStatements()
        var handler: [ProcedureStatement]?
        if take(word: "exception") { handler = try exceptionHandler(scope) }
        try expect(.end)
        try endLabel(label)
        return ProcedureBlock(declared: declared, statements: statements, handler: handler, label: number, line: line)
    }

    private mutating func exceptionHandler(_ scope: ProcedureScope) throws -> [ProcedureStatement] {
        try expect(.when)
        guard take(.others) else {
            throw error(
                "unrecognized exception condition \"\(try label().text)\"", state: .featureNotSupported,
                hint: "OTHERS is the only condition that procedures can handle.")
        }
        try expect(.then)
        scope.openHandler()
        defer { scope.close() }
        let statements = try procedureStatements()
        if at(.when) { throw error("EXCEPTION takes one WHEN OTHERS", state: .featureNotSupported) }
        return statements
    }

    /// The name behind END, which must be the one in front.
    mutating func endLabel(_ label: String?) throws {
        guard atName, !at(.semicolon) else { return }
        let place = index
        let name = try name().text
        if name != label {
            throw SQLError(
                .syntaxError, "end label \"\(name)\" does not match the label of the block", at: position(of: place))
        }
    }

    /// Until a word that ends a list of statements.
    mutating func procedureStatements() throws -> [ProcedureStatement] {
        var statements: [ProcedureStatement] = []
        while !atStatementsEnd {
            if at(.endOfInput) { throw syntaxError() }
            try checkBudget()
            statements.append(try nestedStatement())
        }
        return statements
    }

    private var atStatementsEnd: Bool {
        switch token.keyword {
        case .end, .else, .when: true
        case .none: at(word: "exception") || at(word: "elsif") || at(word: "elseif")
        default: false
        }
    }

    private mutating func nestedStatement() throws -> ProcedureStatement {
        statementDepth += 1
        defer { statementDepth -= 1 }
        guard statementDepth <= ProcedureLimits.nesting else {
            throw SQLError(
                .statementTooComplex, "stack depth limit exceeded",
                detail: "The procedure nests more than \(ProcedureLimits.nesting) blocks, loops and branches.",
                at: position)
        }
        let line = line(of: index)
        return ProcedureStatement(kind: try procedureStatement(), line: line)
    }
}

/// Where the lines of a text begin.
struct LineNumbers {
    private let starts: [Int]
    private let skipped: Int

    init(_ bytes: [UInt8]) {
        var starts = [0]
        for (index, byte) in bytes.enumerated() where byte == 10 { starts.append(index + 1) }
        self.starts = starts
        skipped = bytes.first == 10 || bytes.starts(with: [13, 10]) ? 1 : 0
    }

    func line(of offset: Int) -> Int {
        var low = 0, high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        return max(low + 1 - skipped, 1)
    }
}
