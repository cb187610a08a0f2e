import ArgumentParser
import Catalog
import Glibc
import SQLTypes
import Warehouse

/// A long-lived process that runs one query for every line it reads, so that a comparing program can take turns between
/// engines. A line is a query's name (`q1`, or `NAME` of `NAME.sql` in the folder given); `rows NAME` answers with the
/// rows, `plan NAME` with the fastest of five EXPLAINs. An answer is one line of JSON.
struct RunLoopCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run-loop", abstract: "Run queries named on standard input, for comparisons.", shouldDisplay: false
    )

    @Option(help: "A loaded warehouse.")
    var warehouse: String

    @Option(help: "A folder of queries, one in each file NAME.sql; the 22 queries derived from TPC-H by default.")
    var queries: String?

    @Option(help: "The project's folder with benchmarks/tpch in it.")
    var assets: String?

    @OptionGroup var arguments: WarehouseArguments

    func run() throws {
        SignalWatcher.shared.start()
        let output = OutputSink(descriptor: 1)
        do {
            let files = queries == nil ? try BenchAssets(override: assets) : nil
            let target = try TPCHWarehouse(directory: warehouse, options: try arguments.options(isScratch: false))
            defer { try? target.close() }
            try answer(
                .object([
                    ("ready", .boolean(true)), ("version", .string(RedbarnCommand.version)),
                    ("workers", .integer(target.warehouse.workers)),
                    ("slices", .integer(target.warehouse.shape.slices)),
                ]), output)
            let input = try StreamInput()
            while case .line(let line) = input.nextLine(prompt: { "" }) {
                try answer(respond(line.trimmed, target, files), output)
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

    private func respond(_ line: String, _ target: TPCHWarehouse, _ files: BenchAssets?) -> JSONValue {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        let name = words.last ?? ""
        do {
            let sql = try text(of: name, files)
            switch words.count == 2 ? words[0] : "" {
            case "rows": return try rows(of: sql, name, target)
            case "plan":
                let times = try (0..<5).map { _ in try target.run("explain " + sql).milliseconds }
                return .object([("name", .string(name)), ("ms", .number(times.min() ?? 0))])
            default:
                let run = try target.run(sql)
                return .object([
                    ("name", .string(name)), ("ms", .number(run.milliseconds)),
                    ("rows", .integer(run.result.rows.count)),
                ])
            }
        } catch {
            return .object([("name", .string(name)), ("error", .string(SQLError(reporting: error).message))])
        }
    }

    private func text(of name: String, _ files: BenchAssets?) throws -> String {
        if let queries { return try LocalFiles.contents("\(queries)/\(name).sql") }
        guard name.hasPrefix("q"), let number = Int(name.dropFirst()), TPCH.queryNumbers.contains(number), let files
        else { throw SQLError(.invalidParameterValue, "no query \"\(name)\"") }
        return try files.query(number)
    }

    private func rows(of sql: String, _ name: String, _ target: TPCHWarehouse) throws -> JSONValue {
        let result = try target.run(sql).result
        let rows = result.rows.indices.map { row in
            JSONValue.array(
                result.columns.indices.map { column in
                    result.text(row: row, column: column).map { .string($0) } ?? .null
                })
        }
        return .object([("name", .string(name)), ("rows", .array(rows))])
    }
}
