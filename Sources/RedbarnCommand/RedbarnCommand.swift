import ArgumentParser
import Glibc

/// The executable: an interactive shell and a benchmark runner over one warehouse directory.
@main
struct RedbarnCommand: ParsableCommand {
    static let version = "0.1.0"
    static let configuration = CommandConfiguration(
        commandName: "redbarn",
        abstract: "A Redshift-compatible columnar warehouse in one process.",
        version: "redbarn \(version)",
        subcommands: [
            SQLCommand.self, ServeCommand.self, BenchCommand.self, DoctorCommand.self, SnapshotCommand.self,
            RestoreCommand.self, ResizeCommand.self, WLMCommand.self, ImportCommand.self,
        ])

    /// Exit code 1 for wrong usage, as psql has it.
    static func main() {
        do {
            var command = try parseAsRoot(ConfigFile.expanded(Array(CommandLine.arguments.dropFirst())))
            try command.run()
        } catch  where exitCode(for: error) == .validationFailure {
            StandardError.line(fullMessage(for: error))
            Glibc.exit(1)
        } catch {
            exit(withError: error)
        }
    }
}
