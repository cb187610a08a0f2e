import Foundation

/// Runs one script in a process of its own. When that process ends early, the record that ended it counts as failed and
/// the script runs again without it.
struct ChildRun {
    private let command: RedbarnSLT
    private let job: RedbarnSLT.Job
    private static let restarts = 20

    init(_ command: RedbarnSLT, _ job: RedbarnSLT.Job) {
        self.command = command
        self.job = job
    }

    func run() throws -> (Int, Int) {
        var avoided: [Int] = []
        while true {
            let folder = FileManager.default.temporaryDirectory
            let marker = folder.appendingPathComponent("redbarn-slt-line-\(UUID().uuidString)")
            let output = folder.appendingPathComponent("redbarn-slt-output-\(UUID().uuidString)")
            defer {
                try? FileManager.default.removeItem(at: marker)
                try? FileManager.default.removeItem(at: output)
            }
            try Data().write(to: marker)
            try Data().write(to: output)
            let ending = try start(marker.path, output, avoided)
            let text = String(decoding: try Data(contentsOf: output), as: UTF8.self)
            if let counts = Self.counts(text) {
                if !command.quiet { print(Self.withoutLastLine(text), terminator: "") }
                return counts
            }
            let line = Int(try ScratchLine.read(marker)) ?? 0
            print("\(job.file):\(line): the process \(ending) here\n\(Self.essence(text))\n")
            if line == 0 || avoided.contains(line) || avoided.count >= Self.restarts { return (0, avoided.count + 1) }
            avoided.append(line)
        }
    }

    private func start(_ marker: String, _ output: URL, _ avoided: [Int]) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        process.arguments = arguments(marker, avoided)
        let handle = try FileHandle(forWritingTo: output)
        process.standardOutput = handle
        process.standardError = handle
        try process.run()
        let deadline = Date().addingTimeInterval(command.timeout)
        while process.isRunning {
            if Date() > deadline {
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                return "ran into the time limit"
            }
            usleep(2000)
        }
        try handle.close()
        return process.terminationReason == .uncaughtSignal
            ? "crashed (signal \(process.terminationStatus))" : "ended (code \(process.terminationStatus))"
    }

    private func arguments(_ marker: String, _ avoided: [Int]) -> [String] {
        var arguments = ["--in-process", "--marker", marker, "--scratch", command.scratch]
        arguments += ["--slices", String(command.slices), "--nodes", String(command.nodes)]
        if let workers = command.workers { arguments += ["--workers", String(workers)] }
        if let rows = command.batchRows { arguments += ["--batch-rows", String(rows)] }
        if let memory = command.memory { arguments += ["--memory", String(memory)] }
        if command.restart { arguments.append("--restart") }
        if command.keep { arguments.append("--keep") }
        for pass in command.disabledPasses { arguments += ["--disable-pass", pass] }
        for way in command.disable { arguments += ["--disable", way] }
        if command.verify { arguments.append("--verify") }
        if command.spill { arguments.append("--spill") }
        for line in avoided { arguments += ["--avoid", String(line)] }
        return arguments + [job.line.map { "\(job.file):\($0)" } ?? job.file]
    }

    /// The counts of the last line, when the process came that far.
    private static func counts(_ text: String) -> (Int, Int)? {
        guard let last = text.split(separator: "\n").last else { return nil }
        let words = last.split(separator: " ")
        guard words.count == 4, words[1] == "passed,", words[3] == "failed", let good = Int(words[0]),
            let bad = Int(words[2])
        else { return nil }
        return (good, bad)
    }

    /// Of a crash's backtrace the frames of the thread that crashed, else the end of the text.
    private static func essence(_ text: String) -> String {
        let lines = text.split(separator: "\n")
        guard let crash = lines.lastIndex(where: { $0.contains(" crashed:") }) else { return String(text.suffix(1000)) }
        let frames = lines[crash...].filter { $0.contains(" in ") }.prefix(12)
        let reasons = lines.prefix(5).filter { $0.contains("rror") || $0.contains("Crash") }
        return (reasons + frames).map { "  " + $0 }.joined(separator: "\n")
    }

    private static func withoutLastLine(_ text: String) -> String {
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        if lines.last == "" { lines.removeLast() }
        lines.removeLast()
        return lines.isEmpty ? "" : lines.joined(separator: "\n") + "\n"
    }
}

/// The line number that a child wrote before its last record.
enum ScratchLine {
    static func read(_ file: URL) throws -> String {
        String(decoding: try Data(contentsOf: file), as: UTF8.self).filter(\.isNumber)
    }
}
