import Glibc

/// Room on the file system in which a path lies.
package enum DiskSpace {
    /// nil where the system does not tell.
    package static func of(_ path: String) -> (freeBytes: Int, totalBytes: Int)? {
        var answer = statvfs()
        guard statvfs(path, &answer) == 0 else { return nil }
        let unit = Int(clamping: answer.f_frsize)
        let free = Int(clamping: answer.f_bavail).multipliedReportingOverflow(by: unit)
        let total = Int(clamping: answer.f_blocks).multipliedReportingOverflow(by: unit)
        return free.overflow || total.overflow ? nil : (free.partialValue, total.partialValue)
    }
}
