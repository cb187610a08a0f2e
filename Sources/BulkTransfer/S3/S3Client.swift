import Platform
import SQLTypes

/// Sends requests in one statement's name: signed, and again when the server is busy or the connection breaks. Safe
/// from any thread.
final class S3Client: Sendable {
    let service: S3Service
    let cancellation: CancellationToken
    let encryption: StorageAccess.Encryption?
    /// Objects that their clients have encrypted are what is wanted, not a fault.
    let opensEncrypted: Bool
    private let credentials: S3Credentials
    private let region: String
    var configuration: S3Configuration { service.configuration }

    struct Call {
        var method: String
        var location: S3Location
        var query: [(name: String, value: String)] = []
        /// Names in lower case.
        var headers: [(name: String, value: String)] = []
        var body: UnsafeRawBufferPointer?
        /// Takes the body of a successful answer.
        var buffer: UnsafeMutableRawBufferPointer?
    }

    init(
        _ service: S3Service, _ credentials: S3Credentials, region: String, _ access: StorageAccess,
        _ cancellation: CancellationToken
    ) {
        self.service = service
        self.credentials = credentials
        self.region = region
        encryption = access.encryption
        opensEncrypted = access.masterKey != nil
        self.cancellation = cancellation
    }

    /// The answer of success; everything else is thrown: an ``S3Failure`` when the server has refused.
    func send(_ call: Call, _ cancellation: CancellationToken? = nil) throws -> HTTPResponse {
        let cancellation = cancellation ?? self.cancellation
        var attempt = 1
        while true {
            let isLast = attempt >= configuration.attempts
            do {
                let response = try service.connections.perform(request(call), into: call.buffer, cancellation)
                guard let failure = S3Failure(response, attempts: attempt) else { return response }
                if isLast || !failure.mayPass { throw failure }
            } catch let broken as HTTPBroken {
                if isLast {
                    throw SQLError(
                        .ioError, "S3 cannot be reached: \(broken.text)",
                        detail: "\(call.method) of \"\(call.location.url)\", \(attempt) attempts.")
                }
            }
            try service.pause(attempt, cancellation)
            attempt += 1
        }
    }

    /// One attempt; the body of a successful answer goes to the sink.
    func stream(_ call: Call, into sink: any HTTPBodySink) throws -> HTTPResponse {
        let response = try service.connections.perform(request(call), into: nil, sink: sink, cancellation)
        if let failure = S3Failure(response, attempts: 1) { throw failure }
        return response
    }

    // MARK: Requests

    private func request(_ call: Call) -> HTTPRequest {
        let place = place(call.location)
        let isSecret = place.scheme == "https"
        let hash: String =
            switch call.body {
            case nil: HexadecimalText.text(Digest.sha256([]))
            case let body? where !isSecret || body.count < 64 << 10: HexadecimalText.text(Digest.sha256(body))
            // The connection itself keeps large bodies whole.
            default: S3Signature.unsignedPayload
            }
        let signed = S3Signature.signed(
            S3Signature.Request(
                method: call.method, host: place.host, path: place.path, query: call.query, headers: call.headers,
                payloadHash: hash),
            credentials, region: region, moment: AWSMoment(wallMicroseconds: service.time.wallMicroseconds()))
        let query = S3Signature.canonicalQuery(call.query)
        let url = "\(place.scheme)://\(place.host)\(place.path)" + (query.isEmpty ? "" : "?\(query)")
        return HTTPRequest(method: call.method, url: url, headers: signed, body: call.body)
    }

    private struct Place {
        var scheme: String
        var host: String
        /// Encoded.
        var path: String
    }

    private func place(_ location: S3Location) -> Place {
        let key = PercentEncoding.encode(location.key, keeping: true)
        if let endpoint = configuration.endpoint {
            let parts = endpoint.split(separator: "/", omittingEmptySubsequences: true)
            let scheme = endpoint.hasPrefix("https:") ? "https" : "http"
            let prefix = parts.dropFirst(2).map { "/" + $0 }.joined()
            let host = parts.count > 1 ? String(parts[1]) : ""
            return Place(scheme: scheme, host: host, path: "\(prefix)/\(location.bucket)/\(key)")
        }
        // Certificates of AWS do not cover names with dots.
        if location.bucket.contains(".") {
            return Place(
                scheme: "https", host: "s3.\(region).amazonaws.com", path: "/\(location.bucket)/\(key)")
        }
        return Place(scheme: "https", host: "\(location.bucket).s3.\(region).amazonaws.com", path: "/\(key)")
    }
}
