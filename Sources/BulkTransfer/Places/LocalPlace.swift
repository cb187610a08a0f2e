import Glibc
import Platform
import SQLTypes

/// A location as a path of this machine, with what may be done there.
struct LocalPlace: Sendable, Hashable {
    enum Shape: Sendable, Hashable {
        case path
        /// A key, or the beginning of keys, below the folder that stands for S3.
        case object(root: String)
    }
    var path: String
    var shape: Shape
    var policy: LocalPathPolicy

    var isObject: Bool { shape != .path }

    /// A path of this place as statements and errors name it.
    func shown(_ path: String) -> String {
        guard case .object(let root) = shape, path.hasPrefix(root) else { return path }
        return "s3://" + path.dropFirst(root.utf8.count).drop { $0 == "/" }
    }

    /// The path of something that ``shown(_:)`` has named.
    func path(ofShown name: String) -> String {
        guard case .object(let root) = shape, name.hasPrefix("s3://") else { return name }
        return FilePath.join(root, String(name.dropFirst("s3://".count)))
    }

    /// Throws when the path leads out of the allowed folders. Symbolic links are followed first, and of what is not
    /// there yet the part that is.
    func check(_ path: String, _ statement: String, _ verb: String) throws {
        guard let roots = policy.allowedRoots else { return }
        if let real = LocalPlace.resolved(path) {
            for root in roots {
                guard let realRoot = LocalPlace.resolved(root) else { continue }
                if real == realRoot || real.hasPrefix(realRoot.hasSuffix("/") ? realRoot : realRoot + "/") { return }
            }
        }
        let hint =
            isObject
            ? "Keys stay within the folder that stands for S3, also through symbolic links."
            : "The server allows these folders: \(roots.joined(separator: ", "))."
        throw SQLError(.insufficientPrivilege, "\(statement) may not \(verb) \"\(shown(path))\"", hint: hint)
    }

    /// nil when a `..` stands behind what does not exist.
    private static func resolved(_ path: String) -> String? {
        if let resolved = realpath(path, nil) {
            defer { free(resolved) }
            return String(cString: resolved)
        }
        let parent = FilePath.parent(path), name = FilePath.name(path)
        if parent == path || name == ".." { return nil }
        // A link that leads nowhere yet would lead somewhere once that is made.
        if isLink(path) { return nil }
        guard let resolvedParent = resolved(parent) else { return nil }
        return name.isEmpty || name == "." ? resolvedParent : FilePath.join(resolvedParent, name)
    }

    private static func isLink(_ path: String) -> Bool {
        var information = stat()
        return lstat(path, &information) == 0 && information.st_mode & S_IFMT == S_IFLNK
    }

    /// Files whose paths begin with the prefix, in order.
    ///
    /// - Parameter purpose: statement and verb, for errors about folders that are not allowed.
    func files(
        prefix: String, _ fileSystem: any FileSystem, recursive: Bool, for purpose: (statement: String, verb: String),
        where isWanted: (String) -> Bool
    ) throws -> [String] {
        var found: [String] = []
        func visit(_ directory: String, _ prefix: String) throws {
            guard try fileSystem.status(directory)?.isDirectory == true else { return }
            try check(directory, purpose.statement, purpose.verb)
            for name in try fileSystem.list(directory) where name.hasPrefix(prefix) && isWanted(name) {
                let path = FilePath.join(directory, name)
                guard let status = try fileSystem.status(path) else { continue }
                if !status.isDirectory {
                    found.append(path)
                } else if recursive {
                    try visit(path, "")
                }
            }
        }
        try visit(FilePath.parent(prefix), FilePath.name(prefix))
        return found
    }
}
