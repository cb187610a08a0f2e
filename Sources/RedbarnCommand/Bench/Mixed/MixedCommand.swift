import ArgumentParser
import SQLTypes
import Warehouse
import Workload

/// `redbarn bench mixed`: heavy queries, dashboards and loads side by side under a configuration of workload
/// management, or under two in turns.
struct MixedCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "mixed",
        abstract: "Heavy queries, dashboards and loads side by side: latencies, waits, throughput.",
        discussion: """
            Examples:
              redbarn bench mixed --scale 1 --warehouse tpch1 --streams 8 --rate 50 --seconds 60
              redbarn bench mixed --scale 1 --warehouse tpch1 --wlm queues.json --compare none --html report.html

            Streams run the queries derived from TPC-H, each in an order of its own, with query group heavy; \
            dashboards send short queries at a rate, with query group dashboard; loads COPY into tables of their own, \
            with query group load. A dashboard's query counts from the moment at which it is due. --compare takes \
            a second configuration, or "none": everything at once.
            """)

    @Option(help: "Streams of heavy queries.")
    var streams = 4

    @Option(help: "Streams of the same queries with query group background.")
    var background = 0

    @Option(help: "Clients of dashboards.")
    var clients = 8

    @Option(help: "Queries of all dashboards together in a second.")
    var rate = 50.0

    @Option(help: "Clients that load.")
    var loads = 0

    @Option(help: "How long each configuration is measured.")
    var seconds = 30.0

    @Option(help: "How long the dashboards alone are measured before that; 0: not at all.")
    var idle = 5.0

    @Option(help: ArgumentHelp("A second configuration, or none; both are measured in turns.", valueName: "file"))
    var compare: String?

    @Option(help: "Seconds of a turn.")
    var turn = 10.0

    @Option(help: "Another order and other keys for each.")
    var seed: UInt64 = 1

    @OptionGroup var arguments: TPCHArguments

    func validate() throws {
        let counts = [
            ("streams", streams, 256), ("background", background, 256), ("clients", clients, 1_000),
            ("loads", loads, 64),
        ]
        for (name, value, limit) in counts where value < 0 || value > limit {
            throw ValidationError("--\(name) takes 0 to \(limit)")
        }
        guard streams + background + clients + loads > 0 else { throw ValidationError("there is nothing to do") }
        guard rate > 0, rate <= 100_000 else { throw ValidationError("--rate takes a number above 0, up to 100000") }
        let times = [("seconds", seconds, 0.1), ("turn", turn, 0.1), ("idle", idle, 0)]
        for (name, value, least) in times where !(value >= least && value <= 86_400) {
            throw ValidationError("--\(name) takes \(least) to 86400")
        }
    }

    func run() throws {
        // A mistake in a file shows before anything is loaded.
        let other = try compare.map(MixedCommand.configuration)
        if try arguments.report({ try measure(other) }) == nil { throw ExitCode(1) }
    }

    /// By a file, or everything at once: as many slots as there may be, and no lane for short queries.
    private static func configuration(_ name: String) throws -> WorkloadConfiguration {
        if name != "none" { return try WLMFile(name).read() }
        var everything = WorkloadConfiguration()
        everything.isAutomatic = false
        everything.queues[0].slots = WorkloadConfiguration.mostSlots
        everything.shortQueries.isOn = false
        return everything
    }

    private func measure(_ other: WorkloadConfiguration?) throws -> MixedReport {
        let files = try BenchAssets(override: arguments.assets)
        let scratch = try LocalFiles.makeScratchDirectory()
        SignalWatcher.shared.setCleanup { LocalFiles.removeDirectory(scratch) }
        let target = try TPCHWarehouse(
            directory: arguments.warehouse ?? scratch + "/warehouse",
            options: try arguments.opening.options(isScratch: false))
        // Errors of the work have been told.
        defer { try? target.close() }
        if !(try target.isLoaded()) { _ = try arguments.load(target, files) }
        var settings = MixedSettings(
            streams: streams, clients: clients, ratePerSecond: rate, loads: loads, seed: seed)
        settings.heavyQueries = try arguments.queryNumbers.map { try files.query($0) }
        settings.background = background
        let data = MixedData(target, scratch: scratch)
        try data.prepare(&settings)
        let own = target.warehouse.workload.configuration
        var candidates = [(arguments.opening.wlm ?? "default", own)]
        if let other { candidates.append((compare ?? "none", other)) }
        var report = MixedReport(scale: arguments.scale, settings: settings, workers: target.warehouse.workers)
        report.machineSlices = target.warehouse.shape.slices
        try MixedRun(target.warehouse, settings, candidates).measure(
            seconds: seconds, turn: turn, idle: idle, into: &report)
        try data.clean(settings)
        return report
    }
}
