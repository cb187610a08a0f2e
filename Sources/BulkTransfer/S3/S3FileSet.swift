import Platform
import SQLTypes

/// Objects of one UNLOAD in S3. They are uploads that nobody sees until ``publish(last:replacing:)`` completes them one
/// after the other, the manifest last: S3 has no way to show all of them at once.
///
/// A lock guards the list; the objects belong to whoever writes them.
final class S3FileSet: OutputFileSet {
    private struct State {
        var key: String
        var isFolder = false
        var objects: [Entry] = []
    }
    /// Confined to its writer until publication.
    private struct Entry: @unchecked Sendable { var object: S3OutputObject }
    private let client: S3Client
    private let bucket: String
    private let waiting: S3WaitingBytes
    private let state: Lock<State>

    init(_ location: S3Location, _ client: S3Client, _ waiting: S3WaitingBytes) {
        self.client = client
        self.waiting = waiting
        bucket = location.bucket
        state = Lock(State(key: location.key))
    }

    private func location(_ name: String) -> S3Location {
        S3Location(bucket: bucket, key: state.withLock { $0.key } + name)
    }

    func shown(_ name: String) -> String { location(name).url }

    func useFolder() {
        state.withLock { state in
            state.isFolder = true
            if !state.key.hasSuffix("/") { state.key += "/" }
        }
    }

    func checkEmpty() throws {
        if let first = try client.list(location(""), atMost: 1).first {
            throw OutputReplacement.occupied(S3Location(bucket: bucket, key: first.key).url)
        }
    }

    func create(_ name: String, notes: ObjectNotes?) throws -> any OutputObject {
        let location = try S3Location(location(name).url)
        let object = S3OutputObject(name, location, client, waiting, notes)
        let entry = Entry(object: object)
        state.withLock { $0.objects.append(entry) }
        return object
    }

    // MARK: Publication

    func publish(last: String?, replacing: OutputReplacement) throws -> [String] {
        let objects = state.withLock { $0.objects }.map(\.object)
            .sorted { ($0.name == last ? 1 : 0, $0.name) < ($1.name == last ? 1 : 0, $1.name) }
        let old = try replaced(objects, replacing)
        var published: [S3Location] = []
        do {
            for object in objects {
                try publish(object)
                published.append(object.location)
            }
        } catch {
            // What was there before is gone with the first replacement; what was not goes again.
            if replacing == .none { for location in published { _ = removes(location) } }
            throw error
        }
        state.withLock { $0.objects = [] }
        let kept = Set(published.map(\.key))
        return old.filter { !kept.contains($0.key) }.filter { !removes($0) }.map(\.url)
    }

    private func publish(_ object: S3OutputObject) throws {
        if let upload = object.upload {
            try client.complete(object.location, upload: upload, object.tags)
        } else {
            try client.put(object.location, UnsafeRawBufferPointer(start: nil, count: 0), object.notes)
        }
    }

    /// What goes when the new objects are there.
    private func replaced(_ objects: [S3OutputObject], _ replacing: OutputReplacement) throws -> [S3Location] {
        switch replacing {
        case .overwrite: return []
        case .none:
            for object in objects where try client.size(object.location) != nil {
                throw OutputReplacement.occupied(object.location.url)
            }
            return []
        case .clean(let isPartitioned):
            guard isPartitioned else { return try keys(location("")) { _ in true } }
            let folders = Set(objects.map { FilePath.parent("/" + $0.location.key).dropFirst() + "/" })
            return try folders.sorted().flatMap { folder in
                try keys(S3Location(bucket: bucket, key: String(folder))) { key in
                    !key.dropFirst(folder.count).contains("/")
                }
            }
        }
    }

    private func keys(_ prefix: S3Location, where isWanted: (String) -> Bool) throws -> [S3Location] {
        try client.list(prefix).map(\.key).filter(isWanted).map { S3Location(bucket: bucket, key: $0) }
    }

    private func removes(_ location: S3Location) -> Bool {
        do {
            try client.delete(location)
            return true
        } catch {
            return false
        }
    }

    func abandon() {
        let objects = state.withLock { state in
            defer { state.objects = [] }
            return state.objects
        }
        for entry in objects {
            guard let upload = entry.object.upload else { continue }
            // A bucket's rules for unfinished uploads are for those that cannot be ended now.
            do { try client.abandon(entry.object.location, upload: upload) } catch { continue }
        }
    }
}
