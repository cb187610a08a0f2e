import Warehouse
import Workload

/// Measures one or two configurations, in turns.
struct MixedRun {
    private let warehouse: Warehouse
    private let settings: MixedSettings
    private let candidates: [(label: String, configuration: WorkloadConfiguration)]
    /// Statements of before must have left their traces before what they did is timed.
    private static let warmupSeconds = 1.0

    init(
        _ warehouse: Warehouse, _ settings: MixedSettings,
        _ candidates: [(label: String, configuration: WorkloadConfiguration)]
    ) {
        self.warehouse = warehouse
        self.settings = settings
        self.candidates = candidates
    }

    func measure(seconds: Double, turn: Double, idle: Double, into report: inout MixedReport) throws {
        if idle > 0 && settings.clients > 0 { report.idle = try dashboardsAlone(idle) }
        report.runs = candidates.map { MixedFigures(label: $0.label) }
        var positions = candidates.map { _ in [Int](repeating: 0, count: settings.streams + settings.background) }
        let turns = candidates.count > 1 ? max(Int((seconds / turn).rounded(.up)), 1) : 1
        for round in 0..<turns {
            // Each begins as often as the other, so that neither always runs on the other's warm caches.
            let order = round % 2 == 0 ? Array(candidates.indices) : candidates.indices.reversed()
            for index in order {
                if candidates.count > 1 { warehouse.workload.configure(candidates[index].configuration) }
                let slice = MixedSlice(
                    warehouse, settings, seconds: seconds / Double(turns), seed: settings.seed &+ UInt64(round + 1),
                    positions: positions[index])
                let result = try slice.run(label: candidates[index].label)
                report.runs[index].add(result.figures)
                positions[index] = result.positions
            }
        }
    }

    private func dashboardsAlone(_ seconds: Double) throws -> MixedFigures {
        var alone = settings
        (alone.streams, alone.background, alone.loads) = (0, 0, 0)
        _ = try MixedSlice(
            warehouse, alone, seconds: min(seconds, MixedRun.warmupSeconds), seed: settings.seed, positions: []
        ).run(label: "warm-up")
        return try MixedSlice(warehouse, alone, seconds: seconds, seed: settings.seed, positions: [])
            .run(label: "dashboards alone").figures
    }
}
