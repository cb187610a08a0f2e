import ColumnVectors
import Glibc
import Platform
import SQLTypes
import Warehouse

/// Runs the statements of an import in one transaction, and tells how far it is.
struct ImportRun {
    private let statements: ImportStatements
    private let warehouse: Warehouse

    init(_ statements: ImportStatements, _ warehouse: Warehouse) {
        self.statements = statements
        self.warehouse = warehouse
    }

    func run() throws {
        defer { warehouse.close() }
        let session = try warehouse.connect()
        try SignalWatcher.shared.cancelling(with: { session.cancel() }) { try run(session) }
        try session.close()
    }

    private func run(_ session: Session) throws {
        let output = OutputSink(descriptor: STDOUT_FILENO)
        try session.query("begin")
        try execute(session, statements.create)
        output.write(statements.create + ";\n")
        for copy in statements.copies {
            let start = Stopwatch.nanoseconds
            let rows = try load(session, copy.text)
            output.write("\(copy.text);\n")
            let seconds = DecimalFigure.text(Double(Stopwatch.nanoseconds - start) / 1e9, digits: 1)
            output.write("-- \(DecimalFigure.grouped(rows)) row\(rows == 1 ? "" : "s") in \(seconds) s\n")
            try output.flush()
        }
        try session.query("commit")
        try output.flush()
    }

    /// - Returns: rows.
    private func load(_ session: Session, _ text: String) throws -> Int {
        try execute(session, text)
        let result = try session.query("select pg_last_copy_count()")
        return result.text(row: 0, column: 0).flatMap { Int($0) } ?? 0
    }

    private func execute(_ session: Session, _ text: String) throws {
        let line = Terminal.isTerminal(STDERR_FILENO) ? ProgressLine() : nil
        line?.start()
        defer { line?.clear() }
        do {
            try session.execute(text, ImportProgress(line))
        } catch let error as SQLError {
            line?.clear()
            StandardError.line(ErrorReport.text(error, statement: text))
            throw ImportFailure.statement
        }
    }
}

/// A statement has failed, which is told already.
enum ImportFailure: Error { case statement }

/// Shows progress and nothing else.
private final class ImportProgress: ResultHandler {
    private let line: ProgressLine?
    init(_ line: ProgressLine?) { self.line = line }
    func begin(columns: [ResultColumn]) throws {}
    func rows(_ batch: ColumnBatch) throws {}
    func end(tag: String) throws { line?.clear() }
    func notice(_ message: String) {}
    func progress(_ fraction: Double?, _ activity: String) { line?.show(fraction, activity) }
}
