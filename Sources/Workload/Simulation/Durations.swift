/// Many durations, for percentiles.
package struct Durations: Sendable {
    private var nanoseconds: [Double] = []
    package init() {}
    package var count: Int { nanoseconds.count }

    package mutating func add(_ duration: Double) { nanoseconds.append(duration) }
    package mutating func add(_ others: Durations) { nanoseconds += others.nanoseconds }

    package var sortedSeconds: [Double] { nanoseconds.sorted().map { $0 / 1e9 } }

    /// Seconds within which a share of them, in percent, lies; for several shares. Zeros where there are none.
    package func percentiles(_ percents: [Double]) -> [Double] {
        let sorted = nanoseconds.sorted()
        return percents.map { percent in
            guard let last = sorted.last else { return 0 }
            let place = Int((Double(sorted.count) * percent / 100).rounded(.up)) - 1
            return (place < sorted.count ? sorted[max(place, 0)] : last) / 1e9
        }
    }
    package func percentile(_ percent: Double) -> Double { percentiles([percent])[0] }
}
