import Platform
import SQLTypes

/// Objects of S3: every key that begins with the location's, or the entries of a manifest.
struct S3LoadSource: LoadSource {
    let location: S3Location
    let isManifest: Bool
    let client: S3Client

    func list() throws -> [LoadObject] {
        let objects = isManifest ? try listManifest() : try listKeys()
        if objects.isEmpty {
            throw SQLError(.undefinedFile, "The specified S3 prefix '\(location.key)' does not exist")
        }
        if !client.opensEncrypted { try ObjectNotes.checkPlain(objects) }
        return objects
    }

    private func listKeys() throws -> [LoadObject] {
        try client.list(location).map {
            LoadObject(
                name: S3Location(bucket: location.bucket, key: $0.key).url, sizeBytes: $0.sizeBytes)
        }
    }

    private func listManifest() throws -> [LoadObject] {
        guard let size = try client.size(location) else {
            throw SQLError(
                .undefinedFile, "The specified manifest '\(location.url)' does not exist",
                hint: "MANIFEST needs the full key of one object.")
        }
        let bytes = try readAll(try checked(location, size, limit: 64 << 20))
        return try LoadManifest.parse(bytes, name: location.url).compactMap(object)
    }

    /// nil for an entry that is not there and need not be.
    private func object(_ entry: LoadManifest.Entry) throws -> LoadObject? {
        guard entry.url.lowercased().hasPrefix("s3://") else {
            throw SQLError(
                .invalidParameterValue, "\"\(entry.url)\" of manifest \"\(self.location.url)\" is no object of S3")
        }
        let location = try S3Location(entry.url)
        guard let size = try client.size(location) else {
            if !entry.mandatory { return nil }
            throw SQLError(
                .undefinedFile, "The file '\(location.url)' of the manifest does not exist",
                detail: "The entry in \"\(self.location.url)\" is mandatory.")
        }
        try entry.check(size)
        return LoadObject(name: location.url, sizeBytes: size)
    }

    private func checked(_ location: S3Location, _ size: Int64, limit: Int) throws -> LoadObject {
        if size > Int64(limit) {
            let limit = limit < 1 << 20 ? "\(limit >> 10) KB" : "\(limit >> 20) MB"
            throw SQLError(.limitExceeded, "object \"\(location.url)\" is larger than \(limit)")
        }
        return LoadObject(name: location.url, sizeBytes: size)
    }

    func readCompanion(_ name: String, limit: Int) throws -> [UInt8] {
        guard name.lowercased().hasPrefix("s3://") else {
            throw SQLError(.invalidParameterValue, "\"\(name)\" is no object of S3")
        }
        let location = try S3Location(name)
        guard let size = try client.size(location) else {
            throw SQLError(
                .undefinedFile, "The specified path '\(location.url)' does not exist", detail: "Load file not found")
        }
        return try readAll(try checked(location, size, limit: limit))
    }

    /// Headers of the object, or else its instruction file.
    func notes(of object: LoadObject) throws -> ObjectNotes? {
        let location = try S3Location(object.name)
        guard let headers = try client.headers(location) else { return nil }
        let notes = ObjectNotes(headers: headers)
        if notes.isOfEncryption { return notes }
        let file = S3Location(bucket: location.bucket, key: location.key + ObjectNotes.fileSuffix)
        guard let size = try client.size(file) else { return nil }
        let bytes = try readAll(try checked(file, size, limit: ObjectNotes.largestFileBytes))
        return try ObjectNotes(file: bytes, name: file.url)
    }

    func read(_ object: LoadObject, at offset: Int64, _ count: Int) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let location = try S3Location(object.name)
        let read = try bytes.withUnsafeMutableBytes { try client.read(location, into: $0, at: offset, tag: nil).count }
        return Array(bytes.prefix(read))
    }

    func open(_ object: LoadObject) throws -> any LoadInput {
        S3LoadInput(client, try S3Location(object.name), sizeBytes: object.sizeBytes)
    }
}
