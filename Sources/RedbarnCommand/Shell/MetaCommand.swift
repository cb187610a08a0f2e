import Glibc
import SQLTypes

/// The backslash commands: one table with names, help and action.
struct MetaCommand: Sendable {
    struct Call {
        let shell: Shell
        let arguments: [String]
        /// Everything behind the name, as it was typed.
        let rest: String
        let name: String
        let source: any InputSource
        /// The statement that is being typed.
        let pending: String
        func argument(_ index: Int) -> String? { index < arguments.count ? arguments[index] : nil }
    }
    var names: [String]
    var usage: String
    var help: String
    /// Runs the typed statement, so the input starts afresh.
    var consumesPending = false
    var action: @Sendable (Call) throws -> Void

    static let all: [MetaCommand] = general + informational + formatting + scripting
    static var names: [String] { all.flatMap(\.names).map { "\\" + $0 } }

    static func run(_ line: String, shell: Shell, scanner: inout InputScanner, source: any InputSource) {
        let body = line.dropFirst()
        let name = String(body.prefix { !$0.isWhitespace })
        let rest = String(body.dropFirst(name.count)).trimmed
        guard let command = all.first(where: { $0.names.contains(name) }) else {
            StandardError.line("invalid command \\\(name)\nTry \\? for help.")
            return shell.fail(source)
        }
        let call = Call(
            shell: shell, arguments: words(rest, shell.variables), rest: rest, name: name, source: source,
            pending: scanner.pendingText.trimmed)
        if command.consumesPending { scanner.reset() }
        do {
            try command.action(call)
            try shell.output.flush()
        } catch {
            shell.report(SQLError(reporting: error), statement: nil, source)
        }
    }

    /// Arguments apart by blanks; quotes keep blanks, `:name` is a variable's value.
    static func words(_ text: String, _ variables: ShellVariables) -> [String] {
        var words: [String] = []
        var current: String?
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil } else { current?.append(character) }
            } else if character == "'" || (character == "\"" && current == nil) {
                quote = character
                current = current ?? ""
            } else if character.isWhitespace {
                if let word = current { words.append(word) }
                current = nil
            } else {
                current = (current ?? "") + String(character)
            }
        }
        if let word = current { words.append(word) }
        return words.map { word in
            guard word.hasPrefix(":"), let value = variables[String(word.dropFirst())] else { return word }
            return value
        }
    }
}

extension String {
    /// Without blanks at both ends.
    var trimmed: String {
        var text = self[...]
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
