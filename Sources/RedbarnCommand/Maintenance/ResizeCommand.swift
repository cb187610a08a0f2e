import ArgumentParser
import Warehouse

/// `redbarn resize DIR --nodes N --slices M`: other numbers of nodes and slices.
struct ResizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resize", abstract: "Distribute a warehouse's rows over other numbers of nodes and slices.",
        discussion: "Interrupted at any point, the warehouse has the old shape or the new one, with all rows.")

    @Argument(help: "The warehouse's directory.")
    var directory: String

    @Option(help: "Nodes.")
    var nodes: Int

    @Option(help: "Slices of a node; as many as there are by default.")
    var slices: Int?

    func run() throws {
        try MaintenanceSession.run(directory) { session in
            try session.query("resize cluster to \(nodes) nodes" + (slices.map { " \($0) slices" } ?? ""))
        }
    }
}
