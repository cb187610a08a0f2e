import Foundation
import SQLTypes
import Testing

@testable import Warehouse

/// `docs/compatibility.md` says what is so.
struct StatementCompatibilityTests {
    @Test func examplesDoWhatTheTableSays() throws {
        let scratch = try ScratchWarehouse()
        let session = try scratch.warehouse.connect()
        for entry in StatementCompatibility.all {
            do {
                try session.query(entry.example)
                #expect(entry.state == .runs, "\(entry.name) runs")
            } catch let error as SQLError {
                let isRefused = entry.state == .refused && error.state == .featureNotSupported && error.hint != nil
                #expect(isRefused, "\(entry.name): \(error.state) \(error.message)")
            }
        }
    }

    @Test func pageIsMadeFromTheTable() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/compatibility.md"), encoding: .utf8)
        #expect(page == StatementCompatibility.page)
    }
}
