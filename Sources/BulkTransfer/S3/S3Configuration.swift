/// Where S3 is, and who asks it. Made once for a warehouse.
package struct S3Configuration: Sendable {
    /// `http://127.0.0.1:8333` for a server of one's own, whose buckets are the first part of the path; nil for AWS,
    /// whose buckets are names of hosts.
    package var endpoint: String?
    /// Where the bucket is when the statement does not say; nil: as the profile says.
    package var region: String?
    static let standardRegion = "us-east-1"
    /// Keys of roles by their ARN. A role that is not here has the default credentials, unless there are any here.
    package var roles: [String: S3Credentials] = [:]
    /// Who gives keys of other roles for a time: a URL, or `aws`; nil: nobody is asked.
    package var tokenEndpoint: String?
    /// Of statements that name a role that has no keys of its own, or no authorization at all.
    package var defaultCredentials: S3Credentials?
    /// Where ``defaultCredentials`` and ``region`` come from when they are not given.
    package var profile: S3Profile?
    /// How often a request is sent when the server is busy or the connection breaks.
    package var attempts = 5
    /// The first pause between two attempts; each one is twice as long as the one before, less a random part.
    package var pauseMilliseconds: Int64 = 100
    package var connectMilliseconds = 10_000
    /// A connection on which nothing moves for so long is broken.
    package var stallSeconds = 30
    /// Pieces in which objects are read. Servers are slow at small ones: SeaweedFS gives 128 MB/s in pieces of 4 MB,
    /// 185 in those of 16.
    package var blockBytes = 16 << 20
    /// Pieces that are there before they are needed, of each object that is being read.
    package var blocksAhead = 2
    /// One answer brings all pieces ahead; off: a request for each.
    package var streamsBlocks = true
    /// Parts in which objects are written: at least 5 MB, as S3 wants.
    package var partBytes = 8 << 20
    /// Bytes of all unfinished parts of an UNLOAD; above them they wait on disk.
    package var waitingBytes = 256 << 20

    package init() {}

    static let smallestPart = 5 << 20
    static let largestPartCount = 10_000

    /// Pieces that suit a memory of so many bytes.
    package mutating func fit(memoryBytes: Int) {
        blockBytes = min(max(memoryBytes / 128, 256 << 10), 16 << 20)
        partBytes = memoryBytes < 1 << 30 ? S3Configuration.smallestPart : 8 << 20
        waitingBytes = min(max(memoryBytes / 16, 16 << 20), 256 << 20)
    }
}

/// Keys of an account, or of a role for a time.
package struct S3Credentials: Sendable, Hashable {
    package var accessKey: String
    package var secretKey: String
    package var sessionToken: String?

    package init(accessKey: String, secretKey: String, sessionToken: String? = nil) {
        self.accessKey = accessKey
        self.secretKey = secretKey
        self.sessionToken = sessionToken
    }
}
