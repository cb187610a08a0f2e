import Glibc
import SQLTypes

/// Where lines come from.
protocol InputSource: AnyObject {
    /// The next line without its end; nil at the end of the input.
    func nextLine(prompt: () -> String) -> EditLibrary.Input
    /// For error messages: `FILE:LINE`; nil for a terminal and for -c.
    var place: String? { get }
    var isInteractive: Bool { get }
}

/// A terminal with line editing.
final class TerminalInput: InputSource {
    var place: String? { nil }
    let isInteractive = true
    func nextLine(prompt: () -> String) -> EditLibrary.Input { EditLibrary.readLine(prompt: prompt()) }
}

/// A file, a pipe or standard input.
final class StreamInput: InputSource {
    private let stream: UnsafeMutablePointer<FILE>
    private let name: String?
    private let closes: Bool
    private var buffer: UnsafeMutablePointer<CChar>?
    private var capacity = 0
    private var lineNumber = 0
    let isInteractive = false

    /// Standard input, without a name in messages.
    init() throws {
        guard let opened = fdopen(STDIN_FILENO, "r") else {
            throw SQLError(.ioError, "could not read standard input: \(String(cString: strerror(errno)))")
        }
        stream = opened
        name = nil
        closes = false
    }

    init(path: String) throws {
        guard !LocalFiles.isDirectory(path), let opened = fopen(path, "re") else {
            let reason = LocalFiles.isDirectory(path) ? "Is a directory" : String(cString: strerror(errno))
            throw SQLError(.undefinedFile, "\(path): \(reason)")
        }
        stream = opened
        name = path
        closes = true
    }
    deinit {
        free(buffer)
        if closes { fclose(stream) }
    }

    var place: String? { name.map { "\($0):\(lineNumber)" } }

    func nextLine(prompt: () -> String) -> EditLibrary.Input {
        var length = getline(&buffer, &capacity, stream)
        guard length >= 0, let buffer else { return .end }
        lineNumber += 1
        if length > 0, buffer[length - 1] == 10 { length -= 1 }
        if length > 0, buffer[length - 1] == 13 { length -= 1 }
        let bytes = UnsafeRawBufferPointer(start: buffer, count: length)
        return .line(String(decoding: bytes, as: UTF8.self))
    }
}

/// Text given on the command line.
final class TextInput: InputSource {
    private var lines: [String]
    let isInteractive = false
    var place: String? { nil }

    init(_ text: String) {
        lines = text.split(separator: "\n", omittingEmptySubsequences: false).reversed().map(String.init)
    }
    func nextLine(prompt: () -> String) -> EditLibrary.Input { lines.popLast().map { .line($0) } ?? .end }
}
