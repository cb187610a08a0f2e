import Foundation
import SQLTypes
import Testing

@testable import Warehouse

/// The examples of `docs/procedures.md` run one after the other.
struct DocumentedProceduresTests {
    @Test func examplesRun() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/procedures.md"), encoding: .utf8)
        let examples = page.components(separatedBy: "```sql\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(examples.count == 4)
        let scratch = try ScratchWarehouse()
        let session = try scratch.warehouse.connect()
        for example in examples { try session.query(example) }
        #expect(try session.column("select total from orders order by id") == ["109.45", "20.00", "5.78"])
        let logged = try session.column("select what from audit where what not like 'raised%' order by what")
        #expect(logged.count == 3 && logged.contains("share -100") && logged.contains("share 100"))
    }
}
