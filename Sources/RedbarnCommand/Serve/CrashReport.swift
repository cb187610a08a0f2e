import Glibc
import PGWire
import Platform
import SQLTypes
import Warehouse

/// What is told of a serving process that a signal has ended: in the log and in the warehouse's `crashes` folder.
struct CrashReport {
    private let record: CrashRecord
    private static let shownStatements = 20
    private static let shownFrames = 40

    init(_ table: CrashTable, process: Int, signal: Int) {
        record = CrashRecord(
            table, process: process, signal: signal, microseconds: SystemTime().wallMicroseconds())
    }

    func write(to directory: String, _ log: ServerLog) {
        log.warning(
            "death",
            [
                ("process", String(record.process)), ("signal", CrashRecord.signalName(record.signal)),
                ("address", "0x" + String(record.address, radix: 16)), ("running", String(record.statements.count)),
            ])
        let statements = record.statements.sorted { $0.isBlamed && !$1.isBlamed }
        for statement in statements.prefix(CrashReport.shownStatements) {
            log.warning(
                "death_statement",
                [
                    ("blamed", statement.isBlamed ? "yes" : "no"), ("pid", String(statement.session)),
                    ("user", statement.userName), ("query", String(statement.query)),
                    ("hash", CrashRecord.hashText(statement.hash)), ("text", statement.text),
                ])
        }
        for (number, frame) in record.stack.prefix(CrashReport.shownFrames).enumerated() {
            log.warning("death_stack", [("frame", String(number)), ("function", frame)])
        }
        // A directory that holds no warehouse yet stays as it is.
        guard access(directory + "/superblock", F_OK) == 0 else { return }
        do {
            try CrashFolder(ofWarehouse: directory).add(record)
        } catch {
            log.warning("keeper", [("message", "could not write what died: \(SQLError(error).message)")])
        }
    }
}
