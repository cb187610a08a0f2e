import Glibc
import Platform

/// The machine a measurement was made on.
struct MachineFacts {
    var processor = "unknown"
    var processors = HostEnvironment.allowedCPUs().count
    var memoryBytes = HostEnvironment.usableMemory()
    var system = "unknown"
    var kernel = ""

    init() {
        if let line = MachineFacts.line("/proc/cpuinfo", "model name"), let colon = line.firstIndex(of: ":") {
            processor = String(line[line.index(after: colon)...]).trimmed
        }
        if let line = MachineFacts.line("/etc/os-release", "PRETTY_NAME=") {
            system = line.dropFirst("PRETTY_NAME=".count).filter { $0 != "\"" }
        }
        var names = utsname()
        if uname(&names) == 0 {
            kernel = withUnsafeBytes(of: &names.release) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
    }

    private static func line(_ path: String, _ prefix: String) -> String? {
        guard let text = try? LocalFiles.contents(path) else { return nil }
        return text.split(separator: "\n").first { $0.hasPrefix(prefix) }.map(String.init)
    }

    var json: JSONValue {
        .object([
            ("processor", .string(processor)), ("cpus", .integer(processors)), ("memory_bytes", .integer(memoryBytes)),
            ("system", .string(system)), ("kernel", .string(kernel)),
        ])
    }
}
