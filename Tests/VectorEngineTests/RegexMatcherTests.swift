import Testing

@testable import VectorEngine

/// The automata must find what the threads find: the first calls of a matcher are answered by the threads alone.
@Suite struct RegexMatcherTests {
    private struct Found: Equatable {
        var groups: [Int]
    }

    /// - Parameter warm: the matcher has been used often enough to have automata.
    private func find(
        _ program: RegexProgram, _ need: RegexMatcher.Need, _ text: [UInt8], from start: Int, warm: RegexMatcher?
    ) -> Found? {
        let matcher = warm ?? RegexMatcher(program, need)
        let padded = text + [0]
        return padded.withUnsafeBufferPointer { buffer in
            guard (try? matcher.find(buffer.baseAddress!, text.count, from: start)) == true else { return nil }
            return Found(
                groups: need == .existence ? [] : need == .bounds ? Array(matcher.captures[..<2]) : matcher.captures)
        }
    }

    private func warmed(_ program: RegexProgram, _ need: RegexMatcher.Need) -> RegexMatcher {
        let matcher = RegexMatcher(program, need)
        for _ in 0..<4 { _ = find(program, need, Array("warm".utf8), from: 0, warm: matcher) }
        return matcher
    }

    private func compare(_ pattern: String, _ texts: [String], ignoresCase: Bool = false) throws {
        for syntax in [RegexProgram.Syntax.posix, .similarTo] {
            guard let program = try? RegexProgram(Array(pattern.utf8), syntax: syntax, ignoresCase: ignoresCase) else {
                continue
            }
            for need in [RegexMatcher.Need.existence, .bounds, .groups] {
                let matcher = warmed(program, need)
                for text in texts.map({ Array($0.utf8) }) {
                    for start in 0...text.count where start == text.count || text[start] & 0xC0 != 0x80 {
                        let expected = find(program, need, text, from: start, warm: nil)
                        let actual = find(program, need, text, from: start, warm: matcher)
                        #expect(actual == expected, "\(pattern) \(syntax) \(need) in \(text) from \(start)")
                    }
                }
            }
        }
    }

    @Test func automataFindWhatThreadsFind() throws {
        let texts = ["", "a", "ab", "abab", "aaab", "xaby", "bba", "aXbab", "ab\nab", "äab", "abä", "aäb", "ÄB ab"]
        for pattern in [
            "a", "ab|b", "a*", "a+?", "(a|ab)(b|)", "^a", "b$", "^$", "a*$", "(a*)*b", "[^a]+", "a.b", "(ab)+",
            "a|^b|b$", "x*", "(^|x)a", "a($|y)", "ä", "[ä-ö]b", "a.", "%b_", "\\bab", "a{2,3}", "(a)|(b)",
            "(?:ab|a)b*?$",
            "^x?([^b]+)b.*$", "^(a*)(b*)", "(a)(b)?", "(a+)(b+)$", "^(a|b)*$", "((a)|b)+", "^(ä?.)(.)(.*)",
        ] {
            try compare(pattern, texts)
            try compare(pattern, texts, ignoresCase: true)
        }
    }

    @Test func randomPatterns() throws {
        let pieces = ["a", "b", "c", ".", "[ab]", "[^a]", "(", ")", "|", "*", "+", "?", "*?", "^", "$", "{1,2}", "é"]
        let letters = ["a", "b", "c", "é", "A"]
        for _ in 0..<1_500 {
            func joined(_ source: [String], _ count: ClosedRange<Int>) -> String {
                (0..<Int.random(in: count)).map { _ in source.randomElement()! }.joined()
            }
            let pattern = joined(pieces, 1...8)
            let texts = (0..<6).map { _ in joined(letters, 0...9) }
            try compare(pattern, texts, ignoresCase: Bool.random())
        }
    }

    /// More states than may be kept: matches are found all the same.
    @Test func manyStates() throws {
        let texts = (0..<20).map { _ in
            (0..<400).map { _ in Bool.random() ? "a" : "b" }.joined()
        }
        let program = try RegexProgram(Array("(a|b)*a(a|b){12}c?a".utf8))
        for need in [RegexMatcher.Need.existence, .bounds] {
            let matcher = warmed(program, need)
            for text in texts.map({ Array($0.utf8) }) {
                #expect(
                    find(program, need, text, from: 0, warm: matcher) == find(program, need, text, from: 0, warm: nil))
            }
        }
    }
}
