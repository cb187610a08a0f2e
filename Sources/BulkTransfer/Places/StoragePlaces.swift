import Platform
import SQLTypes

/// Where statements find files and leave them: the one way from a location's text to what reads or writes there. Local
/// paths, and `s3://` in an object store, or in the folder that stands for it.
package struct StoragePlaces: Sendable {
    /// What stands for S3: `s3://bucket/key` is the file `bucket/key` below it. nil: ``s3`` is asked.
    package var s3Root: String?
    package var s3: S3Service?
    /// For what waits to be sent; nil keeps it in memory.
    package var temporaryFolder: String?
    package var policy: LocalPathPolicy
    package var fileSystem: any FileSystem
    /// Of the keys of files that are encrypted.
    package var random: SharedRandom

    package init(
        s3Root: String? = nil, s3: S3Service? = nil, policy: LocalPathPolicy = LocalPathPolicy(),
        fileSystem: any FileSystem = LocalFileSystem(), temporaryFolder: String? = nil,
        random: SharedRandom = SharedRandom()
    ) {
        self.random = random
        self.s3Root = s3Root
        self.s3 = s3
        self.temporaryFolder = temporaryFolder
        self.policy = policy
        self.fileSystem = fileSystem
    }

    /// What COPY reads.
    package func source(
        _ location: String, isManifest: Bool = false, access: StorageAccess = StorageAccess(),
        cancellation: CancellationToken = CancellationToken()
    ) throws -> any LoadSource {
        let source: any LoadSource
        if let (place, service) = try stored(location) {
            source = S3LoadSource(
                location: place, isManifest: isManifest, client: try service.client(access, cancellation))
        } else {
            source = try LocalLoadSource(
                location: location, isManifest: isManifest, opensEncrypted: access.masterKey != nil, places: self)
        }
        guard let key = access.masterKey else { return source }
        return EncryptedLoadSource(source, key, cancellation)
    }

    /// Where UNLOAD writes files whose names begin as the location does.
    package func destination(
        _ location: String, access: StorageAccess = StorageAccess(),
        cancellation: CancellationToken = CancellationToken()
    ) throws -> any OutputFileSet {
        let files = try plainDestination(location, access, cancellation)
        return access.masterKey.map { EncryptedFileSet(files, $0, random) } ?? files
    }

    private func plainDestination(
        _ location: String, _ access: StorageAccess, _ cancellation: CancellationToken
    ) throws -> any OutputFileSet {
        if let (place, service) = try stored(location) {
            if place.key.isEmpty {
                throw SQLError(.invalidParameterValue, "\"\(location)\" names a bucket, but no key")
            }
            let waiting = S3WaitingBytes(
                limit: service.configuration.waitingBytes, fileSystem, folder: temporaryFolder,
                token: service.random.next())
            return S3FileSet(place, try service.client(access, cancellation), waiting)
        }
        return LocalFileSet(try place(location, for: "UNLOAD"), fileSystem)
    }

    /// nil for what is on this machine.
    private func stored(_ location: String) throws -> (S3Location, S3Service)? {
        guard s3Root == nil, let s3, location.lowercased().hasPrefix("s3://") else { return nil }
        return (try S3Location(location), s3)
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
                "\(statement) \(statement == "COPY" ? "from" : "to") s3:// is switched off",
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
