import Platform
import SQLTypes

/// A warehouse's way to S3: where it is, connections that are kept, threads that read ahead. Safe from any thread.
package final class S3Service: Sendable {
    let configuration: S3Configuration
    let connections: HTTPConnections
    let fetchers: S3Fetchers
    let time: any TimeSource
    let random: SharedRandom

    package init(_ configuration: S3Configuration, time: any TimeSource, random: SharedRandom) {
        self.configuration = configuration
        self.time = time
        self.random = random
        connections = HTTPConnections(configuration)
        fetchers = S3Fetchers()
    }

    /// - Parameter access: what the statement says.
    func client(_ access: StorageAccess, _ cancellation: CancellationToken) throws -> S3Client {
        let region = try access.region ?? configuration.region ?? configuration.profile?.region()
        return S3Client(
            self, try credentials(access), region: region ?? S3Configuration.standardRegion, access, cancellation)
    }

    private func credentials(_ access: StorageAccess) throws -> S3Credentials {
        if let credentials = access.credentials { return credentials }
        if let role = access.role, role.lowercased() != "default" {
            // Several in a chain: the last one is who asks.
            let last = String(role.split(separator: ",").last ?? "")
            if let credentials = configuration.roles[last] { return credentials }
            if !configuration.roles.isEmpty {
                throw SQLError(
                    .internalError, "UnauthorizedException: Not authorized to get credentials of role \(last)",
                    hint: "The server's file of roles (--s3-roles) has no section [\(last)].")
            }
        }
        let standing = configuration.roles["default"] ?? configuration.defaultCredentials
        if let credentials = try standing ?? configuration.profile?.credentials() { return credentials }
        throw SQLError(
            .internalError, "Unable to locate credentials for S3",
            hint: "Give them in the statement (ACCESS_KEY_ID and SECRET_ACCESS_KEY), in the server's environment "
                + "(AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY), in ~/.aws/credentials, or by --s3-roles FILE.")
    }
}
