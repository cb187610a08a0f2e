import Platform
import SQLTypes

/// A warehouse's way to S3: where it is, connections that are kept, threads that read ahead. Safe from any thread.
package final class S3Service: Sendable {
    let configuration: S3Configuration
    let connections: HTTPConnections
    let fetchers: S3Fetchers
    let time: any TimeSource
    let random: SharedRandom
    private let assumedRoles = AssumedRoles()

    package init(_ configuration: S3Configuration, time: any TimeSource, random: SharedRandom) {
        self.configuration = configuration
        self.time = time
        self.random = random
        connections = HTTPConnections(configuration)
        fetchers = S3Fetchers()
    }

    /// - Parameter access: what the statement says.
    func client(_ access: StorageAccess, _ cancellation: CancellationToken) throws -> S3Client {
        let region =
            try access.region ?? configuration.region ?? configuration.profile?.region()
            ?? S3Configuration.standardRegion
        return S3Client(self, try credentials(access, region, cancellation), region: region, access, cancellation)
    }

    /// Twice as long each time, less a random part, so that many who were refused at once do not come back at once.
    func pause(_ attempt: Int, _ cancellation: CancellationToken) throws {
        let longest = configuration.pauseMilliseconds << Int64(min(attempt - 1, 8))
        let part = Int64(random.next() % UInt64(max(longest / 2, 1)))
        let end = time.monotonicNanoseconds() + (longest - part) * 1_000_000
        let monitor = Monitor()
        while time.monotonicNanoseconds() < end {
            try cancellation.check()
            let soon = min(end, time.monotonicNanoseconds() + 50_000_000)
            monitor.withLock { _ = time.wait(monitor, untilNanoseconds: soon) }
        }
    }

    private func credentials(
        _ access: StorageAccess, _ region: String, _ cancellation: CancellationToken
    ) throws -> S3Credentials {
        if let credentials = access.credentials { return credentials }
        if let role = access.role, role.lowercased() != "default" {
            if let endpoint = configuration.tokenEndpoint {
                return try assumed(role, region, endpoint, cancellation)
            }
            // Several in a chain: the last one is who asks.
            let last = String(role.split(separator: ",").last ?? "")
            if let credentials = configuration.roles[last] { return credentials }
            if !configuration.roles.isEmpty {
                throw SQLError(
                    .internalError, "UnauthorizedException: Not authorized to get credentials of role \(last)",
                    hint: "The server's file of roles (--s3-roles) has no section [\(last)].")
            }
        }
        return try standingCredentials()
    }

    /// Each role of a chain is assumed with the keys of the one before it; those of the file have keys of their own.
    private func assumed(
        _ chain: String, _ region: String, _ endpoint: String, _ cancellation: CancellationToken
    ) throws -> S3Credentials {
        var credentials: S3Credentials?
        for role in chain.split(separator: ",").map(String.init) {
            if let own = configuration.roles[role] {
                credentials = own
                continue
            }
            guard role.hasPrefix("arn:"), role.utf8.count <= 2048 else {
                throw SQLError(.invalidParameterValue, "\"\(role)\" is no ARN of a role")
            }
            credentials = try assumedRoles.credentials(
                of: role, for: try credentials ?? standingCredentials(), region: region, self, endpoint: endpoint,
                cancellation)
        }
        return try credentials ?? standingCredentials()
    }

    private func standingCredentials() throws -> S3Credentials {
        let standing = configuration.roles["default"] ?? configuration.defaultCredentials
        if let credentials = try standing ?? configuration.profile?.credentials() { return credentials }
        throw SQLError(
            .internalError, "Unable to locate credentials for S3",
            hint: "Give them in the statement (ACCESS_KEY_ID and SECRET_ACCESS_KEY), in the server's environment "
                + "(AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), in ~/.aws/credentials, or by --s3-roles FILE.")
    }
}
