import Platform
import SQLTypes

/// AWS Signature Version 4 of a request (AWS: "Authenticating Requests: Using the Authorization Header").
enum S3Signature {
    /// What of a request is signed.
    struct Request {
        var method: String
        var host: String
        /// Encoded.
        var path: String
        /// Not encoded.
        var query: [(name: String, value: String)]
        /// Names in lower case.
        var headers: [(name: String, value: String)]
        /// Of the body, in hexadecimal digits, or a word in its place.
        var payloadHash: String
    }
    static let unsignedPayload = "UNSIGNED-PAYLOAD"

    /// The headers that the request is sent with: those it has, and those of the signature.
    static func signed(
        _ request: Request, _ credentials: S3Credentials, region: String, service: String = "s3", moment: AWSMoment
    ) -> [(name: String, value: String)] {
        var headers = request.headers
        headers.append(("host", request.host))
        headers.append(("x-amz-content-sha256", request.payloadHash))
        headers.append(("x-amz-date", moment.time))
        if let token = credentials.sessionToken { headers.append(("x-amz-security-token", token)) }
        headers.sort { $0.name < $1.name }
        let names = headers.map(\.name).joined(separator: ";")
        let canonical =
            [request.method, request.path, canonicalQuery(request.query)].joined(separator: "\n") + "\n"
            + headers.map { "\($0.name):\($0.value)\n" }.joined() + "\n\(names)\n\(request.payloadHash)"
        let scope = "\(moment.day)/\(region)/\(service)/aws4_request"
        let digest = HexadecimalText.text(Digest.sha256(Array(canonical.utf8)))
        let text = "AWS4-HMAC-SHA256\n\(moment.time)\n\(scope)\n\(digest)"
        var key = Array("AWS4\(credentials.secretKey)".utf8)
        for part in [moment.day, region, service, "aws4_request"] { key = Digest.hmac(key: key, Array(part.utf8)) }
        let signature = HexadecimalText.text(Digest.hmac(key: key, Array(text.utf8)))
        headers.append(
            (
                "authorization",
                "AWS4-HMAC-SHA256 Credential=\(credentials.accessKey)/\(scope), SignedHeaders=\(names), "
                    + "Signature=\(signature)"
            ))
        return headers
    }

    /// Sorted by encoded name, then by encoded value.
    static func canonicalQuery(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }
}

/// A moment as requests carry it: `20261124T233710Z` and `20261124`.
struct AWSMoment: Sendable, Hashable {
    var time: String
    var day: String

    /// - Parameter wallMicroseconds: since 1970.
    init(wallMicroseconds: Int64) {
        let date = Calendar.civil(days: Calendar.day(ofTimestamp: wallMicroseconds))
        let seconds = Calendar.floorDivide(wallMicroseconds, Calendar.microsecondsPerSecond)
        let left = seconds - Calendar.floorDivide(seconds, 86_400) * 86_400
        day = AWSMoment.digits(date.year, 4) + AWSMoment.digits(date.month, 2) + AWSMoment.digits(date.day, 2)
        time =
            "\(day)T" + AWSMoment.digits(left / 3600, 2) + AWSMoment.digits(left / 60 % 60, 2)
            + AWSMoment.digits(left % 60, 2) + "Z"
    }

    private static func digits(_ value: Int64, _ count: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(count - text.utf8.count, 0)) + text
    }
}
