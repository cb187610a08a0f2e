import Glibc

/// Each connection, part file and spill file needs a descriptor, and the usual limit of 1,024 is for small programs.
enum DescriptorLimit {
    /// As high as the system allows this process.
    static func raise() {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
