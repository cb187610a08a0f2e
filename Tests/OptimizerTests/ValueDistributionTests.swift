import Catalog
import SQLTypes
import Testing

@testable import Optimizer

/// Shares of values, ranges and patterns from common values and histograms.
@Suite struct ValueDistributionTests {
    /// Half of the rows are 7, a tenth NULL, the rest evenly 0 to 999.
    private var mixed: ValueDistribution {
        let statistics = ColumnStatistics(
            nullCount: 100, minimum: .integer(0), maximum: .integer(999), distinctCount: 401,
            histogram: (0...100).map { .integer(Int128($0 * 999 / 100)) },
            mostCommon: [.init(value: .integer(7), fraction: 0.5)])
        return ValueDistribution(statistics: statistics, nullFraction: 0.1, distinct: 401)
    }

    @Test func equality() {
        #expect(mixed.equal(to: .integer(7)) == 0.5)
        #expect(abs(mixed.equal(to: .integer(8)) - 0.001) < 1e-9)
        #expect(mixed.equal(to: .integer(-1)) == 0)
        #expect(mixed.equal(to: .integer(1000)) == 0)
        #expect(mixed.equal(to: .null) == 0)
    }

    @Test func ranges() throws {
        #expect(mixed.below(.integer(-1), inclusive: true) == 0)
        #expect(mixed.below(.integer(1000), inclusive: true) == 0.9)
        let half = try #require(mixed.below(.integer(500), inclusive: false))
        #expect(abs(half - 0.7) < 0.005)
        let low = try #require(mixed.below(.integer(7), inclusive: false))
        let lowAndSeven = try #require(mixed.below(.integer(7), inclusive: true))
        #expect(low < 0.01)
        #expect(abs(lowAndSeven - low - 0.5) < 0.001)
    }

    @Test func enumeratedValuesHaveNothingBetweenThem() {
        let statistics = ColumnStatistics(
            minimum: .text("a"), maximum: .text("c"), distinctCount: 2,
            mostCommon: [.init(value: .text("a"), fraction: 0.75), .init(value: .text("c"), fraction: 0.25)])
        let distribution = ValueDistribution(statistics: statistics, nullFraction: 0, distinct: 2)
        #expect(distribution.equal(to: .text("a  ")) == 0.75)
        #expect(distribution.equal(to: .text("b")) == 0)
        #expect(distribution.below(.text("b"), inclusive: false) == 0.75)
        #expect(distribution.matching(LikeEstimate(Array("%c%".utf8), ignoresCase: false)) == 0.25)
        #expect(distribution.matching(LikeEstimate(Array("A%".utf8), ignoresCase: true)) == 0.75)
        #expect(distribution.matching(LikeEstimate(Array("A%".utf8), ignoresCase: false)) == 0)
    }

    @Test func prefixesAreRanges() throws {
        let statistics = ColumnStatistics(
            minimum: .text("a0"), maximum: .text("j9"), distinctCount: 100,
            histogram: (0..<100).map { .text(String("abcdefghij"[index: $0 / 10]) + String($0 % 10)) })
        let distribution = ValueDistribution(statistics: statistics, nullFraction: 0, distinct: 100)
        let share = try #require(distribution.matching(LikeEstimate(Array("c%".utf8), ignoresCase: false)))
        #expect(abs(share - 0.1) < 0.02)
    }

    @Test(arguments: [
        ("abc", "abc", true), ("abc", "abcd", false), ("a%", "", false), ("%", "", true), ("", "", true),
        ("a_c", "abc", true), ("a_c", "aéc", true), ("%b%", "abc", true), ("%b%d", "abcabd", true),
        ("%b%d", "abca", false), (#"a\%"#, "a%", true), (#"a\%"#, "ab", false), ("%%x", "yyx", true),
    ])
    func patterns(pattern: String, text: String, matches: Bool) {
        #expect(LikeEstimate(Array(pattern.utf8), ignoresCase: false).matches(Array(text.utf8)) == matches)
    }

    @Test func prefixEndsAtTheFirstWildcard() {
        #expect(LikeEstimate(Array("ab_%".utf8), ignoresCase: false).prefix == Array("ab".utf8))
        #expect(LikeEstimate(Array("ab%".utf8), ignoresCase: false).isPrefixOnly)
        #expect(!LikeEstimate(Array("ab_%".utf8), ignoresCase: false).isPrefixOnly)
        #expect(!LikeEstimate(Array("%".utf8), ignoresCase: false).isPrefixOnly)
        #expect(LikeEstimate([0xFF, 0x25], ignoresCase: false).prefixRange == nil)
    }
}

extension String {
    fileprivate subscript(index index: Int) -> Character { self[self.index(startIndex, offsetBy: index)] }
}
