import Platform
import SQLTypes

/// The requests that loading and unloading need (AWS: "Amazon S3 API Reference"). Failures are thrown as `SQLError`.
extension S3Client {
    struct Listed: Hashable {
        var key: String
        var sizeBytes: Int64
    }
    private static let largestKeyCount = 5_000_000

    /// Every key that begins with the location's, in order.
    ///
    /// - Parameter atMost: so many are enough.
    func list(_ location: S3Location, atMost: Int? = nil) throws -> [Listed] {
        var found: [Listed] = [], known: Set<String> = [], seen: Set<String> = []
        var token: String?
        repeat {
            var call = Call(method: "GET", location: S3Location(bucket: location.bucket, key: ""))
            call.query = [("list-type", "2"), ("prefix", location.key)]
            if let atMost { call.query.append(("max-keys", String(atMost))) }
            if let token { call.query.append(("continuation-token", token)) }
            let answer = try answered { try send(call) }.body
            for values in try XMLScanner.records(answer, of: "Contents") {
                guard let key = values["Key"], key.hasPrefix(location.key), known.insert(key).inserted else { continue }
                found.append(Listed(key: key, sizeBytes: max(values["Size"].flatMap { Int64($0) } ?? 0, 0)))
            }
            if found.count > S3Client.largestKeyCount {
                throw SQLError(.limitExceeded, "\"\(location.url)\" has more than 5,000,000 keys")
            }
            let page = try XMLScanner.records(answer, of: "ListBucketResult").first ?? [:]
            token = page["IsTruncated"] == "true" ? page["NextContinuationToken"] : nil
            if let token, !seen.insert(token).inserted {
                throw SQLError(.ioError, "S3 lists \"\(location.url)\" without end")
            }
        } while token != nil && found.count < atMost ?? .max
        return found.sorted { $0.key < $1.key }
    }

    /// nil when there is no such object.
    func size(_ location: S3Location) throws -> Int64? {
        try headers(location).map { $0["content-length"].flatMap { Int64($0) } ?? 0 }
    }

    /// What the server tells of an object; nil when there is none.
    func headers(_ location: S3Location) throws -> [String: String]? {
        do {
            return try send(Call(method: "HEAD", location: location)).headers
        } catch let failure as S3Failure {
            if failure.isMissing { return nil }
            throw failure.error
        }
    }

    /// Reads bytes of an object. Fewer come only at its end.
    ///
    /// - Parameter tag: of the object when it was first read; another one is an error. The answer's is returned.
    func read(
        _ location: S3Location, into buffer: UnsafeMutableRawBufferPointer, at offset: Int64, tag: String?
    ) throws -> (count: Int, tag: String?) {
        if buffer.isEmpty { return (0, tag) }
        var call = Call(method: "GET", location: location, buffer: buffer)
        call.headers = [("range", "bytes=\(offset)-\(offset + Int64(buffer.count) - 1)")]
        if let tag { call.headers.append(("if-match", tag)) }
        do {
            let response = try send(call)
            // The whole object in place of a part would be the wrong bytes.
            if response.status == 200 && offset > 0 {
                throw SQLError(.ioError, "S3 does not read parts of \"\(location.url)\"")
            }
            if !opensEncrypted, ObjectNotes(headers: response.headers).isOfEncryption {
                throw ObjectNotes.needsKey(location.url)
            }
            return (response.count, response.headers["etag"])
        } catch let failure as S3Failure {
            if failure.status == 416 { return (0, tag) }
            if failure.status == 412 {
                throw SQLError(.ioError, "\"\(location.url)\" changed while it was loaded")
            }
            throw failure.error
        }
    }

    /// Bytes of an object as they come, in one attempt.
    ///
    /// - Parameter last: the place of the last byte.
    func stream(
        _ location: S3Location, from first: Int64, to last: Int64, tag: String?, into sink: any HTTPBodySink
    ) throws {
        var call = Call(method: "GET", location: location)
        call.headers = [("range", "bytes=\(first)-\(last)")]
        if let tag { call.headers.append(("if-match", tag)) }
        _ = try stream(call, into: sink)
    }

    func put(_ location: S3Location, _ bytes: UnsafeRawBufferPointer, _ notes: ObjectNotes?) throws {
        var call = Call(method: "PUT", location: location, body: bytes)
        call.headers = encryptionHeaders + (notes?.headers ?? [])
        _ = try answered { try send(call) }
    }

    func delete(_ location: S3Location) throws {
        _ = try answered { try send(Call(method: "DELETE", location: location)) }
    }

    // MARK: Uploads in parts

    /// Nobody sees the object before ``complete(_:upload:_:)``.
    func beginUpload(_ location: S3Location, _ notes: ObjectNotes?) throws -> String {
        var call = Call(method: "POST", location: location, query: [("uploads", "")])
        call.headers = encryptionHeaders + (notes?.headers ?? [])
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        call.body = empty
        let answer = try answered { try send(call) }.body
        guard let id = try XMLScanner.records(answer, of: "InitiateMultipartUploadResult").first?["UploadId"],
            !id.isEmpty
        else { throw SQLError(.ioError, "S3 has begun no upload of \"\(location.url)\"") }
        return id
    }

    /// - Returns: what ``complete(_:upload:_:)`` wants to know of the part.
    func upload(
        _ location: S3Location, upload: String, part: Int, _ bytes: UnsafeRawBufferPointer
    ) throws -> String {
        let call = Call(
            method: "PUT", location: location, query: [("partNumber", String(part)), ("uploadId", upload)], body: bytes)
        guard let tag = try answered({ try send(call) }).headers["etag"] else {
            throw SQLError(.ioError, "S3 has not confirmed a part of \"\(location.url)\"")
        }
        return tag
    }

    func complete(_ location: S3Location, upload: String, _ tags: [String]) throws {
        let parts = tags.enumerated().map { number, tag in
            "<Part><PartNumber>\(number + 1)</PartNumber><ETag>\(tag)</ETag></Part>"
        }
        let text = Array("<CompleteMultipartUpload>\(parts.joined())</CompleteMultipartUpload>".utf8)
        do {
            try text.withUnsafeBytes { bytes in
                _ = try send(Call(method: "POST", location: location, query: [("uploadId", upload)], body: bytes))
            }
        } catch let failure as S3Failure {
            // The first attempt may have succeeded without our hearing of it.
            if failure.code == "NoSuchUpload", failure.attempts > 1, try size(location) != nil { return }
            throw failure.error
        }
    }

    /// Also when the statement has been cancelled: parts that nobody removes cost their owner.
    func abandon(_ location: S3Location, upload: String) throws {
        let call = Call(method: "DELETE", location: location, query: [("uploadId", upload)])
        _ = try answered { try send(call, CancellationToken()) }
    }

    private var encryptionHeaders: [(name: String, value: String)] {
        switch encryption {
        case nil: []
        case .storeKeys: [("x-amz-server-side-encryption", "AES256")]
        case .managedKey(let key):
            [("x-amz-server-side-encryption", "aws:kms")]
                + (key.map { [("x-amz-server-side-encryption-aws-kms-key-id", $0)] } ?? [])
        }
    }

    private func answered(_ body: () throws -> HTTPResponse) throws -> HTTPResponse {
        do { return try body() } catch let failure as S3Failure { throw failure.error }
    }
}
