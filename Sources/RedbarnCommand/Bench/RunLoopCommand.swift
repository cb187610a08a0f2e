import ArgumentParser
import Glibc
import SQLTypes
import Warehouse

/// A long-lived process that runs one query for every line it reads, so that a comparing program can take turns between
/// engines. A line is a query's name (`q1`); the answer is one line of JSON.
struct RunLoopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-loop", abstract: "Run queries named on standard input, for comparisons.", shouldDisplay: false
    )

    @Option(help: "A loaded warehouse.")
    var warehouse: String

    @Option(help: "The project's folder with benchmarks/tpch in it.")
    var assets: String?

    @OptionGroup var arguments: WarehouseArguments

    func run() throws {
        SignalWatcher.shared.start()
        let output = OutputSink(descriptor: 1)
        do {
            let files = try BenchAssets(override: assets)
            let target = try TPCHWarehouse(directory: warehouse, options: arguments.options(isScratch: false))
            defer { try? target.close() }
            try answer(
                .object([
                    ("ready", .boolean(true)), ("version", .string(RedbarnCommand.version)),
                    ("workers", .integer(target.warehouse.workers)),
                    ("slices", .integer(target.warehouse.shape.slices)),
                ]), output)
            let input = try StreamInput()
            while case .line(let line) = input.nextLine(prompt: { "" }) {
                try answer(measure(line.trimmed, target, files), output)
            }
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            throw ExitCode(1)
        }
    }

    private func answer(_ value: JSONValue, _ output: OutputSink) throws {
        output.line(value.text)
        try output.flush()
    }

    private func measure(_ name: String, _ target: TPCHWarehouse, _ files: BenchAssets) -> JSONValue {
        do {
            guard name.hasPrefix("q"), let number = Int(name.dropFirst()), TPCH.queryNumbers.contains(number) else {
                throw SQLError(.invalidParameterValue, "no query \"\(name)\"")
            }
            let run = try target.run(try files.query(number))
            return .object([
                ("name", .string(name)), ("ms", .number(run.milliseconds)), ("rows", .integer(run.result.rows.count)),
            ])
        } catch {
            return .object([("name", .string(name)), ("error", .string(SQLError(reporting: error).message))])
        }
    }
}
