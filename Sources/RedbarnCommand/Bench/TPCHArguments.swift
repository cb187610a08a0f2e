import ArgumentParser
import SQLTypes
import Warehouse

/// What the benchmarks over TPC-H's tables have in common: data, warehouse, queries, reports.
struct TPCHArguments: ParsableArguments {
    @Option(help: "Scale factor; 1 is about 1 GB of files.")
    var scale = "1"

    @Option(help: "Folder of the .tbl files; made when they are not there.")
    var data: String?

    @Option(help: "Warehouse directory; one with the TPC-H tables is used as it is. A scratch directory by default.")
    var warehouse: String?

    @Option(help: "Only these of the 22 queries, such as 1,6,14-16.")
    var queries: String?

    @Option(help: "Table definitions: redshift (DISTKEY, SORTKEY) or none.")
    var keys = TableKeys.redshift

    @Option(help: ArgumentHelp("Write the measurements as JSON.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write a report as a web page.", valueName: "file"))
    var html: String?

    @Option(help: "The project's folder with benchmarks/tpch in it.")
    var assets: String?

    @OptionGroup var opening: WarehouseArguments

    func validate() throws {
        guard let factor = Double(scale), factor > 0, factor <= 1000 else {
            throw ValidationError("--scale takes a number above 0, up to 1000")
        }
        _ = try TPCHArguments.numbers(queries)
    }

    /// The queries that are asked for.
    var queryNumbers: [Int] { get throws { try TPCHArguments.numbers(queries) } }

    /// `1,6,14-16`
    private static func numbers(_ text: String?) throws -> [Int] {
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

    /// Makes the files where there are none, and fills the tables.
    ///
    /// - Returns: the folder of the files, and the seconds that each table took.
    func load(
        _ target: TPCHWarehouse, _ files: BenchAssets
    ) throws -> (folder: String, tables: [(String, Double)]) {
        let folder = data ?? files.defaultData(scale: scale)
        try files.makeData(scale: scale, directory: folder)
        let place = LocalFiles.absolute(folder)
        StandardError.line("Loading \(place) ...")
        return (place, try target.load(definitions: try files.tableDefinitions(keys), data: place))
    }

    /// Measures, prints the report and writes its other forms, or tells why there is none (nil).
    func report<Report: BenchmarkReport>(_ measure: () throws -> Report) throws -> Report? {
        SignalWatcher.shared.start()
        defer { SignalWatcher.shared.runCleanup() }
        do {
            let report = try measure()
            try report.printTable(OutputSink(descriptor: 1))
            if let json { try LocalFiles.write(report.json.text + "\n", to: json) }
            if let html { try LocalFiles.write(report.html, to: html) }
            return report
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            return nil
        }
    }
}

/// What a benchmark has found out.
protocol BenchmarkReport {
    func printTable(_ output: OutputSink) throws
    var json: JSONValue { get }
    /// A page of its own.
    var html: String { get }
}
