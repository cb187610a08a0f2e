import SQLTypes

/// Options of users, roles, databases and external schemas.
extension Parser {
    mutating func accountOptions() throws -> [StatementOption] {
        var options: [StatementOption] = []
        _ = take(.with)
        while !at(.semicolon), !at(.endOfInput) { options.append(try accountOption()) }
        return options
    }

    private mutating func accountOption() throws -> StatementOption {
        let place = position
        for words in Self.longOptionNames where atWords(words) {
            index += words.count
            let name = TokenText.uppered(words.map(\.description).joined(separator: " "))
            return StatementOption(name: name, values: try accountValues(name), position: place)
        }
        guard at(.word) else { throw syntaxError() }
        let name = TokenText.uppered(TokenText.raw(bytes, token))
        advance()
        return StatementOption(name: name, values: try accountValues(name), position: place)
    }

    private static let longOptionNames: [[StaticString]] = [
        ["create", "external", "database", "if", "not", "exists"], ["set", "publicaccessible"],
        ["reset", "session", "timeout"], ["syslog", "access"], ["in", "group"], ["valid", "until"],
        ["connection", "limit"], ["session", "timeout"], ["rename", "to"], ["owner", "to"], ["externalid", "to"],
        ["isolation", "level"],
    ]

    private func atWords(_ words: [StaticString]) -> Bool {
        for (distance, word) in words.enumerated() where !matches(peek(distance), word) { return false }
        return true
    }

    private mutating func accountValues(_ name: String) throws -> [OptionValue] {
        let place = position
        _ = take(.equal)
        switch name {
        case "CREATEDB", "NOCREATEDB", "CREATEUSER", "NOCREATEUSER", "CREATE EXTERNAL DATABASE IF NOT EXISTS",
            "RESET SESSION TIMEOUT", "ENCRYPTED":
            return []
        case "IN GROUP": return [.names(try list { try $0.roleName() })]
        case "RENAME TO", "OWNER TO", "OWNER": return [.names([try roleName()])]
        case "ISOLATION LEVEL": return [.word(TokenText.lowered(try isolationLevel()), place)]
        case "SET": return try settingValues()
        case "RESET": return [.word(try label().text, place)]
        case "FROM": return try sourceWords()
        default: break
        }
        if token.kind.isString { return [.string(try stringLiteral(), place)] }
        if at(.integer) || at(.dash) { return [.number(try signedNumber(), place)] }
        return [.word(try label().text, place)]
    }

    /// `SET name TO value` behind ALTER USER.
    private mutating func settingValues() throws -> [OptionValue] {
        let place = position
        let name = try label().text
        if !take(.to) { try expect(.equal) }
        var values: [OptionValue] = [.word(name, place)]
        repeat {
            let valuePlace = position
            if token.kind.isString {
                values.append(.string(try stringLiteral(), valuePlace))
            } else if at(.integer) || at(.decimal) || at(.dash) {
                values.append(.number(try signedNumber(), valuePlace))
            } else {
                values.append(.word(try label().text, valuePlace))
            }
        } while take(.comma)
        return values
    }

    /// `DATA CATALOG`, `DATASHARE s OF ACCOUNT a NAMESPACE g`: words and strings until an option that follows.
    private mutating func sourceWords() throws -> [OptionValue] {
        var values: [OptionValue] = []
        while !at(.semicolon), !at(.endOfInput), !at(.database), !at(word: "iam_role"), !at(.schema),
            !at(word: "region"), !at(word: "uri")
        {
            let place = position
            if token.kind.isString {
                values.append(.string(try stringLiteral(), place))
            } else {
                values.append(.word(try label().text, place))
            }
        }
        if values.isEmpty { throw syntaxError() }
        return values
    }
}
