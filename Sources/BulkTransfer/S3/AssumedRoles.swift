import Platform
import SQLTypes

/// Keys of roles, as AWS's security token service gives them for an hour to whoever may have them (AWS: "AssumeRole").
/// Good ones are kept. Safe from any thread.
final class AssumedRoles: Sendable {
    private struct Question: Hashable {
        var role: String
        var asker: S3Credentials
    }
    private struct Answer {
        var credentials: S3Credentials
        var endNanoseconds: Int64
    }
    private let answers = Lock<[Question: Answer]>([:])
    /// The most that a role has that is assumed by another role.
    private static let lifeSeconds: Int64 = 3600
    /// Statements that begin now should come to their end with them.
    private static let leastLeftSeconds: Int64 = 900

    /// - Parameter credentials: who asks; those of one role for the next.
    func credentials(
        of role: String, for credentials: S3Credentials, region: String, _ service: S3Service, endpoint: String,
        _ cancellation: CancellationToken
    ) throws -> S3Credentials {
        let question = Question(role: role, asker: credentials)
        let now = service.time.monotonicNanoseconds()
        let known = answers.withLock { answers in
            answers = answers.filter { $0.value.endNanoseconds > now }
            return answers[question]
        }
        if let known { return known.credentials }
        let given = try ask(question, region, service, endpoint, cancellation)
        let end = now + (AssumedRoles.lifeSeconds - AssumedRoles.leastLeftSeconds) * 1_000_000_000
        answers.withLock { $0[question] = Answer(credentials: given, endNanoseconds: end) }
        return given
    }

    private func ask(
        _ question: Question, _ region: String, _ service: S3Service, _ endpoint: String,
        _ cancellation: CancellationToken
    ) throws -> S3Credentials {
        var attempt = 1
        while true {
            let isLast = attempt >= service.configuration.attempts
            do {
                let request = request(question, region, service, endpoint)
                let response = try service.connections.perform(request, into: nil, cancellation)
                if (200..<300).contains(response.status) {
                    return try AssumedRoles.credentials(response, question.role)
                }
                if isLast || ![429, 500, 502, 503, 504].contains(response.status) {
                    throw AssumedRoles.refusal(response, question.role)
                }
            } catch let broken as HTTPBroken {
                if isLast { throw SQLError(.ioError, "STS cannot be reached: \(broken.text)") }
            }
            try service.pause(attempt, cancellation)
            attempt += 1
        }
    }

    private func request(
        _ question: Question, _ region: String, _ service: S3Service, _ endpoint: String
    ) -> HTTPRequest {
        let base = endpoint == "aws" ? "https://sts.\(region).amazonaws.com" : endpoint
        let parts = base.split(separator: "/", omittingEmptySubsequences: true)
        let host = parts.count > 1 ? String(parts[1]) : ""
        let path = parts.dropFirst(2).map { "/" + $0 }.joined() + "/"
        let query = [
            ("Action", "AssumeRole"), ("DurationSeconds", String(AssumedRoles.lifeSeconds)),
            ("RoleArn", question.role), ("RoleSessionName", "redbarn"), ("Version", "2011-06-15"),
        ].map { (name: $0.0, value: $0.1) }
        let headers = S3Signature.signed(
            S3Signature.Request(
                method: "GET", host: host, path: path, query: query, headers: [],
                payloadHash: HexadecimalText.text(Digest.sha256([]))),
            question.asker, region: region, service: "sts",
            moment: AWSMoment(wallMicroseconds: service.time.wallMicroseconds()))
        let scheme = base.hasPrefix("https:") ? "https" : "http"
        return HTTPRequest(
            method: "GET", url: "\(scheme)://\(host)\(path)?\(S3Signature.canonicalQuery(query))", headers: headers)
    }

    private static func credentials(_ response: HTTPResponse, _ role: String) throws -> S3Credentials {
        let values = try XMLScanner.records(response.body, of: "Credentials").first ?? [:]
        guard let access = values["AccessKeyId"], let secret = values["SecretAccessKey"],
            let token = values["SessionToken"],
            [access, secret, token].allSatisfy({ $0.utf8.allSatisfy { $0 > 32 && $0 < 127 } && !$0.isEmpty })
        else { throw SQLError(.ioError, "STS has given no keys of role \(role)") }
        return S3Credentials(accessKey: access, secretKey: secret, sessionToken: token)
    }

    /// In Redshift's words.
    private static func refusal(_ response: HTTPResponse, _ role: String) -> SQLError {
        var values: [String: String] = [:]
        if response.body.count < 64 << 10 {
            do { values = try XMLScanner.records(response.body, of: "Error").first ?? [:] } catch {
                // Pages of proxies are no XML: the status tells.
            }
        }
        return SQLError(
            .internalError, "UnauthorizedException: Not authorized to get credentials of role \(role)",
            detail: "STS: \(values["Code"] ?? "status \(response.status)")\(values["Message"].map { ": " + $0 } ?? "")",
            hint: "The role's trust policy must allow whoever asks: the server's keys, or the role before it.")
    }
}
