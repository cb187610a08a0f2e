import Platform
import SQLTypes

/// Where statements find files and leave them: the one way from a location's text to what reads or writes there. Local
/// paths, and `s3://` in the folder that stands for it; a client of a real object store becomes another case here.
package struct StoragePlaces: Sendable {
    /// What stands for S3: `s3://bucket/key` is the file `bucket/key` below it. nil: there is no S3.
    package var s3Root: String?
    package var policy: LocalPathPolicy
    package var fileSystem: any FileSystem

    package init(
        s3Root: String? = nil, policy: LocalPathPolicy = LocalPathPolicy(),
        fileSystem: any FileSystem = LocalFileSystem()
    ) {
        self.s3Root = s3Root
        self.policy = policy
        self.fileSystem = fileSystem
    }

    /// What COPY reads.
    package func source(_ location: String, isManifest: Bool = false) throws -> any LoadSource {
        try LocalLoadSource(location: location, isManifest: isManifest, places: self)
    }

    /// Where UNLOAD writes files whose names begin as the location does.
    package func destination(_ location: String) throws -> any OutputFileSet {
        LocalFileSet(try place(location, for: "UNLOAD"), fileSystem)
    }

    /// - Parameter statement: COPY or UNLOAD, for errors.
    func place(_ location: String, for statement: String) throws -> LocalPlace {
        let what = statement == "COPY" ? "COPY source" : "UNLOAD destination"
        if location.isEmpty { throw SQLError(.invalidParameterValue, "\(what) must not be empty") }
        if location.utf8.contains(0) { throw SQLError(.invalidParameterValue, "\(what) contains a NUL byte") }
        guard let colon = location.firstRange(of: "://") else {
            return LocalPlace(path: absolute(location), shape: .path, policy: policy)
        }
        let rest = String(location[colon.upperBound...])
        let scheme = location[..<colon.lowerBound].lowercased()
        switch scheme {
        case "file":
            let path = rest.hasPrefix("localhost/") ? String(rest.dropFirst("localhost".count)) : rest
            guard path.hasPrefix("/") else {
                throw SQLError(.invalidParameterValue, "file URL \"\(location)\" must have an absolute path")
            }
            return LocalPlace(path: path, shape: .path, policy: policy)
        case "s3": return try object(rest, location, statement)
        default:
            throw SQLError(
                .featureNotSupported,
                "\(statement) \(statement == "COPY" ? "from" : "to") \(scheme):// is not supported",
                hint: "Local paths and s3:// are.")
        }
    }

    private func absolute(_ path: String) -> String {
        if !path.hasPrefix("/"), let base = policy.baseDirectory { return FilePath.join(base, path) }
        return path
    }

    private func object(_ text: String, _ location: String, _ statement: String) throws -> LocalPlace {
        guard let root = s3Root else {
            throw SQLError(
                .featureNotSupported,
                "\(statement) \(statement == "COPY" ? "from" : "to") s3:// needs a folder that stands for S3",
                hint: "Start Redbarn with --s3-root DIR: s3://bucket/key is then the file DIR/bucket/key.")
        }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard let bucket = parts.first, !bucket.isEmpty else {
            throw SQLError(.invalidParameterValue, "\"\(location)\" names no bucket")
        }
        if parts.contains(where: { $0 == "." || $0 == ".." }) {
            throw SQLError(
                .insufficientPrivilege, "\"\(location)\" is not a key of the folder that stands for S3",
                detail: "Keys may not have . and .. among their parts.")
        }
        guard parts.count > 1 || statement == "COPY" else {
            throw SQLError(.invalidParameterValue, "\"\(location)\" names a bucket, but no key")
        }
        let path = FilePath.join(root, parts.count > 1 ? text : text + "/")
        return LocalPlace(
            path: path, shape: .object(root: root), policy: LocalPathPolicy(allowedRoots: [root]))
    }
}
