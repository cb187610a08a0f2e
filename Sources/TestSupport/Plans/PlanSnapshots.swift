import Foundation
import Warehouse

/// EXPLAIN texts of queries against `.plan` files beside them, so that no plan changes unseen. The plans are made for a
/// warehouse of two nodes with two slices each, over the tables of `schema.sql` and what `load.sql` puts into them.
package struct PlanSnapshots {
    private let folder: String
    private let data: String

    /// - Parameter data: `__DATA__` in `load.sql`.
    package init(folder: String, data: String) {
        self.folder = folder
        self.data = data
    }

    package func run(record: Bool) throws -> ScriptOutcome {
        let scratch = try ScratchFiles.makeFolder(in: NSTemporaryDirectory(), name: "redbarn-plans")
        defer { ScratchFiles.remove(scratch) }
        var world = TestWorld()
        world.nodes = 2
        world.slices = 4
        let warehouse = try Warehouse(directory: scratch + "/warehouse", options: world.options)
        defer { warehouse.close() }
        let session = try warehouse.connect()
        for name in ["schema.sql", "load.sql"] {
            let path = folder + "/" + name
            guard FileManager.default.fileExists(atPath: path) else { continue }
            try session.query(ScratchFiles.readText(path).replacing("__DATA__", with: data))
        }
        var outcome = ScriptOutcome()
        let skipped = ["schema.sql", "load.sql"]
        for file in ScratchFiles.list(folder, extension: "sql")
        where !skipped.contains((file as NSString).lastPathComponent) {
            try compare(file, session, record: record, &outcome)
        }
        return outcome
    }

    private func compare(_ file: String, _ session: Session, record: Bool, _ outcome: inout ScriptOutcome) throws {
        let actual: [String]
        do {
            let result = try session.query("explain " + ScratchFiles.readText(file))
            actual = result.rows.indices.map { result.text(row: $0, column: 0) ?? "" }
        } catch {
            outcome.failures.append(TestFailure(file: file, line: 1, message: "\(error)"))
            return
        }
        let golden = (file as NSString).deletingPathExtension + ".plan"
        if record { try ScratchFiles.write(Array((actual.joined(separator: "\n") + "\n").utf8), to: golden) }
        let expected = ((try? ScratchFiles.readText(golden)) ?? "").split(separator: "\n").map(String.init)
        if expected == actual {
            outcome.passed += 1
        } else {
            let message = ResultDifference.text(expected: expected, actual: actual)
            outcome.failures.append(TestFailure(file: golden, line: 1, message: message))
        }
    }
}
