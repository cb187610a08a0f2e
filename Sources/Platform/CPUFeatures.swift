/// Whether this CPU has what the build was compiled for (x86-64-v3).
public enum CPUFeatures {
    #if arch(x86_64)
    private static let required = ["avx2", "bmi1", "bmi2", "fma", "f16c", "movbe", "abm", "sse4_2", "popcnt"]
    #else
    private static let required: [String] = []
    #endif

    /// The required features that the CPU lacks; empty when it has all of them.
    public static func missing() -> [String] {
        missing(inDescription: HostEnvironment.smallFile("/proc/cpuinfo") ?? "")
    }

    /// The same for the text of a `/proc/cpuinfo`; without a flags line nothing can be said and nothing is missing.
    static func missing(inDescription text: String) -> [String] {
        for line in text.split(separator: "\n") where line.hasPrefix("flags") {
            let flags = Set(line.split(whereSeparator: { $0 == " " || $0 == "\t" || $0 == ":" }))
            return required.filter { !flags.contains(Substring($0)) }
        }
        return []
    }
}
