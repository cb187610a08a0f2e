import Foundation
import Testing

/// Files that documents name are there.
struct DocumentPathTests {
    private static let documents = [
        "docs/architecture/README.md", "CONTRIBUTING.md",
    ]

    /// Names of Swift files between backticks, as far as they are whole.
    static func names(_ text: String) -> [String] {
        text.matches(of: /`([A-Za-z][\w\/+]*\.swift)`/).map { String($0.1) }
    }

    @Test func filesThatTheTourNamesAreThere() throws {
        let files = try ["Sources", "Tests"].flatMap { try SourceFile.all(below: $0) }.map { "/" + $0.path }
        for document in Self.documents {
            let url = SourceFile.root.appendingPathComponent(document)
            for name in Self.names(try String(contentsOf: url, encoding: .utf8)) {
                #expect(files.contains { $0.hasSuffix("/" + name) }, "\(document) names \(name)")
            }
        }
    }

    @Test func theRuleFindsWhatItShould() {
        #expect(Self.names("`A/B.swift`, `C.swift` and `swift build`, `D*.swift`") == ["A/B.swift", "C.swift"])
    }
}
