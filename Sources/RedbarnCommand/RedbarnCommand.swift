import ArgumentParser

/// The executable: an interactive shell and a benchmark runner over one warehouse directory.
@main
struct RedbarnCommand: ParsableCommand {
    static let version = "0.1.0"
    static let configuration = CommandConfiguration(
        commandName: "redbarn",
        abstract: "A Redshift-compatible columnar warehouse in one process.",
        version: "redbarn \(version)",
        subcommands: [SQLCommand.self, BenchCommand.self])
}
