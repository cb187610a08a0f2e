import ArgumentParser
import Glibc
import Platform
import SQLTypes
import Workload

/// `redbarn wlm simulate [FILE]`: runs a synthetic or recorded workload against a configuration in simulated time. Exit
/// code 1 when the file cannot be used or the scheduler broke one of its rules.
struct WLMSimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "Try a configuration on a workload in simulated time.",
        discussion: """
            Examples:
              redbarn wlm simulate queues.json --cores 32
              redbarn wlm simulate queues.json --cores 8 --load 1.2 --seed 7
              redbarn wlm simulate queues.json --cores 16 --trace yesterday.csv

            Statements are admitted by the code that the warehouse runs; how long they take is a model, in which \
            cores are shared by priority and a statement's work does not depend on the others. Without FILE: the \
            default configuration, automatic with one queue. docs/wlm.md tells the columns of a trace.
            """)

    @Argument(help: "The configuration; - is the standard input.")
    var file: String?

    @Option(help: "Cores of the machine.")
    var cores = 8

    @Option(help: "Memory of the machine's statements, such as 64GB; 4 GB for each core by default.")
    var memory: MemorySize?

    @Option(help: "Statements; of a trace all by default, more than it has: the trace again.")
    var statements: Int?

    @Option(help: "What a synthetic workload needs of the machine's time, 1 being all of it.")
    var load = 0.9

    @Option(help: "Another synthetic workload for each.")
    var seed: UInt64 = 1

    @Option(help: ArgumentHelp("A recorded workload, as comma-separated values.", valueName: "file"))
    var trace: String?

    @Option(name: .customLong("scaling-clusters"), help: "max_concurrency_scaling_clusters.")
    var scalingClusters = 1

    @Flag(help: "Print the report as JSON.")
    var json = false

    func validate() throws {
        guard (1...1024).contains(cores) else { throw ValidationError("--cores takes 1 to 1024") }
        guard (1...10_000_000).contains(statements ?? 1) else {
            throw ValidationError("--statements takes 1 to 10000000")
        }
        guard load > 0, load <= 100 else { throw ValidationError("--load takes a number above 0, up to 100") }
        guard (0...10).contains(scalingClusters) else { throw ValidationError("--scaling-clusters takes 0 to 10") }
    }

    func run() throws {
        let queues: WorkloadConfiguration
        if let file { queues = try WLMFile(file).read() } else { queues = WorkloadConfiguration() }
        var machine = WorkloadMachine(cores: cores, memoryBytes: memory?.bytes ?? cores << 32)
        machine.scalingClusters = scalingClusters
        let workload: SimulatedWorkload
        if let trace {
            workload = SimulatedWorkload(arrivals: try recorded(trace))
        } else {
            workload = SyntheticWorkload(statements: statements ?? 100_000, seed: seed, load: load)
                .make(queues, machine)
        }
        let start = Stopwatch.nanoseconds
        let report = Simulation(workload, queues, machine).run()
        let text = SimulationText(
            report, statements: workload.count, seconds: Double(Stopwatch.nanoseconds - start) / 1e9)
        let output = OutputSink(descriptor: STDOUT_FILENO)
        output.write(json ? text.json.text + "\n" : text.text)
        try output.flush()
        if !report.faults.isEmpty { throw ExitCode(1) }
    }

    private func recorded(_ path: String) throws -> [SimulatedStatement] {
        do {
            return try WorkloadTrace(try LocalFiles.bytes(path), count: statements).statements
        } catch let fault as WorkloadTrace.Fault {
            StandardError.line("\(path):\(fault.line): \(fault.message)")
        } catch let error as SQLError {
            StandardError.line("ERROR:  \(error.message)")
        }
        throw ExitCode(1)
    }
}
