import Glibc
import SQLTypes

/// Buffered bytes to a descriptor, a file or a command's standard input. One thread at a time.
final class OutputSink {
    enum Target {
        case descriptor(Int32)
        case file(String)
        case command(String)
    }
    let text = TextBuffer(capacity: 1 << 16)
    let descriptor: Int32
    private var stream: UnsafeMutablePointer<FILE>?
    private let closes: Bool
    private static let flushBytes = 1 << 16

    /// Standard output.
    init(descriptor: Int32) {
        self.descriptor = descriptor
        closes = false
    }

    init(_ target: Target) throws {
        switch target {
        case .descriptor(let number):
            descriptor = number
            closes = false
        case .file(let path):
            descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            closes = true
            if descriptor < 0 { throw OutputSink.failure("could not open file \"\(path)\"") }
        case .command(let command):
            guard let pipe = popen(command, "w") else { throw OutputSink.failure("could not run \"\(command)\"") }
            stream = pipe
            descriptor = fileno(pipe)
            closes = true
        }
    }

    var terminalWidth: Int? { Terminal.width(descriptor) }

    func write(_ string: String) { text.append(text: string) }
    func line(_ string: String) {
        text.append(text: string)
        text.append(10)
    }

    /// Hands the bytes on when enough have gathered.
    func flushIfFull() throws {
        if text.count >= OutputSink.flushBytes { try flush() }
    }

    func flush() throws {
        defer { text.removeAll() }
        var rest = UnsafeRawBufferPointer(text.bytes)
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest.baseAddress, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                throw OutputSink.failure("could not write the output")
            }
            rest = UnsafeRawBufferPointer(rebasing: rest[written...])
        }
    }

    func close() throws {
        defer { release() }
        try flush()
    }

    /// Closes it after a failure; what is left is not written.
    func abandon() {
        text.removeAll()
        release()
    }

    private func release() {
        guard closes else { return }
        if let stream {
            pclose(stream)
        } else {
            Glibc.close(descriptor)
        }
    }

    private static func failure(_ what: String) -> SQLError {
        SQLError(.ioError, "\(what): \(String(cString: strerror(errno)))")
    }
}

/// Messages for people: errors, notices, progress. Unbuffered, so that they keep their place among other programs'
/// lines.
enum StandardError {
    static func line(_ text: String) { write(text + "\n") }
    static func write(_ text: String) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while !rest.isEmpty {
                let written = Glibc.write(STDERR_FILENO, rest.baseAddress, rest.count)
                if written < 0 && errno != EINTR { return }
                rest = UnsafeRawBufferPointer(rebasing: rest[max(written, 0)...])
            }
        }
    }
}
