/// What the kernel says of another process.
enum ProcessState {
    case running
    /// SIGKILL is on its way to it, or it has ended and its threads may not have.
    case ending
    case gone

    init(_ process: Int32) {
        guard let text = HostEnvironment.smallFile("/proc/\(process)/status") else {
            self = .gone
            return
        }
        self = .running
        for line in text.split(separator: "\n") {
            let words = line.split { $0 == "\t" || $0 == " " }
            guard words.count > 1 else { continue }
            switch words[0] {
            case "State:": if words[1] == "Z" || words[1] == "X" { self = .ending }
            // The signals that wait for the whole process, a bit for each.
            case "ShdPnd:": if (UInt64(words[1], radix: 16) ?? 0) & 1 << 8 != 0 { self = .ending }
            default: continue
            }
        }
    }
}
