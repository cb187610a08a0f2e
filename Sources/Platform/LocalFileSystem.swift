import Glibc

/// The real disk. Interrupted calls are repeated and short transfers continued; descriptors close on exec.
public struct LocalFileSystem: FileSystem {
    public init() {}

    public func open(_ path: String, _ mode: OpenMode) throws -> any OpenFile {
        let descriptor = try LocalFileSystem.descriptor(path, flags(mode), operation: "open file")
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            let code = errno
            close(descriptor)
            throw PlatformError(operation: "open file", path: path, errno: code)
        }
        let kind = information.st_mode & S_IFMT
        if kind == S_IFDIR || kind == S_IFIFO || kind == S_IFSOCK {
            close(descriptor)
            throw PlatformError(operation: "open file", path: path, errno: kind == S_IFDIR ? EISDIR : ESPIPE)
        }
        return LocalFile(path: path, descriptor: descriptor, size: Int64(information.st_size))
    }

    private func flags(_ mode: OpenMode) -> Int32 {
        switch mode {
        // A pipe would wait for its writer, out of reach of any cancel; regular files do not know the flag.
        case .read: O_RDONLY | O_NONBLOCK
        case .update: O_RDWR
        case .createOrUpdate: O_RDWR | O_CREAT
        case .create: O_RDWR | O_CREAT | O_EXCL
        case .replace: O_RDWR | O_CREAT | O_TRUNC
        }
    }

    static func descriptor(_ path: String, _ flags: Int32, operation: String) throws -> Int32 {
        while true {
            let descriptor = Glibc.open(path, flags | O_CLOEXEC, 0o600)
            if descriptor >= 0 { return descriptor }
            if errno != EINTR { throw PlatformError(operation: operation, path: path, errno: errno) }
        }
    }

    public func rename(_ from: String, to: String) throws {
        try check(Glibc.rename(from, to), "rename file", from)
    }

    public func link(_ existing: String, at path: String) throws {
        try check(Glibc.link(existing, path), "link file", path)
    }

    public func remove(_ path: String) throws {
        try check(unlink(path), "remove file", path)
    }

    public func removeDirectory(_ path: String) throws {
        try check(rmdir(path), "remove directory", path)
    }

    public func removeTree(_ path: String) throws {
        var information = stat()
        guard lstat(path, &information) == 0 else {
            if errno == ENOENT { return }
            throw PlatformError(operation: "stat file", path: path, errno: errno)
        }
        guard information.st_mode & S_IFMT == S_IFDIR else { return try remove(path) }
        for name in try list(path) { try removeTree(FilePath.join(path, name)) }
        try check(rmdir(path), "remove directory", path)
    }

    public func makeDirectories(_ path: String) throws {
        if path.isEmpty || mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            guard try status(path)?.isDirectory == true else {
                throw PlatformError(operation: "create directory", path: path, errno: ENOTDIR)
            }
        case ENOENT:
            let parent = FilePath.parent(path)
            guard parent != path else { throw PlatformError(operation: "create directory", path: path, errno: ENOENT) }
            try makeDirectories(parent)
            if mkdir(path, 0o700) != 0 && errno != EEXIST {
                throw PlatformError(operation: "create directory", path: path, errno: errno)
            }
        default:
            throw PlatformError(operation: "create directory", path: path, errno: errno)
        }
    }

    public func list(_ path: String) throws -> [String] {
        guard let directory = opendir(path) else {
            throw PlatformError(operation: "open directory", path: path, errno: errno)
        }
        defer { closedir(directory) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        if errno != 0 { throw PlatformError(operation: "read directory", path: path, errno: errno) }
        return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
    }

    public func status(_ path: String) throws -> FileStatus? {
        var information = stat()
        guard stat(path, &information) == 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            throw PlatformError(operation: "stat file", path: path, errno: errno)
        }
        return FileStatus(
            size: Int64(information.st_size),
            modifiedMicroseconds: Int64(information.st_mtim.tv_sec) * 1_000_000
                + Int64(information.st_mtim.tv_nsec) / 1_000,
            isDirectory: information.st_mode & S_IFMT == S_IFDIR,
            isPipe: [S_IFIFO, S_IFSOCK].contains(information.st_mode & S_IFMT))
    }

    public func openDirectory(_ path: String) throws -> any OpenDirectory {
        LocalDirectory(
            path: path,
            descriptor: try LocalFileSystem.descriptor(path, O_RDONLY | O_DIRECTORY, operation: "open directory"))
    }

    public func lock(_ path: String) throws -> any FileLock {
        let descriptor = try LocalFileSystem.descriptor(path, O_RDWR | O_CREAT, operation: "open lock file")
        guard LocalFileSystem.takeLock(descriptor) else {
            let code = errno
            defer { close(descriptor) }
            guard code == EWOULDBLOCK else { throw PlatformError(operation: "lock file", path: path, errno: code) }
            throw PlatformError(
                kind: .alreadyLocked, operation: "lock file", path: path, errno: code,
                text: String(cString: strerror(code)), holder: LocalFileSystem.holder(descriptor))
        }
        let text = Array("\(getpid())\n".utf8)
        guard ftruncate(descriptor, 0) == 0, pwrite(descriptor, text, text.count, 0) == text.count else {
            let code = errno
            close(descriptor)
            throw PlatformError(operation: "write lock file", path: path, errno: code)
        }
        return LocalFileLock(descriptor: descriptor)
    }

    /// A holder that was killed keeps its lock until the kernel has taken its memory apart: that is waited for.
    private static func takeLock(_ descriptor: Int32) -> Bool {
        for _ in 0..<lockAttempts {
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { return true }
            let code = errno
            let state = code == EWOULDBLOCK ? holder(descriptor).map { ProcessState($0) } : nil
            if state == .ending {
                usleep(lockPauseMicroseconds)
                continue
            }
            if state == .gone { break }
            errno = code
            return false
        }
        return flock(descriptor, LOCK_EX | LOCK_NB) == 0
    }
    private static let lockAttempts = 2_000
    private static let lockPauseMicroseconds: UInt32 = 5_000

    private static func holder(_ descriptor: Int32) -> Int32? {
        var bytes = [UInt8](repeating: 0, count: 16)
        let count = pread(descriptor, &bytes, 16, 0)
        guard count > 0 else { return nil }
        return Int32(String(decoding: bytes[..<count].prefix { $0 != 10 }, as: UTF8.self))
    }

    private func check(_ result: Int32, _ operation: String, _ path: String) throws {
        if result != 0 { throw PlatformError(operation: operation, path: path, errno: errno) }
    }
}

