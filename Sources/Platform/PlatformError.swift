import Glibc

/// What the operating system refused. `SQLTypes` turns it into the error that a client sees.
public struct PlatformError: Error, Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case notFound
        case permissionDenied
        case diskFull
        case alreadyExists
        case isDirectory
        case notDirectory
        case directoryNotEmpty
        case tooManyOpenFiles
        /// Another process, whose id is in ``PlatformError/holder``, has the lock.
        case alreadyLocked
        case io
    }

    public var kind: Kind
    /// What was tried, as a verb phrase: "open file", "write file".
    public var operation: String
    public var path: String
    public var errno: Int32
    /// The operating system's text for `errno`.
    public var text: String
    /// For ``Kind/alreadyLocked``: the process that holds the lock, if it said so.
    public var holder: Int32?

    public init(
        kind: Kind, operation: String, path: String, errno: Int32 = 0, text: String = "", holder: Int32? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.path = path
        self.errno = errno
        self.text = text
        self.holder = holder
    }

    /// The error for an `errno` value; call it before anything else can change `errno`.
    public init(operation: String, path: String, errno code: Int32) {
        let text = String(cString: strerror(code))
        self.init(kind: Kind(errno: code), operation: operation, path: path, errno: code, text: text)
    }

    /// PostgreSQL's wording: `could not open file "x": No such file or directory`.
    public var message: String {
        if kind == .alreadyLocked {
            let who = holder.map { " (PID \($0))" } ?? ""
            return "lock file \"\(path)\" is held by another process\(who)"
        }
        return "could not \(operation) \"\(path)\": \(text)"
    }
}

extension PlatformError.Kind {
    init(errno code: Int32) {
        switch code {
        case ENOENT: self = .notFound
        case EACCES, EPERM, EROFS: self = .permissionDenied
        case ENOSPC, EDQUOT: self = .diskFull
        case EEXIST: self = .alreadyExists
        case EISDIR: self = .isDirectory
        case ENOTDIR: self = .notDirectory
        case ENOTEMPTY: self = .directoryNotEmpty
        case EMFILE, ENFILE: self = .tooManyOpenFiles
        default: self = .io
        }
    }
}
