import ArgumentParser
import ColumnStore
import SQLTypes
import Warehouse

/// `redbarn restore DIR NAME`: brings a saved state back, in place, into a new directory, or one table of it.
struct RestoreCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring a snapshot of a warehouse back.",
        discussion: "With --to, a new warehouse is made of hard links; the old one may be in use meanwhile.")

    @Argument(help: "The warehouse's directory.")
    var directory: String

    @Argument(help: "The snapshot's name.")
    var name: String

    @Option(help: "A new directory; the warehouse itself stays as it is.")
    var to: String?

    @Option(help: "Only this table.")
    var table: String?

    @Option(name: .customLong("as"), help: "With --table: its new name.")
    var newName: String?

    func validate() throws {
        if to != nil && table != nil { throw ValidationError("--to and --table exclude each other") }
        if newName != nil && table == nil { throw ValidationError("--as needs --table") }
    }

    func run() throws {
        if let to {
            return try MaintenanceSession.reporting { try Store.copySnapshot(name, of: directory, to: to) }
        }
        let snapshot = "snapshot \(MaintenanceSession.quoted(name))"
        try MaintenanceSession.run(directory) { session in
            guard let table else {
                try session.query("restore \(snapshot)")
                return
            }
            let suffix = newName.map { " as \($0)" } ?? ""
            try session.query("restore table \(table) from \(snapshot)\(suffix)")
        }
    }
}
