import Glibc

/// Statements of earlier sessions, in a file that follows the user: REDBARN_HISTORY, else redbarn/history under
/// XDG_STATE_HOME, else ~/.redbarn_history.
struct History {
    let path: String?
    private var last = ""
    private static let keptEntries: Int32 = 5_000

    init() {
        path = History.location()
        EditLibrary.limitHistory(History.keptEntries)
        if let path { EditLibrary.readHistory(path) }
    }

    private static func location() -> String? {
        if let path = Environment["REDBARN_HISTORY"] { return path == "/dev/null" ? nil : path }
        if let state = Environment["XDG_STATE_HOME"] {
            mkdir(state, 0o700)
            mkdir(state + "/redbarn", 0o700)
            return state + "/redbarn/history"
        }
        return Environment["HOME"].map { $0 + "/.redbarn_history" }
    }

    /// A statement becomes one entry. Its lines are joined, so that it can be edited as one; a line comment would
    /// swallow what follows it, so such statements stay as they are typed, line by line.
    mutating func add(_ statement: String) {
        let entries = statement.contains("--") ? statement.split(separator: "\n").map(String.init) : [joined(statement)]
        for entry in entries where !entry.isEmpty && entry != last {
            EditLibrary.addHistory(entry)
            last = entry
        }
        guard let path else { return }
        // Nobody else needs to read what was asked of the data.
        let mask = umask(0o077)
        EditLibrary.writeHistory(path)
        umask(mask)
    }

    private func joined(_ statement: String) -> String {
        statement.split(separator: "\n").joined(separator: " ")
    }
}
