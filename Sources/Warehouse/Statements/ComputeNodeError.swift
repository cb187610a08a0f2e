import SQLTypes

/// Errors over rows of tables, as Redshift's compute nodes word them: a message of their own and a block that says
/// where they come from. What the leader finds, in constants and catalogs, has PostgreSQL's words.
struct ComputeNodeError {
    private let error: SQLError
    private let query: Int
    private let session: Int

    init(_ error: SQLError, query: Int, session: Int) {
        self.error = error
        self.query = query
        self.session = session
    }

    /// nil for errors that no row has caused.
    private var facts: (message: String, code: Int, context: String)? {
        switch error.state {
        case .divisionByZero: return ("Divide by zero", 1005, "")
        case .stringTooLong where error.message.hasPrefix("value too long for type"):
            return ("Value too long for character type", 8001, "V" + error.message.dropFirst())
        case .stringTooLong: return (error.message, 8001, "")
        case .invalidText, .invalidDatetimeFormat: return invalidText ?? (error.message, 8001, "")
        case .numericOutOfRange:
            let isNumeric = error.message.contains("umeric")
            return (error.message, isNumeric ? 1058 : 8001, isNumeric ? "128 bit" : "")
        case .cardinalityViolation: return ("single-row subquery returns more than one row", 8001, "")
        case .notNullViolation: return (error.message, 8007, "query execution")
        // Everything else that a value is to blame for.
        default: return error.state.code.hasPrefix("22") ? (error.message, 8001, "") : nil
        }
    }

    /// `invalid input syntax for integer: "a"` and its relatives.
    private var invalidText: (message: String, code: Int, context: String)? {
        let prefix = "invalid input syntax for "
        guard error.message.hasPrefix(prefix), let quote = error.message.range(of: ": \""),
            error.message.last == "\""
        else { return nil }
        let start = error.message.index(error.message.startIndex, offsetBy: prefix.count)
        var type = String(error.message[start..<quote.start])
        if type.hasPrefix("type ") { type = String(type.dropFirst(5)) }
        let value = String(error.message[quote.end...].dropLast())
        switch type {
        case "smallint": return digit(value, "Short", isWhole: true)
        case "integer": return digit(value, "Integer", isWhole: true)
        case "bigint": return digit(value, "Long", isWhole: true)
        case "numeric": return digit(value, "Decimal", isWhole: false)
        case "real": return digit(value, "Float", isWhole: false)
        case "double precision": return digit(value, "Double", isWhole: false)
        case "date": return ("Error converting text to date", 8001, "")
        case "timestamp without time zone": return ("Error converting text to timestamp", 8001, "")
        case "timestamp with time zone": return ("Error converting text to timestamptz", 8001, "")
        case "boolean": return ("Unknown boolean format", 1210, value)
        default: return nil
        }
    }

    private func digit(_ value: String, _ type: String, isWhole: Bool) -> (String, Int, String) {
        var place = 0
        for (index, byte) in value.utf8.enumerated() {
            place = index
            let isSign = (byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+")) && index == 0
            let isPoint = !isWhole && byte == UInt8(ascii: ".")
            if !isSign && !isPoint && !(48...57).contains(byte) && byte != 32 { break }
        }
        return ("Invalid digit, Value '\(value.character(atByte: place))', Pos \(place), Type: \(type)", 1207, value)
    }

    var worded: SQLError {
        if error.state == .queryCanceled, error.message.hasPrefix("canceling statement due to ") {
            let isRule = error.message.hasSuffix("rule")
            return isRule ? error : SQLError(.queryCanceled, "Query (\(query)) cancelled on user's request")
        }
        guard let (message, code, context) = facts else { return error }
        let line = "  -----------------------------------------------"
        let block = [
            "", line, "  error:  \(message)", "  code:      \(code)", "  context:   \(context)",
            "  query:     \(query)", "  location:  query_executor:0",
            "  process:   query0_\(session)_\(query) [pid=\(session)]", line,
        ]
        var result = SQLError(error.state, message, detail: block.joined(separator: "\n"), hint: error.hint)
        if let detail = error.detail { result.detail = detail + "\n" + (result.detail ?? "") }
        return result
    }
}

extension String {
    /// Where a short text begins and ends in this one.
    fileprivate func range(of text: String) -> (start: String.Index, end: String.Index)? {
        var index = startIndex
        while index < endIndex {
            if self[index...].hasPrefix(text) { return (index, self.index(index, offsetBy: text.count)) }
            index = self.index(after: index)
        }
        return nil
    }

    fileprivate func character(atByte offset: Int) -> String {
        guard let place = utf8.index(utf8.startIndex, offsetBy: offset, limitedBy: utf8.endIndex), place < utf8.endIndex
        else { return "" }
        return String(self[rangeOfCharacter(at: place)])
    }

    private func rangeOfCharacter(at place: String.Index) -> Range<String.Index> {
        let start = unicodeScalars.index(place, offsetBy: 0)
        return start..<index(after: start)
    }
}
