import Catalog
import SQLTypes

/// What BEGIN and SET TRANSACTION choose.
struct TransactionModes: Sendable, Hashable {
    var isolation: IsolationLevel
    var isReadOnly: Bool

    /// Takes over `isolation level serializable, read only` and the like.
    ///
    /// - Returns: the level as it was named, also one without effect.
    mutating func apply(_ text: String) throws -> String? {
        var words = text.lowercased().split { $0 == " " || $0 == "," || $0 == "\n" || $0 == "\t" }.map(String.init)[...]
        var named: String?
        while let word = words.popFirst() {
            switch (word, words.first) {
            case ("isolation", "level"):
                words.removeFirst()
                named = try TransactionModes.takeLevel(&words)
                if let level = IsolationLevel(words: named ?? "") { isolation = level }
            case ("read", "only"), ("read", "write"):
                isReadOnly = words.removeFirst() == "only"
            default: throw SQLError(.syntaxError, "syntax error at or near \"\(word)\"")
            }
        }
        return named
    }

    private static func takeLevel(_ words: inout ArraySlice<String>) throws -> String {
        guard let first = words.popFirst() else { throw SQLError(.syntaxError, "syntax error at end of input") }
        if IsolationLevel(words: first) != nil { return first }
        let both = first + " " + (words.popFirst() ?? "")
        guard IsolationLevel.ignored.contains(both) else {
            throw SQLError(.syntaxError, "syntax error at or near \"\(first)\"")
        }
        return both
    }
}
