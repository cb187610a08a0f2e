// The library has global state and no annotations: everything here is called on the main thread.
@preconcurrency import CEdit
import CTerminal
import Glibc

/// The line editing library's interface. Kept to one file and out of line: the C side has static state that must exist
/// once. Main thread only.
enum EditLibrary {
    enum Input {
        case line(String)
        /// Ctrl-C: what was typed is given up.
        case interrupted
        case end
    }

    @inline(never)
    static func takeSignal(_ number: Int32, pipe: Int32) { redbarn_take_signal(number, pipe) }

    @inline(never)
    static func start(programName: String) {
        useUnicode()
        rl_readline_name = UnsafePointer(strdup(programName))
        rl_initialize()
        using_history()
        rl_completer_word_break_characters = strdup(" \t\n,;()+-*/<>=|!%'[]")
        rl_attempted_completion_function = { text, start, end in
            guard let text, let line = rl_line_buffer else { return nil }
            let word = String(cString: text)
            Completion.prepare(word: word, line: String(cString: line), start: Int(start), end: Int(end))
            rl_attempted_completion_over = 1
            return rl_completion_matches(text) { _, state in
                guard let candidate = Completion.next(first: state == 0) else { return nil }
                return strdup(candidate)
            }
        }
    }

    /// Without a locale the library takes bytes for characters and drops those beyond ASCII. SQL is UTF-8 here,
    /// whatever the terminal's variables say. Only classes of characters: numbers keep their point.
    private static func useUnicode() {
        setlocale(LC_CTYPE, "")
        let codes = nl_langinfo(Int32(CODESET)).map { String(cString: $0) }
        if codes?.uppercased() != "UTF-8" { setlocale(LC_CTYPE, "C.UTF-8") }
    }

    @inline(never)
    static func readLine(prompt: String) -> Input {
        var interrupted: Int32 = 0
        guard let line = redbarn_edit_line(prompt, &interrupted) else { return interrupted == 1 ? .interrupted : .end }
        defer { free(line) }
        return .line(String(cString: line))
    }

    @inline(never)
    static func readHistory(_ path: String) { read_history(path) }
    @inline(never)
    static func addHistory(_ text: String) { add_history(text) }
    @inline(never)
    static func writeHistory(_ path: String) { write_history(path) }
    @inline(never)
    static func limitHistory(_ entries: Int32) { stifle_history(entries) }
    @inline(never)
    static func historyEntries() -> [String] {
        (0..<history_length).compactMap { offset in
            guard let entry = history_get(history_base + offset), let line = entry.pointee.line else { return nil }
            return String(cString: line)
        }
    }
}
