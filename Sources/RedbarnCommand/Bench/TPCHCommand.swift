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

    @Option(help: "Scale factor; 1 is about 1 GB of files.")
    var scale = "1"

    @Option(help: "Folder of the .tbl files; made when they are not there.")
    var data: String?

    @Option(help: "Warehouse directory; a loaded one is used as it is. A scratch directory by default.")
    var warehouse: String?

    @Option(help: "Hot runs of each query.")
    var runs = 5

    @Option(help: "Only these queries, such as 1,6,14-16.")
    var queries: String?

    @Option(help: "Table definitions: redshift (DISTKEY, SORTKEY) or none.")
    var keys = TableKeys.redshift

    @Option(help: ArgumentHelp("Write the measurements as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write a report as a web page.", valueName: "file"))
    var html: String?

    @Option(help: "The project's folder with benchmarks/tpch in it.")
    var assets: String?

    @OptionGroup var arguments: WarehouseArguments

    func validate() throws {
        guard let factor = Double(scale), factor > 0, factor <= 1000 else {
            throw ValidationError("--scale takes a number above 0, up to 1000")
        }
        guard runs >= 0 && runs <= 10_000 else { throw ValidationError("--runs takes 0 to 10000") }
        _ = try QueryNumbers.parse(queries)
    }

    func run() throws {
        SignalWatcher.shared.start()
        var failed = false
        do {
            let report = try measure()
            try report.printTable(OutputSink(descriptor: 1))
            if let json { try LocalFiles.write(report.json.text + "\n", to: json) }
            if let html { try LocalFiles.write(report.html, to: html) }
            failed = report.hasFailures
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            failed = true
        }
        SignalWatcher.shared.runCleanup()
        if failed { throw ExitCode(1) }
    }

    private func measure() throws -> TPCHReport {
        let files = try BenchAssets(override: assets)
        var report = TPCHReport(scale: scale)
        let directory = try warehouse ?? LocalFiles.makeScratchDirectory()
        if warehouse == nil { SignalWatcher.shared.setCleanup { LocalFiles.removeDirectory(directory) } }
        let target = try TPCHWarehouse(directory: directory, options: try arguments.options(isScratch: false))
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
            ("workers", .integer(target.warehouse.workers)), ("keys", .string(keys.rawValue)), ("runs", .integer(runs)),
        ]
        try target.reopen()
        let memory = MemoryMeasurement()
        for number in try QueryNumbers.parse(queries) {
            report.queries.append(try measure(number, target, files))
        }
        report.peakBytes = ProcessMemory.peakBytes()
        report.accountedBytes = memory.accountedPeakBytes
        return report
    }

    private func load(_ target: TPCHWarehouse, _ files: BenchAssets, _ report: inout TPCHReport) throws {
        let folder = data ?? files.defaultData(scale: scale)
        try files.makeData(scale: scale, directory: folder)
        let place = LocalFiles.absolute(folder)
        StandardError.line("Loading \(place) ...")
        report.loadTables = try target.load(definitions: try files.tableDefinitions(keys), data: place)
        report.loadSeconds = report.loadTables.reduce(0) { $0 + $1.1 }
        report.loadBytes = TPCH.tables.reduce(0) { $0 + (LocalFiles.size(ofFile: "\(place)/\($1).tbl") ?? 0) }
    }

    private func measure(_ number: Int, _ target: TPCHWarehouse, _ files: BenchAssets) throws -> QueryMeasurement {
        var measurement = QueryMeasurement(name: "q\(number)")
        let sql = try files.query(number)
        let answer = try files.answer(number, scale: scale)
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

/// `1,6,14-16`
enum QueryNumbers {
    static func parse(_ text: String?) throws -> [Int] {
        guard let text else { return Array(TPCH.queryNumbers) }
        var numbers: [Int] = []
        for part in text.split(separator: ",") {
            let ends = part.split(separator: "-").map { Int($0.filter { $0 != " " && $0 != "q" }) }
            guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last,
                TPCH.queryNumbers.contains(first), TPCH.queryNumbers.contains(last)
            else { throw ValidationError("--queries takes numbers from 1 to 22, such as 1,6,14-16") }
            numbers += first...last
        }
        return numbers
    }
}
