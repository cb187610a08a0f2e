import ArgumentParser

/// `redbarn bench`: measures.
struct BenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench", abstract: "Load, validate and time benchmarks.",
        subcommands: [TPCHCommand.self, MixedCommand.self, RunLoopCommand.self])
}