/// A file of ``LocalFileSystem``; the descriptor closes with the last reference.
final class LocalFile: OpenFile {
    let path: String
    private let descriptor: Int32
    /// Where the next append goes. Held while appending.
    private let end: Lock<Int64>

    init(path: String, descriptor: Int32, size: Int64) {
        self.path = path
        self.descriptor = descriptor
        self.end = Lock(size)
    }
    deinit { close(descriptor) }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let base = buffer.baseAddress else { return 0 }
        var done = 0
        while done < buffer.count {
            let count = pread(descriptor, base + done, buffer.count - done, off_t(offset) + off_t(done))
            if count == 0 { break }
            if count > 0 {
                done += count
            } else if errno != EINTR {
                throw PlatformError(operation: "read file", path: path, errno: errno)
            }
        }
        return done
    }

    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        try transfer(bytes, at: offset)
        end.withLock { $0 = max($0, offset + Int64(bytes.count)) }
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        try end.withLock { end in
            try transfer(bytes, at: end)
            end += Int64(bytes.count)
        }
    }

    private func transfer(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws {
        guard let base = bytes.baseAddress else { return }
        var done = 0
        while done < bytes.count {
            let count = pwrite(descriptor, base + done, bytes.count - done, off_t(offset) + off_t(done))
            if count >= 0 {
                done += count
            } else if errno != EINTR {
                throw PlatformError(operation: "write file", path: path, errno: errno)
            }
        }
    }

    func synchronize() throws {
        // Not repeated after a failure: the kernel may have dropped the dirty pages, so a second success would lie.
        if fsync(descriptor) != 0 { throw PlatformError(operation: "fsync file", path: path, errno: errno) }
    }

    func synchronizeData() throws {
        if fdatasync(descriptor) != 0 { throw PlatformError(operation: "fsync file", path: path, errno: errno) }
    }

    func truncate(to size: Int64) throws {
        try end.withLock { end in
            while ftruncate(descriptor, off_t(size)) != 0 {
                if errno != EINTR { throw PlatformError(operation: "truncate file", path: path, errno: errno) }
            }
            end = size
        }
    }

    func size() throws -> Int64 {
        var information = stat()
        guard fstat(descriptor, &information) == 0 else {
            throw PlatformError(operation: "stat file", path: path, errno: errno)
        }
        return Int64(information.st_size)
    }
}

final class LocalDirectory: OpenDirectory {
    private let path: String
    private let descriptor: Int32

    init(path: String, descriptor: Int32) {
        self.path = path
        self.descriptor = descriptor
    }
    deinit { close(descriptor) }

    func synchronize() throws {
        if fsync(descriptor) != 0 { throw PlatformError(operation: "fsync directory", path: path, errno: errno) }
    }
}

final class LocalFileLock: FileLock {
    private let descriptor: Lock<Int32>
    init(descriptor: Int32) { self.descriptor = Lock(descriptor) }
    deinit { release() }

    func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { close(descriptor) }
            descriptor = -1
        }
    }
}
