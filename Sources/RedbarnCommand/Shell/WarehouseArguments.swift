import ArgumentParser
import Catalog
import Glibc
import Platform
import Warehouse

/// How a warehouse is opened, as all commands take it.
struct WarehouseArguments: ParsableArguments {
    @Option(help: "Compute nodes of a warehouse that is created.")
    var nodes: Int?

    @Option(help: "Slices of each node of a warehouse that is created; one per CPU by default.")
    var slices: Int?

    @Option(help: "Worker threads; one per CPU by default.")
    var workers: Int?

    @Option(help: "Memory for cache and queries, such as 800MB or 4GB; three quarters of the machine's by default.")
    var memory: MemorySize?

    @Option(
        name: .customLong("wlm"),
        help: "A file with the queues, as wlm_json_configuration has them; by default as ALTER SYSTEM has set them.")
    var wlm: String?

    @Option(
        name: .customLong("s3-root"),
        help: "A folder that stands for S3: COPY and UNLOAD take s3://bucket/key for the file bucket/key below it.")
    var s3Root: String?

    @Option(
        name: .customLong("s3-endpoint"),
        help: "URL of an S3 server, such as http://127.0.0.1:8333; AWS_ENDPOINT_URL_S3, else AWS by default.")
    var s3Endpoint: String?

    @Option(
        name: .customLong("s3-region"),
        help: "Region of buckets whose statements name none; AWS_REGION, else us-east-1 by default.")
    var s3Region: String?

    @Option(
        name: .customLong("s3-roles"),
        help: "A file with a section of keys for each role, [arn:...], as in ~/.aws/credentials.")
    var s3Roles: String?

    @Option(
        name: .customLong("sts-endpoint"),
        help: "Assume the roles that statements name: URL of an STS server, or aws; AWS_ENDPOINT_URL_STS by default.")
    var tokenEndpoint: String?

    func validate() throws {
        if s3Root?.isEmpty == true { throw ValidationError("--s3-root needs a folder") }
        for (name, value, limit) in [("nodes", nodes, 128), ("slices", slices, 1024), ("workers", workers, 1024)] {
            if let value, value < 1 || value > limit { throw ValidationError("--\(name) takes 1 to \(limit)") }
        }
    }

    func options(isScratch: Bool) throws -> WarehouseOptions {
        var options = WarehouseOptions()
        if nodes != nil || slices != nil {
            options.shape = ClusterShape(
                nodes: nodes ?? 1, slicesPerNode: slices ?? HostEnvironment.allowedCPUs().count)
        }
        options.workers = workers
        options.memoryBytes = memory?.bytes
        options.s3Root = s3Root
        options.workloadConfiguration = try wlm.map { String(decoding: try LocalFiles.bytes($0), as: UTF8.self) }
        // A folder in its place needs nothing of it.
        options.s3 = s3Root == nil ? s3Options() : nil
        options.synchronize = !isScratch
        if isScratch { options.historyBytes = 0 }
        return options
    }
}

extension WarehouseArguments {
    private func s3Options() -> S3Options {
        var options = S3Options { name in getenv(name).map { String(cString: $0) } }
        if let s3Endpoint { options.endpoint = s3Endpoint }
        if let s3Region { options.region = s3Region }
        options.rolesFile = s3Roles
        if let tokenEndpoint { options.tokenEndpoint = tokenEndpoint }
        return options
    }
}

/// `512MB`, `4GB`, or plain bytes.
struct MemorySize: ExpressibleByArgument {
    var bytes: Int

    init?(argument: String) {
        let digits = argument.prefix { $0.isASCII && $0.isNumber }
        guard let number = Int(digits), number > 0 else { return nil }
        let shifts = ["": 0, "B": 0, "K": 10, "KB": 10, "M": 20, "MB": 20, "G": 30, "GB": 30, "T": 40, "TB": 40]
        guard let shift = shifts[argument.dropFirst(digits.count).uppercased()] else { return nil }
        let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << shift)
        guard !overflow, bytes >= 16 << 20 else { return nil }
        self.bytes = bytes
    }
}
