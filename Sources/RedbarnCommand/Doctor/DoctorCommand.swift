import ArgumentParser
import Catalog
import ColumnStore
import Glibc
import Platform
import SQLTypes
import Warehouse

/// `redbarn doctor DIR`: reads every byte of a warehouse and reports damage. Exit code 1 when there is any.
struct DoctorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor", abstract: "Check every checksum and reference of a warehouse; changes nothing.")

    @Argument(help: "The warehouse's directory.")
    var directory: String

    func run() throws {
        let inspection: WarehouseInspection
        do {
            let budget = MemoryBudget(limit: HostEnvironment.usableMemory() / 2)
            inspection = try WarehouseInspection(directory: directory, budget: budget)
        } catch let error as SQLError {
            StandardError.line("ERROR:  \(error.message)")
            if let hint = error.hint { StandardError.line("HINT:  \(hint)") }
            throw ExitCode(1)
        }
        let output = OutputSink(descriptor: STDOUT_FILENO)
        let history = HistoryInspection(directory: directory)
        output.write(DoctorCommand.report(inspection, history, directory))
        try output.flush()
        if !inspection.problems.isEmpty || !history.problems.isEmpty { throw ExitCode(1) }
    }

    static func report(_ found: WarehouseInspection, _ history: HistoryInspection, _ directory: String) -> String {
        var lines = [
            "warehouse    \(directory)",
            "commit       \(found.version)",
            "shape        \(found.shape.nodes) nodes x \(found.shape.slicesPerNode) slices",
            "tables       \(found.tableCount)",
            "parts        \(found.parts.partCount), \(found.parts.byteCount) bytes",
            "blocks       \(found.parts.blockCount) read and verified",
            "rows         \(found.parts.rowCount - found.parts.deletedRowCount), "
                + "\(found.parts.deletedRowCount) deleted and not reclaimed",
        ]
        let log = found.log
        lines.append(
            "log          \(log.commits) commits since the last checkpoint, \(found.logRowCount) rows, "
                + "\(log.bytes) bytes in \(log.segments) files")
        if let broken = log.broken { lines.append("broken end   \(broken.message)") }
        lines += log.quarantined.map { "put aside    \($0)" }
        lines.append(
            "snapshots    \(found.snapshotCount), \(found.snapshotParts.partCount) parts, "
                + "\(found.snapshotParts.byteCount) bytes")
        lines.append(
            "history      \(history.recordCount) records, \(history.byteCount) bytes in \(history.fileCount) files")
        lines += history.cutOff.map { "cut off      \($0)" }
        if !found.orphans.isEmpty {
            lines.append("left over    \(found.orphans.count) files that no commit names; the next start removes them")
        }
        let problems = found.problems + history.problems
        lines += problems.map { "PROBLEM      \($0)" }
        lines.append(problems.isEmpty ? "no damage found" : "\(problems.count) problems found")
        return lines.joined(separator: "\n") + "\n"
    }
}
