import Foundation
import Testing

@testable import Workload

/// The examples of `docs/wlm.md` are configurations that can be used.
struct DocumentedConfigurationTests {
    @Test func examplesCanBeRead() throws {
        let root = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let page = try String(contentsOf: root.appendingPathComponent("docs/wlm.md"), encoding: .utf8)
        let examples = page.components(separatedBy: "```json\n").dropFirst()
            .compactMap { $0.components(separatedBy: "```").first }
        #expect(examples.count >= 3)
        for example in examples {
            do {
                _ = try WorkloadConfiguration(text: example)
            } catch {
                Issue.record("\(error.line):\(error.column): \(error.message)\n\(example)")
            }
        }
    }
}
