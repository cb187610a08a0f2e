import ArgumentParser
import SQLTypes
import Warehouse

/// `redbarn snapshot DIR [NAME]`: saves, lists or drops snapshots of a warehouse that no server has open.
struct SnapshotCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "snapshot", abstract: "Save the state of a warehouse; without a name, list what was saved.",
        discussion: """
            A snapshot is made of hard links in DIR/snapshots and takes hardly any space at first. While a server has \
            the warehouse open, use CREATE SNAPSHOT, DROP SNAPSHOT and STV_SNAPSHOTS there.
            """)

    @Argument(help: "The warehouse's directory.")
    var directory: String

    @Argument(help: "The snapshot's name.")
    var name: String?

    @Flag(help: "Drop the snapshot instead.")
    var drop = false

    func validate() throws {
        if drop && name == nil { throw ValidationError("--drop needs a name") }
    }

    func run() throws {
        try MaintenanceSession.run(directory) { session in
            guard let name else { return try MaintenanceSession.printSnapshots(session) }
            try session.query("\(drop ? "drop" : "create") snapshot \(MaintenanceSession.quoted(name))")
        }
    }
}
