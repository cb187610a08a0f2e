/// The seam between the warehouse and the disk: every path that reads or writes a file goes through it, so that tests
/// can make the n-th operation fail, lose unsynchronised bytes, or count what was done.
public protocol FileSystem: Sendable {
    func open(_ path: String, _ mode: OpenMode) throws -> any OpenFile
    /// Replaces `to` atomically if it exists. Durable only after ``synchronizeDirectory(_:)``.
    func rename(_ from: String, to: String) throws
    /// A second name for the same file.
    func link(_ existing: String, at path: String) throws
    /// Removes one file; a missing file is an error of kind `notFound`.
    func remove(_ path: String) throws
    /// Removes an empty directory; one with anything in it stays, with an error.
    func removeDirectory(_ path: String) throws
    /// Removes a file or a directory with all it contains; nothing happens if it is missing.
    func removeTree(_ path: String) throws
    /// Makes a directory and its missing parents; existing directories are fine.
    func makeDirectories(_ path: String) throws
    /// The names in a directory, without `.` and `..`, in byte order.
    func list(_ path: String) throws -> [String]
    /// nil when there is nothing at the path.
    func status(_ path: String) throws -> FileStatus?
    /// For making the names in a directory durable. Who must not be stopped half-way for want of a descriptor opens it
    /// before the first change.
    func openDirectory(_ path: String) throws -> any OpenDirectory
    /// Takes the exclusive lock of a lock file (made if missing) and writes the process id into it.
    func lock(_ path: String) throws -> any FileLock
}

public enum OpenMode: Sendable, Hashable {
    /// An existing file, for reading.
    case read
    /// An existing file, for reading and writing.
    case update
    /// For reading and writing, made if missing; its bytes stay.
    case createOrUpdate
    /// A new file; an existing one is an error of kind `alreadyExists`.
    case create
    /// A new file, or an existing one cut to nothing.
    case replace
}

/// An open file. Calls may come from several threads; reads and writes at offsets do not disturb each other.
public protocol OpenFile: AnyObject, Sendable {
    var path: String { get }
    /// Reads until the buffer is full or the file ends; the result says how many bytes came.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int
    func write(_ bytes: UnsafeRawBufferPointer, at offset: Int64) throws
    /// Writes after the last byte. Appends of one handle are serialised.
    func append(_ bytes: UnsafeRawBufferPointer) throws
    func synchronize() throws
    /// Like ``synchronize()``, but of what tells of the file only as much as reading the bytes needs.
    func synchronizeData() throws
    func truncate(to size: Int64) throws
    func size() throws -> Int64
}

extension OpenFile {
    public func synchronizeData() throws { try synchronize() }
}

public struct FileStatus: Sendable, Hashable {
    public var size: Int64
    public var modifiedMicroseconds: Int64
    public var isDirectory: Bool
    /// A named pipe or a socket: reading it would wait for somebody else.
    public var isPipe: Bool
    public init(size: Int64, modifiedMicroseconds: Int64, isDirectory: Bool, isPipe: Bool = false) {
        self.isPipe = isPipe
        self.size = size
        self.modifiedMicroseconds = modifiedMicroseconds
        self.isDirectory = isDirectory
    }
}

/// A directory that stays open.
public protocol OpenDirectory: AnyObject, Sendable {
    /// Makes created, renamed and removed names durable.
    func synchronize() throws
}

/// Holds a lock file's lock until it is released or goes away.
public protocol FileLock: AnyObject, Sendable {
    func release()
}

extension FileSystem {
    /// The whole file. For small files: metadata, manifests, options.
    public func readAll(_ path: String) throws -> [UInt8] {
        let file = try open(path, .read)
        let size = Int(try file.size())
        return try [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            count = try file.read(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        }
    }

    /// Replaces a file so that a crash leaves the old or the new bytes, never a mixture: temporary file, sync,
    /// rename, sync.
    public func replaceDurably(_ path: String, with bytes: [UInt8]) throws {
        let temporary = path + ".new"
        let folder = try openDirectory(FilePath.parent(path))
        let file = try open(temporary, .replace)
        try bytes.withUnsafeBytes { try file.append($0) }
        try file.synchronize()
        try rename(temporary, to: path)
        try folder.synchronize()
    }

    /// Makes created, renamed and removed names of a directory durable.
    public func synchronizeDirectory(_ path: String) throws { try openDirectory(path).synchronize() }
}

/// Plain path arithmetic on "/"-separated names.
public enum FilePath {
    public static func parent(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }
    public static func name(_ path: String) -> String {
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return path }
        return String(path[path.index(after: slash)...])
    }
    public static func join(_ directory: String, _ name: String) -> String {
        directory.utf8.last == UInt8(ascii: "/") ? directory + name : directory + "/" + name
    }
}
