import Glibc
import Platform

/// What the kernel says about this process's memory.
enum ProcessMemory {
    /// The highest resident size since the start or the last reset.
    static func peakBytes() -> Int {
        guard let status = try? LocalFiles.contents("/proc/self/status") else { return 0 }
        for line in status.split(separator: "\n") where line.hasPrefix("VmHWM:") {
            return (Int(line.filter { $0.isASCII && $0.isNumber }) ?? 0) << 10
        }
        return 0
    }

    /// Begins a new measurement of the peak.
    static func resetPeak() {
        let descriptor = open("/proc/self/clear_refs", O_WRONLY)
        guard descriptor >= 0 else { return }
        _ = Glibc.write(descriptor, "5", 1)
        close(descriptor)
    }
}

/// What the program itself counts as used from its making on: all regions, and what the process had before.
struct MemoryMeasurement {
    private let before: Int

    init() {
        ProcessMemory.resetPeak()
        MemoryRegions.shared.resetPeak()
        before = max(HostEnvironment.residentMemory() - MemoryRegions.shared.bytes, 0)
    }

    var accountedPeakBytes: Int { before + MemoryRegions.shared.peakBytes }
}
