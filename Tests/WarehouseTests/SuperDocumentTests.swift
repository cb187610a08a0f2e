import Foundation
import SQLTypes
import TestSupport
import Testing

@testable import Warehouse

/// The examples of `docs/super.md` answer what stands there.
@Suite struct SuperDocumentTests {
    @Test func examplesAnswerAsWritten() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/super.md"), encoding: .utf8)
        let scratch = try ScratchWarehouse()
        let session = try scratch.warehouse.connect()
        var statement = ""
        var answers: [String] = []
        var isExample = false
        var count = 0
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.hasPrefix("```") {
                isExample = line.hasPrefix("```sql")
                #expect(statement.isEmpty && answers.isEmpty, "before \(line)")
            } else if isExample, line.hasPrefix("-- ") {
                #expect(answers.first == String(line.dropFirst(3)))
                answers = Array(answers.dropFirst())
            } else if isExample {
                #expect(answers.isEmpty, "rows that are not written down")
                statement += line + "\n"
                guard line.hasSuffix(";") else { continue }
                answers = ResultText.lines(try session.query(statement))
                statement = ""
                count += 1
            }
        }
        #expect(count > 12)
    }
}
