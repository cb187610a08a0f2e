/// How many different values a sketch has seen: Ertl's improved raw estimator ("New cardinality estimation algorithms
/// for HyperLogLog sketches", 2017, algorithm 6). It needs no tables of biases and no other formula for small numbers.
extension HLLSketch {
    package mutating func cardinality() -> Int64 {
        compact()
        let highest = Int(HLLSketch.highestValue)
        var counts = [Int](repeating: 0, count: highest + 1)
        if isDense {
            for value in registers { counts[min(Int(value), highest)] += 1 }
        } else {
            for entry in entries { counts[min(Int(entry & 63), highest)] += 1 }
            counts[0] = HLLSketch.registerCount - entries.count
        }
        let size = Double(HLLSketch.registerCount)
        var sum = size * HLLSketch.tau(1 - Double(counts[highest]) / size)
        for value in stride(from: highest - 1, through: 1, by: -1) { sum = 0.5 * (sum + Double(counts[value])) }
        sum += size * HLLSketch.sigma(Double(counts[0]) / size)
        // 1 / (2 ln 2)
        let estimate = (0.721_347_520_444_481_7 * size * size / sum).rounded()
        return estimate < 9e18 ? Int64(estimate) : Int64.max
    }

    /// x + the sum of x^(2^k) * 2^(k-1); infinite for 1, where no register is set.
    private static func sigma(_ share: Double) -> Double {
        if share >= 1 { return .infinity }
        var power = share, factor = 1.0, result = share, before = -1.0
        while result != before {
            power *= power
            before = result
            result += power * factor
            factor += factor
        }
        return result
    }

    private static func tau(_ share: Double) -> Double {
        if share <= 0 || share >= 1 { return 0 }
        var root = share, factor = 1.0, result = 1 - share, before = -1.0
        while result != before {
            root = root.squareRoot()
            before = result
            factor *= 0.5
            result -= (1 - root) * (1 - root) * factor
        }
        return result / 3
    }
}
