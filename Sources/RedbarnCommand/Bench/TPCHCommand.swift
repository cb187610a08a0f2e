import ArgumentParser
import Catalog
import SQLTypes
import Warehouse

/// `redbarn bench tpch`: makes data, loads it, checks the answers, times the queries, reports.
struct TPCHCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tpch",
        abstract: "The 22 queries derived from TPC-H: load, validate, time.",
        discussion: """
            Cold is the first run after the warehouse was opened (the operating system may still have the files in \
            memory); hot runs follow. Planning is measured with EXPLAIN. Results are fetched.
            """)

    @Option(help: "Hot runs of each query.")
    var runs = 5

    @OptionGroup var arguments: TPCHArguments

    func validate() throws {
        guard runs >= 0 && runs <= 10_000 else { throw ValidationError("--runs takes 0 to 10000") }
    }

    func run() throws {
        let report = try arguments.report { try measure() }
        if report?.hasFailures ?? true { throw ExitCode(1) }
    }

    private func measure() throws -> TPCHReport {
        let files = try BenchAssets(override: arguments.assets)
        var report = TPCHReport(scale: arguments.scale)
        let directory = try arguments.warehouse ?? LocalFiles.makeScratchDirectory()
        if arguments.warehouse == nil { SignalWatcher.shared.setCleanup { LocalFiles.removeDirectory(directory) } }
        let target = try TPCHWarehouse(directory: directory, options: try arguments.opening.options(isScratch: false))
        defer { try? target.close() }
        if try target.isLoaded() {
            report.wasLoaded = false
        } else {
            try load(target, files, &report)
        }
        report.diskBytes = LocalFiles.size(ofDirectory: directory)
        report.settings = [
            ("nodes", .integer(target.warehouse.shape.nodes)),
            ("slices_per_node", .integer(target.warehouse.shape.slicesPerNode)),
            ("workers", .integer(target.warehouse.workers)), ("keys", .string(arguments.keys.rawValue)),
            ("runs", .integer(runs)),
        ]
        try target.reopen()
        let memory = MemoryMeasurement()
        for number in try arguments.queryNumbers {
            report.queries.append(try measure(number, target, files))
        }
        report.peakBytes = ProcessMemory.peakBytes()
        report.accountedBytes = memory.accountedPeakBytes
        return report
    }

    private func load(_ target: TPCHWarehouse, _ files: BenchAssets, _ report: inout TPCHReport) throws {
        let (place, seconds) = try arguments.load(target, files)
        report.loadTables = seconds
        report.loadSeconds = report.loadTables.reduce(0) { $0 + $1.1 }
        report.loadBytes = TPCH.tables.reduce(0) { $0 + (LocalFiles.size(ofFile: "\(place)/\($1).tbl") ?? 0) }
    }

    private func measure(_ number: Int, _ target: TPCHWarehouse, _ files: BenchAssets) throws -> QueryMeasurement {
        var measurement = QueryMeasurement(name: "q\(number)")
        let sql = try files.query(number)
        let answer = try files.answer(number, scale: arguments.scale)
        do {
            try target.reopen()
            let cold = try target.run(sql)
            measurement.coldMilliseconds = cold.milliseconds
            measurement.rows = cold.result.rows.count
            if let answer {
                measurement.problem = try difference(cold.result, number, answer)
                measurement.isValid = measurement.problem == nil
            }
            for _ in 0..<runs { measurement.hotMilliseconds.append(try target.run(sql).milliseconds) }
            let plans = try (0..<5).map { _ in try target.run("explain " + sql).milliseconds }
            measurement.planMilliseconds = plans.min()
        } catch let error as SQLError where error.state != .queryCanceled {
            measurement.problem = ErrorReport.text(error, statement: sql)
            measurement.isValid = answer == nil ? nil : false
        }
        return measurement
    }

    private func difference(_ result: QueryResult, _ number: Int, _ answer: String) throws -> String? {
        AnswerComparison(
            answer: try AnswerTable(csv: answer), orderColumns: TPCH.orderColumns(number),
            inexactColumns: TPCH.inexactColumns
        ).difference(result)
    }
}
