import ColumnVectors
import SQLTypes
import Testing

@testable import VectorEngine

/// What SQL cannot reach well: the bounds of the pattern engines.
@Suite struct PatternTests {
    private func find(_ pattern: String, _ text: String) throws -> Bool {
        let matcher = RegexMatcher(try RegexProgram(Array(pattern.utf8)), .existence)
        return try Array(text.utf8).withUnsafeBufferPointer {
            try matcher.find($0.baseAddress ?? StringView.empty.pointer, $0.count)
        }
    }

    @Test func nestedRepetitionsTakeLinearTime() throws {
        let text = String(repeating: "a", count: 5_000)
        #expect(try !find("^(a*)*b", text))
        #expect(try !find("(a|a)*(a|a)*(a|a)*c", text))
        #expect(try !find("(a?){200}b", text))
    }

    @Test(arguments: [
        "(", ")", "[", "[a", "a{", "a{2", "a{3,2}", "*", "a**{2}{3}{4}", "\\", "(?=a)", "[b-a]", "[[:nope:]]", "(a)\\1",
    ]) func badPatternsAreErrors(_ pattern: String) {
        #expect(throws: SQLError.self) { try RegexProgram(Array(pattern.utf8)) }
    }

    @Test func patternsThatGrowTooLargeAreErrors() {
        let deep = String(repeating: "(", count: 500) + "a" + String(repeating: ")", count: 500)
        for pattern in ["((a{1000}){1000}){1000}", deep] {
            #expect(throws: SQLError.self) { try RegexProgram(Array(pattern.utf8)) }
        }
    }

    @Test func likeFindsPiecesAtEveryOffset() throws {
        let pattern = try LikePattern(Array("%needle%".utf8))
        for before in 0..<70 {
            for after in [0, 1, 31, 32, 33] {
                let text = String(repeating: "n", count: before) + "needle" + String(repeating: "e", count: after)
                let bytes = Array(text.utf8)
                bytes.withUnsafeBufferPointer { buffer in
                    guard let base = buffer.baseAddress else { return }
                    #expect(pattern.matches(StringView(base, count: buffer.count)))
                    #expect(!pattern.matches(StringView(base, count: before + 5)))
                }
            }
        }
    }
}
