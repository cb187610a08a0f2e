import ArgumentParser
import ColumnStore
import Glibc
import PGWire
import SQLTypes
import Warehouse

/// `redbarn sql`: statements from a terminal, a pipe, files or the command line.
struct SQLCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sql",
        abstract: "Run SQL in a warehouse directory, interactively or from scripts.",
        discussion: """
            Without -c and -f, statements are read from standard input: with line editing on a terminal, silently \
            from a pipe. Without DIR, a scratch warehouse is made and removed at the end. Exit codes: 0 all well, 1 \
            a -c statement failed or nothing could be run, 3 a script was stopped by an error (ON_ERROR_STOP).
            """)

    @Argument(help: "The warehouse, created when it is not there, or a server: postgres://user@host:port/database.")
    var directory: String?

    @Option(
        name: [.customShort("c"), .long], parsing: .unconditionalSingleValue,
        help: "Run statements or a backslash command.")
    var command: [String] = []

    @Option(name: [.short, .long], help: "Run a file.")
    var file: [String] = []

    @Option(help: "aligned, csv, tsv, json, markdown or vertical.")
    var format: ResultFormat?

    @Option(
        name: [.customShort("v"), .customLong("set"), .customLong("variable")],
        help: ArgumentHelp("Set a shell variable.", valueName: "name=value"))
    var variables: [String] = []

    @Flag(name: [.customShort("t"), .long], help: "Rows only, without headings.")
    var tuplesOnly = false

    @Flag(name: [.customShort("q"), .long], help: "No greeting.")
    var quiet = false

    @OptionGroup var warehouse: WarehouseArguments
    @OptionGroup var maintenance: MaintenanceArguments

    func run() throws {
        SignalWatcher.shared.start()
        let status: Int32
        do {
            status = try withConnection { try makeShell($0).run(commands: command, files: file) }
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            status = 1
        }
        SignalWatcher.shared.runCleanup()
        if status != 0 { throw ExitCode(status) }
    }

    private func withConnection<Result>(_ body: (any ShellConnection) throws -> Result) throws -> Result {
        if let directory, ServerAddress.isAddress(directory) {
            var address = try ServerAddress(directory)
            if address.password == nil { address.password = Environment["PGPASSWORD"] }
            return try body(try RemoteConnection(address))
        }
        let place = try directory ?? LocalFiles.makeScratchDirectory()
        let isScratch = directory == nil
        if isScratch { SignalWatcher.shared.setCleanup { LocalFiles.removeDirectory(place) } }
        var options = try warehouse.options(isScratch: isScratch)
        maintenance.apply(to: &options)
        let opened = try Warehouse(directory: place, options: options)
        defer { opened.close() }
        if let broken = opened.store.recovery.broken { StandardError.line("WARNING:  " + broken.message) }
        return try body(try LocalConnection(warehouse: opened, directory: place, isScratch: isScratch))
    }

    private func makeShell(_ connection: any ShellConnection) throws -> Shell {
        let shell = Shell(connection)
        if let format { shell.display.format = format }
        shell.display.tuplesOnly = tuplesOnly
        shell.isQuiet = quiet
        for assignment in variables {
            let parts = assignment.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first, !name.isEmpty else {
                throw SQLError(.invalidParameterValue, "--set takes name=value")
            }
            shell.variables[String(name)] = parts.count == 2 ? String(parts[1]) : "on"
        }
        return shell
    }
}
