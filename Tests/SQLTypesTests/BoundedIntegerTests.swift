import SQLTypes
import Testing

/// Estimates of many joins are infinite or no number, and must not end the process.
struct BoundedIntegerTests {
    @Test(
        arguments: [
            (Double.nan, 1_000_000_000_000_000), (.infinity, 1_000_000_000_000_000), (1e300, 1_000_000_000_000_000),
            (-.infinity, 0), (-1, 0), (-0.0, 0), (0.99, 0), (1, 1), (123_456.7, 123_456),
            (999_999_999_999_999, 999_999_999_999_999),
        ] as [(Double, Int64)])
    func bounds(value: Double, expected: Int64) { #expect(Int64(bounded: value) == expected) }
}
