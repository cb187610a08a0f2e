import Glibc
import SQLTypes

/// The few file operations that a shell and a benchmark need, by path.
enum LocalFiles {
    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }

    static func isDirectory(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    static func contents(_ path: String) throws -> String { String(decoding: try bytes(path), as: UTF8.self) }

    static func bytes(_ path: String) throws -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor < 0 { throw failure("could not open file", path) }
        defer { close(descriptor) }
        if isDirectory(path) {
            errno = EISDIR
            throw failure("could not read file", path)
        }
        return try bytes(descriptor, path)
    }

    static func bytes(_ descriptor: Int32, _ path: String) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count < 0 && errno == EINTR { continue }
            if count < 0 { throw failure("could not read file", path) }
            if count == 0 { break }
            bytes += buffer[..<count]
        }
        return bytes
    }

    static func write(_ text: String, to path: String) throws {
        let sink = try OutputSink(.file(path))
        sink.write(text)
        try sink.close()
    }

    /// Bytes of all files below a directory.
    static func size(ofDirectory path: String) -> Int {
        var total = 0
        forEachEntry(path) { _, facts in
            if facts.st_mode & S_IFMT == S_IFREG { total += Int(facts.st_size) }
        }
        return total
    }

    static func size(ofFile path: String) -> Int? {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : nil
    }

    static func removeDirectory(_ path: String) {
        forEachEntry(path) { entry, facts in
            if facts.st_mode & S_IFMT == S_IFDIR { rmdir(entry) } else { unlink(entry) }
        }
        rmdir(path)
    }

    /// A fresh directory under TMPDIR.
    static func makeScratchDirectory() throws -> String {
        var template = Array("\(Environment["TMPDIR"] ?? "/tmp")/redbarn-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw failure("could not create a directory in", "TMPDIR") }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Children before their directory; links are not followed.
    private static func forEachEntry(_ path: String, _ body: (String, stat) -> Void) {
        guard let directory = opendir(path) else { return }
        defer { closedir(directory) }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name == "." || name == ".." { continue }
            var facts = stat()
            guard lstat("\(path)/\(name)", &facts) == 0 else { continue }
            if facts.st_mode & S_IFMT == S_IFDIR { forEachEntry("\(path)/\(name)", body) }
            body("\(path)/\(name)", facts)
        }
    }

    static func absolute(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    private static func failure(_ what: String, _ path: String) -> SQLError {
        SQLError(
            errno == ENOENT ? .undefinedFile : .ioError, "\(what) \"\(path)\": \(String(cString: strerror(errno)))")
    }
}
