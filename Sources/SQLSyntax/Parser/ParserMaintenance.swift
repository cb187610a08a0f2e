import SQLTypes

/// ANALYZE, VACUUM, EXPLAIN.
extension Parser {
    mutating func analyze() throws -> AnalyzeStatement {
        let place = position
        advance()
        let compression = take(.compression)
        let isVerbose = !compression && take(.verbose)
        var columns = AnalyzeStatement.Columns.all
        var table: ObjectName?
        if atName, !at(.predicate, .columns), !(at(.comprows)) {
            table = try objectName()
            if at(.leftParenthesis) { columns = .list(try nameList()) }
        }
        if take(.predicate, .columns) { columns = .predicate } else { _ = take(.all, .columns) }
        let rows = take(.comprows) ? try integer() : nil
        return AnalyzeStatement(
            isVerbose: isVerbose, compression: compression, table: table, columns: columns, sampleRows: rows,
            position: place)
    }

    mutating func vacuum() throws -> VacuumStatement {
        let place = position
        try expect(.vacuum)
        var kind = VacuumStatement.Kind.full
        if take(.full) {
            kind = .full
        } else if take(.sort, .only) {
            kind = .sortOnly
        } else if take(.delete, .only) {
            kind = .deleteOnly
        } else if take(.reindex) {
            kind = .reindex
        } else if take(.recluster) {
            kind = .recluster
        }
        let table = atName && !(at(.boost) && peek().kind != .dot) ? try objectName() : nil
        var percent: Int?
        if take(.to) {
            let numberPlace = position
            let value = try integer()
            guard (0...100).contains(value) else {
                throw SQLError(.invalidParameterValue, "vacuum threshold must be between 0 and 100", at: numberPlace)
            }
            percent = Int(value)
            try expect(Keyword.percent)
        }
        return VacuumStatement(
            kind: kind, table: table, thresholdPercent: percent, boost: take(.boost), position: place)
    }

    mutating func explain() throws -> ExplainStatement {
        let place = position
        try expect(.explain)
        var verbose = false, analyze = false
        var options: [StatementOption] = []
        if at(.leftParenthesis), peek().kind == .word, !atExplainedQuery {
            options = try parenthesizedList { try $0.explainOption() }
            verbose = options.contains { $0.name == "VERBOSE" && $0.isOn }
            analyze = options.contains { $0.name == "ANALYZE" && $0.isOn }
        } else {
            analyze = take(.analyze) || take(.analyse)
            verbose = take(.verbose)
        }
        return ExplainStatement(
            verbose: verbose, analyze: analyze, options: options, statement: try statement(), position: place)
    }

    private var atExplainedQuery: Bool {
        let keyword = peek().keyword
        return keyword == .select || keyword == .with || keyword == .values
    }

    private mutating func explainOption() throws -> StatementOption {
        let place = position
        let name = TokenText.uppered(try label().text)
        let valuePlace = position
        guard !at(.comma), !at(.rightParenthesis) else {
            return StatementOption(name: name, values: [], position: place)
        }
        if token.kind.isString {
            return StatementOption(name: name, values: [.string(try stringLiteral(), valuePlace)], position: place)
        }
        if at(.integer) {
            return StatementOption(name: name, values: [.number(try signedNumber(), valuePlace)], position: place)
        }
        return StatementOption(name: name, values: [.word(try label().text, valuePlace)], position: place)
    }
}

extension StatementOption {
    /// A switch without a value is on.
    package var isOn: Bool {
        guard let text = values.first?.text else { return true }
        return ["on", "true", "1", "yes"].contains(TokenText.lowered(text))
    }
}
