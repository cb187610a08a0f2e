import SQLTypes

/// The value between two neighbours of an order, for MEDIAN and PERCENTILE_CONT, as aggregates and over windows.
enum Interpolation {
    /// Neighbours that are equal are the value itself, also when they are infinite.
    static func between(_ low: Double, _ high: Double, share: Double) -> Double {
        share == 0 || low == high ? low : low + (high - low) * share
    }

    /// Exact for halves, which is what medians need; other shares have a double's digits.
    ///
    /// - Parameter shift: digits that the result has more than the values.
    /// - Throws: when the result needs more than 38 digits.
    static func between(_ low: Int128, _ high: Int128, share: Double, shift: Int) throws -> Int128 {
        guard let start = DecimalArithmetic.rescaled(low, from: 0, to: shift) else {
            throw DecimalArithmetic.overflow()
        }
        if share == 0 || low == high { return start }
        guard let end = DecimalArithmetic.rescaled(high, from: 0, to: shift) else { throw DecimalArithmetic.overflow() }
        let (distance, overflow) = end.subtractingReportingOverflow(start)
        if overflow { throw DecimalArithmetic.overflow() }
        if share == 0.5 { return start + distance / 2 + distance % 2 }
        // Both ends are inside of the type, so what lies between them is.
        guard let step = Int128(exactly: (Double(distance) * share).rounded()) else {
            throw DecimalArithmetic.overflow()
        }
        return start + step
    }
}
