import BulkTransfer
import Platform
import SQLTypes

/// Where `s3://` leads, and with whose keys: for statements that bring none of their own.
public struct S3Options: Sendable {
    /// `http://127.0.0.1:8333` for a server of one's own; nil for AWS.
    public var endpoint: String?
    public var region: String?
    /// A file with a section of keys for each role by its ARN, in the form of `~/.aws/credentials`.
    public var rolesFile: String?
    /// Of the service that gives keys of roles (STS): a URL, or `aws` for AWS's; nil: roles are not assumed.
    public var tokenEndpoint: String?
    /// Keys when a role has none of its own, or none is named.
    public var accessKey: String?
    public var secretKey: String?
    public var sessionToken: String?
    /// Of the environment.
    private var profile: S3Profile?

    public init() {}

    /// As AWS's own tools: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, else the profile AWS_PROFILE
    /// of `~/.aws/credentials`; AWS_REGION or AWS_DEFAULT_REGION, else the region of the profile in `~/.aws/config`;
    /// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL; AWS_ENDPOINT_URL_STS.
    ///
    /// - Parameters:
    ///   - variable: the value of an environment variable; empty ones count as absent.
    ///   - fileSystem: where the files of profiles are read, each time that a statement needs them.
    public init(environment variable: (String) -> String?, fileSystem: any FileSystem = LocalFileSystem()) {
        func value(_ names: String...) -> String? {
            names.compactMap { variable($0) }.first { !$0.isEmpty }
        }
        endpoint = value("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL")
        tokenEndpoint = value("AWS_ENDPOINT_URL_STS")
        region = value("AWS_REGION", "AWS_DEFAULT_REGION")
        (accessKey, secretKey) = (value("AWS_ACCESS_KEY_ID"), value("AWS_SECRET_ACCESS_KEY"))
        sessionToken = value("AWS_SESSION_TOKEN")
        let home = value("HOME").map { FilePath.join($0, ".aws") }
        profile = S3Profile(
            name: value("AWS_PROFILE") ?? "default",
            credentialsPath: value("AWS_SHARED_CREDENTIALS_FILE") ?? home.map { FilePath.join($0, "credentials") },
            configurationPath: value("AWS_CONFIG_FILE") ?? home.map { FilePath.join($0, "config") },
            fileSystem: fileSystem)
    }

    /// What the client of S3 works with. Throws for an endpoint that is no URL, and a file of roles that is not there.
    func configuration(memoryBytes: Int, _ fileSystem: any FileSystem) throws -> S3Configuration {
        var configuration = S3Configuration()
        configuration.fit(memoryBytes: memoryBytes)
        if let endpoint { configuration.endpoint = try S3Options.checked(endpoint) }
        configuration.tokenEndpoint = try tokenEndpoint.map { $0 == "aws" ? $0 : try S3Options.checked($0) }
        configuration.region = region
        configuration.profile = profile
        if let rolesFile {
            guard let status = try fileSystem.status(rolesFile), !status.isDirectory else {
                throw SQLError(.undefinedFile, "file of roles \"\(rolesFile)\" does not exist")
            }
            configuration.roles = S3CredentialFile.parse(try S3CredentialFile.text(rolesFile, fileSystem))
            if configuration.roles.isEmpty {
                throw SQLError(
                    .invalidParameterValue, "file of roles \"\(rolesFile)\" has no keys",
                    hint: "Write [arn:aws:iam::...:role/name], aws_access_key_id = ... and aws_secret_access_key = ...")
            }
        }
        if let accessKey, let secretKey {
            configuration.defaultCredentials = S3Credentials(
                accessKey: accessKey, secretKey: secretKey, sessionToken: sessionToken)
        }
        return configuration
    }

    private static func checked(_ endpoint: String) throws -> String {
        let scheme = ["http://", "https://"].first { endpoint.lowercased().hasPrefix($0) }
        let rest = scheme.map { endpoint.dropFirst($0.count) } ?? ""
        let isPlain = rest.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "@") && $0 != UInt8(ascii: "?") }
        guard let scheme, isPlain, let first = rest.first, first != "/" else {
            throw SQLError(
                .invalidParameterValue, "\"\(endpoint)\" is no endpoint of S3",
                hint: "Write http://host:port or https://host.")
        }
        return scheme + rest
    }
}
