import ArgumentParser

/// `redbarn serve --config FILE`: every option of the command may stand in a file as `name = value`, without its
/// dashes. What the command line says too is left out, so flags win. `#` begins a comment, values may stand in double
/// quotes, an option that may be given several times may stand on several lines, and flags take `true` and `false`.
struct ConfigFile {
    private var entries: [(name: String, value: String)] = []

    /// The arguments with those of the file that they name in front.
    static func expanded(_ arguments: [String]) throws -> [String] {
        guard arguments.first == "serve", let index = arguments.firstIndex(where: isConfig) else { return arguments }
        var rest = arguments
        let path: String
        if let equals = rest[index].firstIndex(of: "=") {
            path = String(rest[index][rest[index].index(after: equals)...])
            rest.remove(at: index)
        } else {
            guard index + 1 < rest.count else { throw ValidationError("--config needs a file") }
            path = rest[index + 1]
            rest.removeSubrange(index...index + 1)
        }
        let file = try ConfigFile(text: try LocalFiles.contents(path), path: path)
        return ["serve"] + file.arguments(besides: rest) + rest.dropFirst()
    }

    private static func isConfig(_ argument: String) -> Bool {
        argument == "--config" || argument.hasPrefix("--config=")
    }

    init(text: String, path: String) throws {
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let content = String(line).trimmed
            if content.isEmpty || content.hasPrefix("#") { continue }
            guard let equals = content.firstIndex(of: "=") else {
                throw ValidationError("\(path):\(number + 1): expected name = value")
            }
            let name = String(content[..<equals]).trimmed
            let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "-" || $0.isNumber) }
            guard isName else { throw ValidationError("\(path):\(number + 1): \"\(name)\" is no option's name") }
            entries.append((name, ConfigFile.value(String(content[content.index(after: equals)...]).trimmed)))
        }
    }

    /// Up to a comment; all of it within double quotes.
    private static func value(_ text: String) -> String {
        if text.hasPrefix("\""), let end = text.dropFirst().firstIndex(of: "\"") {
            return String(text[text.index(after: text.startIndex)..<end])
        }
        guard let comment = text.firstRange(of: " #") else { return text }
        return String(text[..<comment.lowerBound]).trimmed
    }

    /// - Parameter given: what the command line says already.
    func arguments(besides given: [String]) -> [String] {
        var result: [String] = []
        for (name, value) in entries {
            let option = "--" + name
            if given.contains(where: { $0 == option || $0.hasPrefix(option + "=") }) { continue }
            switch value {
            case "true": result.append(option)
            case "false": continue
            default: result.append(option + "=" + value)
            }
        }
        return result
    }
}
