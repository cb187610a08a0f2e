import ColumnVectors
import Glibc
import SQLTypes
import Warehouse

/// `\copy`: COPY with a file of this machine, or a command, in place of STDIN and STDOUT.
struct CopyCommand {
    private enum Direction { case from, to }
    private let direction: Direction
    private let statement: String
    private let place: String
    private let isCommand: Bool

    /// `table [(columns)] | (query)  from | to  'file' | program 'command' | stdin | stdout  [options]`
    init(_ text: String) throws {
        let words = CopyCommand.words(text)
        guard
            let split = words.firstIndex(where: {
                $0.isTopLevel && ["from", "to"].contains($0.text.lowercased())
            }),
            split > 0, split + 1 < words.count
        else {
            throw SQLError(
                .syntaxError, "\\copy: parse error; usage: \\copy TABLE | (QUERY) from | to FILE [OPTIONS]")
        }
        direction = words[split].text.lowercased() == "from" ? .from : .to
        var next = split + 1
        isCommand = words[next].text.lowercased() == "program" && next + 1 < words.count
        if isCommand { next += 1 }
        place = CopyCommand.unquoted(words[next].text)
        let source = words[..<split].map(\.text).joined(separator: " ")
        let options = words[(next + 1)...].map(\.text).joined(separator: " ")
        statement = "COPY \(source) \(direction == .from ? "FROM STDIN" : "TO STDOUT") \(options)"
    }

    func run(_ shell: Shell) throws {
        let lower = place.lowercased()
        switch direction {
        case .from:
            let isInput = !isCommand && (lower == "stdin" || lower == "pstdin")
            let file = isInput ? fdopen(dup(0), "r") : isCommand ? popen(place, "r") : fopen(place, "r")
            guard let file else { throw failure }
            let handler = CopyFileHandler(input: file)
            defer { if isCommand { pclose(file) } else { fclose(file) } }
            try execute(shell, handler)
        case .to:
            let isOutput = !isCommand && (lower == "stdout" || lower == "pstdout")
            let sink =
                isOutput ? shell.output : try OutputSink(isCommand ? .command(place) : .file(place))
            let session = try session(of: shell)
            let handler = CopyFileHandler(
                output: sink, zone: session.settings.zone, intervals: session.settings.intervalStyle,
                extraDigits: session.settings.extraFloatDigits)
            if isOutput { return try execute(shell, handler) }
            do { try execute(shell, handler) } catch {
                sink.abandon()
                throw error
            }
            // The last bytes may not find room.
            try sink.close()
        }
    }

    private func session(of shell: Shell) throws -> Session {
        guard let local = shell.connection as? LocalConnection else {
            throw SQLError(.featureNotSupported, "\\copy is not supported over a connection")
        }
        return local.session
    }

    private func execute(_ shell: Shell, _ handler: CopyFileHandler) throws {
        let session = try session(of: shell)
        try SignalWatcher.shared.cancelling(with: { session.cancel() }) {
            try session.execute(statement, handler)
        }
        if !shell.isQuiet { StandardError.line(handler.tag) }
    }

    private var failure: SQLError {
        SQLError(.undefinedFile, "\\copy: \(place): \(String(cString: strerror(errno)))")
    }

    private struct Word {
        var text: String
        /// Not within parentheses.
        var isTopLevel: Bool
    }

    /// Words with their quotes; parentheses and what is in them stay one word.
    private static func words(_ text: String) -> [Word] {
        var words: [Word] = []
        var current = ""
        var depth = 0
        var quote: Character?
        var isEscaped = false
        func close() {
            if !current.isEmpty { words.append(Word(text: current, isTopLevel: current.first != "(")) }
            current = ""
        }
        for character in text {
            if let open = quote {
                current.append(character)
                if character == open && !isEscaped { quote = nil }
                isEscaped = open == "'" && character == "\\" && !isEscaped
                continue
            }
            switch character {
            case "'", "\"": quote = character
            case "(":
                if depth == 0 { close() }
                depth += 1
            case ")": depth = max(0, depth - 1)
            case _ where character.isWhitespace && depth == 0:
                close()
                continue
            default: break
            }
            current.append(character)
            if character == ")" && depth == 0 { close() }
        }
        close()
        return words
    }

    private static func unquoted(_ word: String) -> String {
        guard word.count >= 2, let first = word.first, first == "'" || first == "\"", word.last == first
        else { return word }
        return String(word.dropFirst().dropLast()).replacing("''", with: "'")
    }
}

/// Reads rows of COPY from a file, or writes them to one.
private final class CopyFileHandler: ResultHandler, ClientRowSource {
    private let input: UnsafeMutablePointer<FILE>?
    private let output: OutputSink?
    private let zone: ZoneRules
    private let intervals: IntervalStyle
    private let extraDigits: Int
    private var writer: ClientRowWriter?
    private let scratch = TextBuffer()
    private(set) var tag = ""

    init(input: UnsafeMutablePointer<FILE>) {
        self.input = input
        output = nil
        zone = .utc
        intervals = .postgres
        extraDigits = 0
    }
    init(output: OutputSink, zone: ZoneRules, intervals: IntervalStyle, extraDigits: Int) {
        self.output = output
        self.zone = zone
        self.intervals = intervals
        self.extraDigits = extraDigits
        input = nil
    }

    func copyIn(_ format: ClientStreamFormat, columns: [ResultColumn]) throws -> any ClientRowSource {
        if format.kind == .binary {
            throw SQLError(.featureNotSupported, "\\copy reads text and csv only")
        }
        return self
    }

    func next() throws -> [UInt8]? {
        guard let input else { return nil }
        let bytes = [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, input)
        }
        if bytes.isEmpty && ferror(input) != 0 {
            throw SQLError(.ioError, "\\copy: could not read: \(String(cString: strerror(errno)))")
        }
        return bytes.isEmpty ? nil : bytes
    }

    func beginCopyOut(_ format: ClientStreamFormat, columns: [ResultColumn]) throws {
        if format.kind == .binary {
            throw SQLError(.featureNotSupported, "\\copy writes text and csv only")
        }
        let writer = ClientRowWriter(
            format, types: columns.map(\.type), zone: zone, intervals: intervals, extraDigits: extraDigits)
        if format.hasHeader, let output { writer.appendHeader(columns.map(\.name), to: output.text) }
        self.writer = writer
    }

    func begin(columns: [ResultColumn]) throws {}

    func rows(_ batch: ColumnBatch) throws {
        guard let writer, let output else { return }
        for row in 0..<batch.rowCount {
            writer.append(batch, row: row, to: output.text, scratch: scratch)
            try output.flushIfFull()
        }
    }

    func end(tag: String) throws { self.tag = tag }
    func notice(_ message: String) { StandardError.line(message) }
}
