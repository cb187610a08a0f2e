import SQLTypes

/// COPY and UNLOAD: options in any order, as a list.
extension Parser {
    mutating func copy() throws -> Statement {
        let place = position
        try expect(.copy)
        if atCopyJob { return .copyJob(try copyJob(place)) }
        if take(.leftParenthesis) {
            let query = try query()
            try expect(.rightParenthesis)
            return .copyOut(
                CopyOutStatement(query: query, options: try optionsToClient(), position: place))
        }
        let table = try objectName()
        let columns = try optionalNameList()
        if at(.to) {
            let query = selection(of: table, columns)
            return .copyOut(CopyOutStatement(query: query, options: try optionsToClient(), position: place))
        }
        try expect(.from)
        let sourcePlace = position
        let isStream = take(.stdin)
        let source = isStream ? nil : try stringLiteral()
        return try copyOrJob(
            CopyStatement(
                table: table, columns: columns, source: source, sourcePosition: sourcePlace,
                options: isStream ? try streamOptions() : try bulkOptions(), position: place))
    }

    private func selection(of table: ObjectName, _ columns: [Identifier]) -> Query {
        var body = SelectBody(position: table.position)
        body.items =
            columns.isEmpty
            ? [.wildcard(qualifier: nil, position: table.position)]
            : columns.map { .expression(.name(ObjectName($0)), alias: nil) }
        body.from = [.table(NamedTable(name: table, alias: nil))]
        return Query(body: .select(body), position: table.position)
    }

    private mutating func optionsToClient() throws -> [StatementOption] {
        try expect(.to)
        guard take(word: "stdout") else { throw syntaxError() }
        return try streamOptions()
    }

    /// PostgreSQL's options of streams to and from clients: `(FORMAT csv, HEADER true)`, or the words of its older
    /// releases, `CSV HEADER DELIMITER AS ';'`.
    private mutating func streamOptions() throws -> [StatementOption] {
        _ = take(.with)
        if at(.leftParenthesis) { return try parenthesizedList { try $0.streamOption() } }
        var options: [StatementOption] = []
        while !at(.semicolon), !at(.endOfInput) {
            guard at(.word) else { throw syntaxError() }
            let place = position
            var name = upperWord()
            _ = take(.as)
            switch name {
            case "CSV", "BINARY", "TEXT":
                options.append(
                    StatementOption(name: "FORMAT", values: [.word(TokenText.lowered(name), place)], position: place))
                continue
            case "FORCE": name += " " + upperWord()
            default: break
            }
            options.append(StatementOption(name: name, values: try streamValues(), position: place))
        }
        return options
    }

    private mutating func streamOption() throws -> StatementOption {
        guard at(.word) else { throw syntaxError() }
        let place = position
        let name = upperWord()
        return StatementOption(name: name, values: try streamValues(isListed: true), position: place)
    }

    private mutating func streamValues(isListed: Bool = false) throws -> [OptionValue] {
        let place = position
        if token.kind.isString { return [.string(try optionLiteral(), place)] }
        if at(.integer) { return [.number(try signedNumber(), place)] }
        if isListed, at(.word) { return [.word(TokenText.lowered(upperWord()), place)] }
        return []
    }

    mutating func unload() throws -> UnloadStatement {
        let place = position
        try expect(.unload)
        try expect(.leftParenthesis)
        let queryPlace = position
        let quoting = LiteralQuoting(
            openingCount: TokenText.openingCount(bytes, token), doublesQuotes: token.kind != .dollarString)
        let text = try stringLiteral()
        try expect(.rightParenthesis)
        try expect(.to)
        let targetPlace = position
        let target = try stringLiteral()
        return UnloadStatement(
            queryText: text, queryPosition: queryPlace, queryQuoting: quoting, target: target,
            targetPosition: targetPlace,
            options: try bulkOptions(), position: place)
    }

    private mutating func bulkOptions() throws -> [StatementOption] {
        var options: [StatementOption] = []
        while !at(.semicolon), !at(.endOfInput) { options.append(try bulkOption()) }
        return options
    }

    /// One option with its values; WITH, FORMAT and AS carry no meaning of their own.
    private mutating func bulkOption() throws -> StatementOption {
        _ = take(.with)
        if at(.format) || (at(.as) && peek().kind == .word) {
            _ = take(.format)
            _ = take(.as)
        }
        guard at(.word), !at(anyOf: .as, .with, .from, .to, .select, .default, .format) else { throw syntaxError() }
        let place = position
        let name = upperWord()
        if name == "PARTITION" {
            try expect(.by)
            let columns = try nameList()
            let isIncluded = take(.include)
            let word: [OptionValue] = isIncluded ? [.word("include", place)] : []
            return StatementOption(name: "PARTITION BY", values: [.names(columns)] + word, position: place)
        }
        if name == "JOB" { return try copyJobOption(at: place) }
        _ = take(.as)
        return StatementOption(name: name, values: try bulkValues(name), position: place)
    }

    private mutating func upperWord() -> String {
        let word = TokenText.uppered(TokenText.raw(bytes, token))
        advance()
        return word
    }

    private mutating func bulkValues(_ name: String) throws -> [OptionValue] {
        var values: [OptionValue] = []
        while true {
            let place = position
            if token.kind.isString {
                values.append(.string(try optionLiteral(), place))
            } else if at(.integer) || at(.decimal) || at(.dash) {
                values.append(.number(try signedNumber(), place))
            } else if at(.word), isBulkArgument(name) {
                values.append(.word(TokenText.lowered(upperWord()), place))
            } else {
                return values
            }
        }
    }

    mutating func signedNumber() throws -> String {
        let sign = take(.dash) ? "-" : ""
        guard at(.integer) || at(.decimal) || at(.float) else { throw syntaxError() }
        let text = sign + TokenText.raw(bytes, token)
        advance()
        return text
    }

    /// Whether the word here belongs to the option in front of it instead of being the next option.
    private func isBulkArgument(_ name: String) -> Bool {
        let word = TokenText.lowered(TokenText.raw(bytes, token))
        let arguments: [String] =
            switch name {
            case "COMPUPDATE": ["on", "off", "true", "false", "preset"]
            case "STATUPDATE", "PARALLEL", "AUTO": ["on", "off", "true", "false"]
            case "IAM_ROLE": ["default"]
            case "MAXFILESIZE", "ROWGROUPSIZE": ["mb", "gb"]
            case "MANIFEST": ["verbose"]
            case "ENCRYPTED": ["auto"]
            case "SIMPLIFY": ["auto"]
            case "SHAPEFILE": ["simplify"]
            case "JSON", "AVRO": ["auto", "noshred"]
            case "ENCODING": ["utf8", "utf16", "utf16le", "utf16be", "iso88591"]
            case "REGION": []
            case "ON_ERROR": ["continue", "abort_statement", "skip_file"]
            default: []
            }
        return arguments.contains(word)
    }
}
