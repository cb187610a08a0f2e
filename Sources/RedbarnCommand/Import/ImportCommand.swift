import ArgumentParser
import BulkTransfer
import ColumnStore
import Glibc
import Platform
import SQLSyntax
import SQLTypes
import Warehouse

/// `redbarn import FILE...`: looks at files and prints the CREATE TABLE and COPY that load them, or runs those.
struct ImportCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import", abstract: "Look at data files and print the CREATE TABLE and COPY that load them.",
        discussion: """
            CSV and other delimited text, JSON lines, Parquet, ORC and Avro files; text also packed by gzip, zstd, \
            bzip2 or lzop. Format, delimiter, header, names and types are found out from the files. All files go \
            into one table, so they must be alike. Numbers with leading zeros are codes and stay text.

            Examples:
              redbarn import sales.csv
              redbarn import sales.csv > sales.sql
              redbarn import --run --warehouse shop sales-2026-*.csv.gz
              redbarn import --run --warehouse shop --table raw.events events.json
              redbarn import --no-header --delimiter '|' lineitem.tbl

            --run executes what is printed in one transaction: when a file cannot be loaded, nothing has happened. \
            While a server has the warehouse open, print the statements and send them to the server.
            """)

    @Argument(help: "Files, or folders with files.")
    var files: [String]

    @Option(name: [.short, .long], help: "The table, also SCHEMA.TABLE; named after the first file by default.")
    var table: String?

    @Flag(name: .customLong("run"), help: "Run the statements instead of only printing them; needs --warehouse.")
    var isRun = false

    @Option(name: [.customShort("w"), .customLong("warehouse")], help: "The warehouse; created when it is not there.")
    var directory: String?

    @Flag(inversion: .prefixedNo, help: "The first record of delimited text has the names of the columns.")
    var header: Bool?

    @Option(help: "What stands between fields: a character, or tab.")
    var delimiter: String?

    @Option(help: "Settle types after so many rows; 0 reads all of them.")
    var sampleRows = 1_000_000

    @OptionGroup var warehouse: WarehouseArguments

    func validate() throws {
        if isRun && directory == nil { throw ValidationError("--run needs --warehouse DIR") }
        if sampleRows < 0 { throw ValidationError("--sample-rows takes 0 or more") }
        if files.contains("") { throw ValidationError("the name of a file is empty") }
        _ = try delimiterByte()
    }

    func run() throws {
        SignalWatcher.shared.start()
        do {
            let statements = try survey()
            if isRun { try ImportRun(statements, try open()).run() } else { try write(statements) }
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            throw ExitCode(1)
        } catch is ImportFailure {
            throw ExitCode(1)
        } catch let error as PlatformError {
            StandardError.line("redbarn: " + ErrorReport.text(SQLError(error), statement: nil))
            throw ExitCode(1)
        }
    }

    private func survey() throws -> ImportStatements {
        var request = FileSurvey.Request()
        request.hasHeader = header
        request.delimiter = try delimiterByte()
        request.mostRows = sampleRows
        let locations = files.map { file in
            if file.contains("://") { return file }
            if !LocalFiles.exists(file) { return file }
            return LocalFiles.absolute(file) + (LocalFiles.isDirectory(file) ? "/" : "")
        }
        let survey = try FileSurvey(
            locations, request, places: StoragePlaces(s3Root: warehouse.s3Root.map(LocalFiles.absolute)),
            pool: WorkerPool(workers: warehouse.workers ?? HostEnvironment.allowedCPUs().count))
        for note in survey.notes { StandardError.line("NOTE:  " + note) }
        return ImportStatements(survey, locations, table: table)
    }

    private func open() throws -> Warehouse {
        let opened = try Warehouse(directory: directory ?? "", options: try warehouse.options(isScratch: false))
        if let broken = opened.store.recovery.broken { StandardError.line("WARNING:  " + broken.message) }
        return opened
    }

    private func write(_ statements: ImportStatements) throws {
        let output = OutputSink(descriptor: STDOUT_FILENO)
        output.write(statements.text)
        try output.flush()
    }

    private func delimiterByte() throws -> UInt8? {
        guard let delimiter else { return nil }
        if ["tab", "\\t"].contains(delimiter) { return 9 }
        guard let byte = delimiter.utf8.first, delimiter.utf8.count == 1, byte < 128, ![0, 10, 13, 34].contains(byte)
        else { throw ValidationError("--delimiter takes one ASCII character, or tab") }
        return byte
    }
}
