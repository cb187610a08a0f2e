import SQLTypes

/// `E`: an error, with all its fields.
struct ErrorResponse: BackendMessage {
    enum Severity: String { case error = "ERROR", fatal = "FATAL" }
    var severity = Severity.error
    var error: SQLError

    func encode(into buffer: TextBuffer) {
        buffer.message(UInt8(ascii: "E")) {
            MessageFields.append(severity: severity.rawValue, error, to: buffer)
        }
    }
}

/// `N`: a message that is no error. Those of loads begin with their severity.
struct NoticeResponse: BackendMessage {
    var severity: String
    var message: String

    private static let severities = ["INFO", "NOTICE", "WARNING", "LOG", "DEBUG"]

    init(_ text: String) {
        severity = "NOTICE"
        message = text
        for word in NoticeResponse.severities where text.hasPrefix(word + ":") {
            severity = word
            message = String(text.dropFirst(word.count + 1).drop { $0 == " " })
        }
    }

    func encode(into buffer: TextBuffer) {
        let state: SQLState = severity == "WARNING" ? "01000" : "00000"
        buffer.message(UInt8(ascii: "N")) {
            MessageFields.append(severity: severity, SQLError(state, message), to: buffer)
        }
    }
}

/// The fields that errors and notices share.
enum MessageFields {
    static func append(severity: String, _ error: SQLError, to buffer: TextBuffer) {
        func field(_ code: Character, _ text: String?) {
            guard let text, let byte = code.asciiValue else { return }
            buffer.append(byte)
            buffer.append(cString: text)
        }
        field("S", severity)
        field("V", severity)
        field("C", error.state.code)
        field("M", error.message)
        field("D", error.detail)
        field("H", error.hint)
        field("P", error.position.map { String($0) })
        field("p", error.internalPosition.map { String($0) })
        field("q", error.internalQuery)
        field("W", error.context)
        buffer.append(0 as UInt8)
    }
}
