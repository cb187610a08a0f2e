import CIntrinsics
import Glibc

/// Facts about the machine and what of it this process may use.
public enum HostEnvironment {
    /// The CPUs in the affinity mask, at least one.
    public static func allowedCPUs() -> [Int] {
        var mask = [UInt64](repeating: 0, count: 16)
        guard rb_get_affinity(&mask) == 0 else { return [0] }
        let cpus = (0..<1_024).filter { mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
        return cpus.isEmpty ? [0] : cpus
    }

    /// Bytes of main memory, from /proc/meminfo.
    public static func totalMemory() -> Int {
        guard let text = smallFile("/proc/meminfo") else { return fallbackMemory }
        for line in text.split(separator: "\n") where line.hasPrefix("MemTotal:") {
            let digits = line.filter { $0.isASCII && $0.isNumber }
            if let kilobytes = Int(digits) { return kilobytes << 10 }
        }
        return fallbackMemory
    }

    /// The control group's memory limit (version 2, then version 1), nil without one.
    public static func controlGroupLimit() -> Int? {
        for path in ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"] {
            guard let text = smallFile(path) else { continue }
            if let bytes = Int(text.filter { $0.isASCII && $0.isNumber }), bytes < 1 << 60 { return bytes }
        }
        return nil
    }

    /// Main memory or the control group's limit, whichever is smaller.
    public static func usableMemory() -> Int {
        min(totalMemory(), controlGroupLimit() ?? .max)
    }

    /// Bytes of this process that are in main memory now.
    public static func residentMemory() -> Int {
        guard let text = smallFile("/proc/self/statm") else { return 0 }
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * Int(sysconf(Int32(_SC_PAGESIZE)))
    }

    /// Bytes in main memory that only the parent process has; 0 where the system does not tell.
    public static func parentPrivateMemory() -> Int {
        guard let text = smallFile("/proc/\(getppid())/statm") else { return 0 }
        let pages = text.split(separator: " ").prefix(3).compactMap { Int($0) }
        return pages.count == 3 ? max(pages[1] - pages[2], 0) * Int(sysconf(Int32(_SC_PAGESIZE))) : 0
    }

    private static let fallbackMemory = 1 << 30

    /// The text of a file under /proc or /sys, whose size the file system does not know.
    static func smallFile(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while bytes.count < 1 << 20 {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { break }
            bytes += buffer[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
