import ArgumentParser
import Glibc
import SQLTypes
import Warehouse

/// One session over a directory, for commands that run a statement and end.
enum MaintenanceSession {
    static func run(_ directory: String, _ body: (Session) throws -> Void) throws {
        try reporting {
            guard access(directory + "/superblock", F_OK) == 0 else {
                throw SQLError(.undefinedFile, "there is no warehouse in \"\(directory)\"")
            }
            let warehouse = try Warehouse(directory: directory)
            defer { warehouse.close() }
            let session = try warehouse.connect()
            try body(session)
            try session.close()
        }
    }

    /// Errors as text and exit code 1.
    static func reporting(_ body: () throws -> Void) throws {
        do {
            try body()
        } catch let error as SQLError {
            StandardError.line("redbarn: " + ErrorReport.text(error, statement: nil))
            throw ExitCode(1)
        }
    }

    static func quoted(_ name: String) -> String { "\"" + name.replacing("\"", with: "\"\"") + "\"" }

    static func printSnapshots(_ session: Session) throws {
        let result = try session.query(
            "select trim(name), created, tables, parts, bytes from stv_snapshots order by created, name")
        let output = OutputSink(descriptor: STDOUT_FILENO)
        for row in result.rows.indices {
            let texts = result.columns.indices.map { result.text(row: row, column: $0) ?? "" }
            output.write("\(texts[0])  \(texts[1])  \(texts[2]) tables  \(texts[3]) parts  \(texts[4]) bytes\n")
        }
        try output.flush()
    }
}
