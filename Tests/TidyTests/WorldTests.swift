import Testing

/// The world is passed in: time, randomness and workers come from the warehouse, so that two of them in one process do
/// not know of each other and tests can move the time on (`docs/design/0006-the-world-passed-in.md`).
struct WorldTests {
    /// What is the process's, and who may say so.
    private static let rules: [(word: String, mayUse: Set<String>)] = [
        // The defaults of the outermost options; the shell's own log line.
        (
            "SystemTime(",
            [
                "Sources/Platform/Stopwatch.swift", "Sources/Warehouse/Sessions/Warehouse.swift",
                "Sources/PGWire/Server/ServerLog.swift", "Sources/RedbarnCommand/Serve/CrashReport.swift",
                // Whoever reads a date without a session: tests, and the defaults of constants.
                "Sources/SQLTypes/DatetimeReader.swift",
            ]
        ),
        ("SystemRandomNumberGenerator", ["Sources/Platform/RandomSource.swift"]),
        ("SystemRandom(", ["Sources/Platform/SharedRandom.swift", "Sources/Warehouse/Sessions/Warehouse.swift"]),
        ("WorkerPool.shared", ["Sources/Warehouse/Sessions/Warehouse.swift"]),
    ]
    /// Things of the process: its allocator, its signals, a table of constants.
    private static let shared: Set<String> = ["MemoryRegions", "SignalWatcher", "KeywordTable", "WorkerPool"]
    /// A context that knows no moment takes the machine's.
    private static let withoutMoment = ["Warehouse", "ColumnStore", "VectorEngine", "Optimizer", "PGWire", "Workload"]

    static func faults(_ path: String, _ target: String, _ code: [String]) -> [Int] {
        code.indices.filter { index in
            let line = code[index]
            for rule in rules where line.contains(rule.word) && !rule.mayUse.contains(path) { return true }
            if line.contains(".shared"), usesShared(line, path) { return true }
            if line.contains("static let shared"), !shared.contains(where: { path.hasSuffix("/\($0).swift") }) {
                return true
            }
            return withoutMoment.contains(target) && line.contains("DatetimeContext()")
        }.map { $0 + 1 }
    }

    private static func usesShared(_ line: String, _ path: String) -> Bool {
        for range in line.ranges(of: ".shared") {
            func isWord(_ character: Character) -> Bool { character.isLetter || character.isNumber }
            if let next = line[range.upperBound...].first, isWord(next) { continue }
            let before = line[..<range.lowerBound]
            let type = String(before.reversed().prefix(while: isWord).reversed())
            if shared.contains(type) { continue }
            if type.isEmpty {
                // A path to a property; or an implicit member, as the default of `ResidentMemory`'s regions.
                if before.last == "\\" || path == "Sources/Platform/ResidentMemory.swift" { continue }
                return true
            }
            if type.first?.isUppercase ?? false { return true }
        }
        return false
    }

    @Test func theWorldIsPassedIn() throws {
        let problems = try SourceFile.all(below: "Sources").flatMap { file in
            Self.faults(file.path, file.target, file.code).map { "\(file.path):\($0)" }
        }
        #expect(problems.isEmpty, "take it from the warehouse:\n\(problems.joined(separator: "\n"))")
    }

    @Test func theRuleFindsWhatItShould() {
        let code = [
            "let now = SystemTime().wallMicroseconds()", "pool: WorkerPool = .shared", "AlarmClock.shared.add()",
            "static let shared = AlarmClock()", "let region = try MemoryRegions.shared.take(bytes: 8)",
            "facts.shared = length; all.map(\\.shared)", "let context = DatetimeContext()",
        ]
        #expect(Self.faults("Sources/Workload/AlarmClock.swift", "Workload", code) == [1, 2, 3, 4, 7])
    }
}
