import Glibc
import Platform
import SQLTypes

/// Files of the local disk: one file, the files of a folder, every file whose path starts with a prefix, or the entries
/// of a manifest.
package struct LocalLoadSource: LoadSource {
    let path: String
    let isManifest: Bool
    let fileSystem: any FileSystem
    let policy: LocalPathPolicy

    /// - Parameter location: an absolute or relative path, or a `file://` URL.
    package init(
        location: String, isManifest: Bool = false, fileSystem: any FileSystem = LocalFileSystem(),
        policy: LocalPathPolicy = LocalPathPolicy()
    ) throws {
        path = try LocalLoadSource.path(of: location, policy)
        self.isManifest = isManifest
        self.fileSystem = fileSystem
        self.policy = policy
    }

    static func path(of location: String, _ policy: LocalPathPolicy) throws -> String {
        if location.isEmpty { throw SQLError(.invalidParameterValue, "COPY source must not be empty") }
        if location.utf8.contains(0) { throw SQLError(.invalidParameterValue, "COPY source contains a NUL byte") }
        var path = location
        if let colon = location.firstRange(of: "://") {
            let scheme = location[..<colon.lowerBound].lowercased()
            guard scheme == "file" else {
                throw SQLError(
                    .featureNotSupported, "COPY from \(scheme):// is not supported",
                    hint: "Object stores come later. Copy the files to a local folder and give its path.")
            }
            path = String(location[colon.upperBound...])
            if path.hasPrefix("localhost/") { path.removeFirst("localhost".count) }
            guard path.hasPrefix("/") else {
                throw SQLError(.invalidParameterValue, "file URL \"\(location)\" must have an absolute path")
            }
        }
        if !path.hasPrefix("/"), let base = policy.baseDirectory { path = FilePath.join(base, path) }
        return path
    }

    package func list() throws -> [LoadObject] {
        let objects = isManifest ? try listManifest() : try listPath()
        guard !objects.isEmpty else { throw missing(path) }
        return objects
    }

    private func missing(_ path: String) -> SQLError {
        SQLError(.undefinedFile, "The specified path '\(path)' does not exist", detail: "Load file not found")
    }

    private func listPath() throws -> [LoadObject] {
        if let status = try fileSystem.status(path) {
            if !status.isDirectory { return [try object(path, status)] }
            return try files(in: path, prefix: "", recursive: false)
        }
        return try files(in: FilePath.parent(path), prefix: FilePath.name(path), recursive: true)
    }

    private func files(in directory: String, prefix: String, recursive: Bool) throws -> [LoadObject] {
        guard try fileSystem.status(directory)?.isDirectory == true else { throw missing(path) }
        try checkAllowed(directory)
        var found: [LoadObject] = []
        for name in try fileSystem.list(directory) where name.hasPrefix(prefix) {
            if name.hasPrefix(".") && !prefix.hasPrefix(".") { continue }
            let entry = FilePath.join(directory, name)
            guard let status = try fileSystem.status(entry) else { continue }
            if !status.isDirectory {
                found.append(try object(entry, status))
            } else if recursive {
                found += try files(in: entry, prefix: "", recursive: true)
            }
        }
        return found
    }

    private func listManifest() throws -> [LoadObject] {
        guard let status = try fileSystem.status(path), !status.isDirectory else {
            throw SQLError(
                .undefinedFile, "The specified manifest '\(path)' does not exist",
                hint: "MANIFEST needs the full path of one file.")
        }
        try checkAllowed(path)
        if status.size > 64 << 20 { throw SQLError(.limitExceeded, "manifest \"\(path)\" is larger than 64 MB") }
        var objects: [LoadObject] = []
        for entry in try LoadManifest.parse(try fileSystem.readAll(path), name: path) {
            let entryPath = try LocalLoadSource.path(of: entry.url, policy)
            if let status = try fileSystem.status(entryPath), !status.isDirectory {
                try check(entry, status)
                objects.append(try object(entryPath, status))
            } else if entry.mandatory {
                throw SQLError(
                    .undefinedFile, "The file '\(entryPath)' of the manifest does not exist",
                    detail: "The entry in \"\(path)\" is mandatory.")
            }
        }
        return objects
    }

    private func check(_ entry: LoadManifest.Entry, _ status: FileStatus) throws {
        guard let expected = entry.contentLength, expected != status.size else { return }
        throw SQLError(
            .dataException, "The file '\(entry.url)' has \(status.size) bytes, but the manifest says \(expected)")
    }

    private func object(_ path: String, _ status: FileStatus) throws -> LoadObject {
        try checkAllowed(path)
        if status.isPipe {
            throw SQLError(
                .wrongObjectType, "COPY cannot read \"\(path)\": it is a named pipe or a socket",
                hint: "Send the rows by COPY FROM STDIN.")
        }
        return LoadObject(name: path, sizeBytes: status.size)
    }

    private func checkAllowed(_ path: String) throws {
        guard let roots = policy.allowedRoots else { return }
        let real = LocalLoadSource.resolved(path)
        for root in roots {
            let realRoot = LocalLoadSource.resolved(root)
            if real == realRoot || real.hasPrefix(realRoot.hasSuffix("/") ? realRoot : realRoot + "/") { return }
        }
        throw SQLError(
            .insufficientPrivilege, "COPY may not read \"\(path)\"",
            hint: "The server allows these folders: \(roots.joined(separator: ", ")).")
    }

    private static func resolved(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    package func readCompanion(_ location: String, limit: Int) throws -> [UInt8] {
        let path = try LocalLoadSource.path(of: location, policy)
        guard let status = try fileSystem.status(path), !status.isDirectory else { throw missing(path) }
        let object = try object(path, status)
        if object.sizeBytes > Int64(limit) {
            throw SQLError(.limitExceeded, "file \"\(path)\" is larger than \(limit >> 20) MB")
        }
        return try readAll(object)
    }

    package func open(_ object: LoadObject) throws -> any LoadInput {
        LocalLoadInput(try fileSystem.open(object.name, .read))
    }
}

/// A file of the file system seam as the input of a load.
final class LocalLoadInput: LoadInput {
    private let file: any OpenFile
    init(_ file: any OpenFile) { self.file = file }
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try file.read(into: buffer, at: offset)
    }
}
