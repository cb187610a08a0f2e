import ArgumentParser
import Foundation
import TestSupport

@main
struct RedbarnSLT: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "redbarn-slt", abstract: "Runs SQL test scripts against warehouses in scratch folders.")

    @Argument(help: "Scripts, folders of scripts, or file:line for one record.")
    var paths: [String] = []
    @Flag(help: "Write what queries return into the scripts.")
    var complete = false
    @Option(help: "Slices of the warehouses.")
    var slices = 2
    @Option(help: "Nodes that share the slices.")
    var nodes = 1
    @Option(help: "Worker threads.")
    var workers: Int?
    @Option(help: "Rows of a batch (SET redbarn_batch_rows).")
    var batchRows: Int?
    @Option(help: "Memory budget in MB.")
    var memory: Int?
    @Flag(help: "Close and open the warehouse after every statement.")
    var restart = false
    @Option(name: .customLong("disable-pass"), help: "Switch an optimizer pass off.")
    var disabledPasses: [String] = []
    @Option(help: "Switch a special way of the engine off (SET redbarn_disable); \"all\" for every one.")
    var disable: [String] = []
    @Flag(help: "Check every step's vectors (SET redbarn_verify_vectors).")
    var verify = false
    @Flag(help: "Operators go to the temporary area from the first row (SET redbarn_spill_always).")
    var spill = false
    @Option(help: "Report this many of the slowest scripts.")
    var slowest = 0
    @Option(help: "Seconds that one script may take.")
    var timeout = 600.0
    @Option(help: "Where scratch folders are made.")
    var scratch = NSTemporaryDirectory()
    @Flag(help: "Run scripts in this process; a crash ends everything.")
    var inProcess = false
    @Flag(help: "Keep scratch folders.")
    var keep = false
    @Flag(help: "Only count, do not print failures.")
    var quiet = false
    @Option(help: "Compare the plans of the .sql files in a folder with its .plan files.")
    var plans: String?
    @Option(help: "With --plans: the folder of TPC-H data, __DATA__ in load.sql.")
    var data = "datasets/data/tpch/sf0.01"
    @Flag(help: "With --plans: write the .plan files.")
    var record = false
    @Option(help: "Instead of scripts: damage a small warehouse this many times and look whether it is found.")
    var damage: Int?
    @Option(help: "With --damage: where the random numbers begin.")
    var seed = UInt64.random(in: 0 ... .max)
    @Option(help: .hidden)
    var marker: String?
    @Option(help: .hidden)
    var avoid: [Int] = []

    func run() throws {
        if let plans { return try checkPlans(plans) }
        if let damage { return try checkDamage(damage) }
        let jobs = try paths.flatMap(expand)
        if jobs.isEmpty { throw ValidationError("no scripts found") }
        var passed = 0
        var failed = 0
        var durations: [(seconds: Double, file: String)] = []
        for job in jobs {
            let start = Date()
            let (good, bad) = try inProcess || complete ? runHere(job) : ChildRun(self, job).run()
            passed += good
            failed += bad
            durations.append((Date().timeIntervalSince(start), job.file))
        }
        for entry in durations.sorted(by: { $0.seconds > $1.seconds }).prefix(slowest) {
            print("\(String(format: "%8.2f s", entry.seconds))  \(entry.file)")
        }
        print("\(passed) passed, \(failed) failed")
        if failed > 0 { throw ExitCode(1) }
    }

    /// One script, and the line that was asked for.
    struct Job {
        var file: String
        var line: Int?
    }

    private func expand(_ path: String) throws -> [Job] {
        if let colon = path.lastIndex(of: ":"), let line = Int(path[path.index(after: colon)...]) {
            return [Job(file: String(path[..<colon]), line: line)]
        }
        let files = ScratchFiles.list(path, extension: "slt")
        if files.isEmpty { throw ValidationError("no scripts in \(path)") }
        return files.map { Job(file: $0, line: nil) }
    }

    var world: TestWorld {
        var world = TestWorld()
        world.slices = slices
        world.nodes = nodes
        world.workers = workers
        world.batchRows = batchRows
        world.memoryBytes = memory.map { $0 << 20 }
        world.restartsAlways = restart
        world.disabledPasses = disabledPasses
        world.disabledWays = disable.flatMap { $0 == "all" ? TestWorld.specialWays : [$0] }
        world.verifiesVectors = verify
        world.spillsAlways = spill
        return world
    }

    /// The folder `data` beside the script or above it.
    private func dataFolder(_ file: String) -> String {
        var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        for _ in 0..<8 {
            let data = folder.appendingPathComponent("data").path
            if FileManager.default.fileExists(atPath: data) { return data }
            folder = folder.deletingLastPathComponent()
        }
        return "data"
    }

    func runHere(_ job: Job) throws -> (Int, Int) {
        let text = try ScratchFiles.readText(job.file)
        let records = try TestScriptParser.parse(text, file: job.file)
        let folder = try ScratchFiles.makeFolder(in: scratch, name: "redbarn-slt")
        defer { if !keep { ScratchFiles.remove(folder) } }
        let runner = try TestScriptRunner(
            file: job.file, directory: folder, data: dataFolder(job.file), world: world)
        runner.avoided = Set(avoid)
        runner.onlyLine = job.line.map { line in records.last { $0.line <= line }?.line ?? line }
        if let marker {
            let handle = FileHandle(forWritingAtPath: marker)
            runner.willRun = { line in
                try? handle?.seek(toOffset: 0)
                try? handle?.write(contentsOf: Data("\(line)        ".utf8))
            }
        }
        let outcome = runner.run(records)
        if complete, let rewritten = TestScriptCompletion.rewrite(text, outcome) {
            try ScratchFiles.write(Array(rewritten.utf8), to: job.file)
        }
        if !quiet { for failure in outcome.failures { print("\(failure.file):\(failure.line): \(failure.message)\n") } }
        return (outcome.passed, outcome.failures.count)
    }

    private func checkDamage(_ count: Int) throws {
        print("seed \(seed)")
        let outcome = try DamageTrials(scratch: scratch, seed: seed).run(count)
        for failure in outcome.failures { print(failure + "\n") }
        print("damage found \(outcome.found) times, without effect \(outcome.harmless) times")
        print("\(outcome.failures.isEmpty ? 1 : 0) passed, \(outcome.failures.count) failed")
        if !outcome.failures.isEmpty { throw ExitCode(1) }
    }

    private func checkPlans(_ folder: String) throws {
        let outcome = try PlanSnapshots(folder: folder, data: data).run(record: record)
        for failure in outcome.failures { print("\(failure.file): \(failure.message)\n") }
        print("\(outcome.passed) passed, \(outcome.failures.count) failed")
        if !outcome.failures.isEmpty { throw ExitCode(1) }
    }
}
