import Platform
import SQLTypes

/// Files of the local disk: one file, the files of a folder, every file whose path starts with a prefix, or the entries
/// of a manifest.
package struct LocalLoadSource: LoadSource {
    let place: LocalPlace
    let places: StoragePlaces
    let isManifest: Bool
    /// Files that their clients have encrypted are what is wanted, not a fault.
    let opensEncrypted: Bool

    private var path: String { place.path }
    private var fileSystem: any FileSystem { places.fileSystem }

    /// - Parameter location: an absolute or relative path, or a `file://` URL.
    package init(
        location: String, isManifest: Bool = false, fileSystem: any FileSystem = LocalFileSystem(),
        policy: LocalPathPolicy = LocalPathPolicy()
    ) throws {
        try self.init(
            location: location, isManifest: isManifest,
            places: StoragePlaces(policy: policy, fileSystem: fileSystem))
    }

    /// - Parameter location: also an `s3://` URL, where a folder stands for S3.
    init(location: String, isManifest: Bool, opensEncrypted: Bool = false, places: StoragePlaces) throws {
        self.opensEncrypted = opensEncrypted
        place = try places.place(location, for: "COPY")
        self.places = places
        self.isManifest = isManifest
    }

    package func list() throws -> [LoadObject] {
        let objects = isManifest ? try listManifest() : try listPath()
        guard !objects.isEmpty else { throw missing() }
        if !opensEncrypted { try checkPlain(objects) }
        return objects
    }

    /// A location that is one file lists nothing beside it.
    private func checkPlain(_ objects: [LoadObject]) throws {
        try ObjectNotes.checkPlain(objects)
        if objects.count == 1 || isManifest {
            for object in objects where try notes(of: object)?.isOfEncryption == true {
                throw ObjectNotes.needsKey(object.name)
            }
        }
    }

    package func notes(of object: LoadObject) throws -> ObjectNotes? {
        let file = try place(of: object).path + ObjectNotes.fileSuffix
        guard let status = try fileSystem.status(file), !status.isDirectory else { return nil }
        try place.check(file, "COPY", "read")
        if status.size > ObjectNotes.largestFileBytes || status.isPipe { return nil }
        return try ObjectNotes(file: try fileSystem.readAll(file), name: object.name + ObjectNotes.fileSuffix)
    }

    private func missing() -> SQLError {
        SQLError(
            .undefinedFile, "The specified path '\(place.shown(path))' does not exist", detail: "Load file not found")
    }

    private func listPath() throws -> [LoadObject] {
        if place.isObject { return try listKeys() }
        if let status = try fileSystem.status(path) {
            if !status.isDirectory { return [try object(path, status, place)] }
            return try files(in: path, prefix: "", recursive: false)
        }
        return try files(in: FilePath.parent(path), prefix: FilePath.name(path), recursive: true)
    }

    /// Every key that begins with the location's.
    private func listKeys() throws -> [LoadObject] {
        let files = try place.files(prefix: path, fileSystem, recursive: true, for: ("COPY", "read")) {
            !$0.hasPrefix(LocalFileSet.hiddenPrefix)
        }
        return try files.compactMap { path in
            try fileSystem.status(path).map { try object(path, $0, place) }
        }
    }

    private func files(in directory: String, prefix: String, recursive: Bool) throws -> [LoadObject] {
        guard try fileSystem.status(directory)?.isDirectory == true else { throw missing() }
        try place.check(directory, "COPY", "read")
        var found: [LoadObject] = []
        for name in try fileSystem.list(directory) where name.hasPrefix(prefix) {
            if name.hasPrefix(".") && !prefix.hasPrefix(".") { continue }
            let entry = FilePath.join(directory, name)
            guard let status = try fileSystem.status(entry) else { continue }
            if !status.isDirectory {
                found.append(try object(entry, status, place))
            } else if recursive {
                found += try files(in: entry, prefix: "", recursive: true)
            }
        }
        return found
    }

    private func listManifest() throws -> [LoadObject] {
        let name = place.shown(path)
        guard let status = try fileSystem.status(path), !status.isDirectory else {
            throw SQLError(
                .undefinedFile, "The specified manifest '\(name)' does not exist",
                hint: "MANIFEST needs the full path of one file.")
        }
        try place.check(path, "COPY", "read")
        if status.size > 64 << 20 { throw SQLError(.limitExceeded, "manifest \"\(name)\" is larger than 64 MB") }
        var objects: [LoadObject] = []
        for entry in try LoadManifest.parse(try fileSystem.readAll(path), name: name) {
            let entryPlace = try places.place(entry.url, for: "COPY")
            if let status = try fileSystem.status(entryPlace.path), !status.isDirectory {
                try entry.check(status.size)
                objects.append(try object(entryPlace.path, status, entryPlace))
            } else if entry.mandatory {
                throw SQLError(
                    .undefinedFile,
                    "The file '\(entryPlace.shown(entryPlace.path))' of the manifest does not exist",
                    detail: "The entry in \"\(name)\" is mandatory.")
            }
        }
        return objects
    }

    private func object(_ path: String, _ status: FileStatus, _ place: LocalPlace) throws -> LoadObject {
        try place.check(path, "COPY", "read")
        let name = place.shown(path)
        if status.isPipe {
            throw SQLError(
                .wrongObjectType, "COPY cannot read \"\(name)\": it is a named pipe or a socket",
                hint: "Send the rows by COPY FROM STDIN.")
        }
        return LoadObject(name: name, sizeBytes: status.size)
    }

    package func readCompanion(_ location: String, limit: Int) throws -> [UInt8] {
        let place = try places.place(location, for: "COPY")
        guard let status = try fileSystem.status(place.path), !status.isDirectory else {
            throw SQLError(
                .undefinedFile, "The specified path '\(place.shown(place.path))' does not exist",
                detail: "Load file not found")
        }
        let object = try object(place.path, status, place)
        if object.sizeBytes > Int64(limit) {
            throw SQLError(.limitExceeded, "file \"\(object.name)\" is larger than \(limit >> 20) MB")
        }
        return try readAll(object)
    }

    package func open(_ object: LoadObject) throws -> any LoadInput {
        LocalLoadInput(try fileSystem.open(try place(of: object).path, .read))
    }

    private func place(of object: LoadObject) throws -> LocalPlace {
        if object.name.hasPrefix("s3://") { return try places.place(object.name, for: "COPY") }
        return LocalPlace(path: object.name, shape: .path, policy: places.policy)
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
