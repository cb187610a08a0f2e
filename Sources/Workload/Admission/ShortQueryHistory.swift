/// How long statements took of late, and from that what counts as short: those that together take at most a fifth
/// of all the time. So a lane of their own costs the others little, whatever the machine and the statements are.
struct ShortQueryHistory: Sendable {
    /// Powers of the square root of two, from a microsecond on.
    private static let buckets = 72
    private var counts = [Int64](repeating: 0, count: ShortQueryHistory.buckets)
    private var total: Int64 = 0
    private var known = 0
    private(set) var limitNanoseconds = ShortQueryHistory.longest
    /// Until there is something to go by, and never more.
    static let longest: Int64 = 20_000_000_000
    private static let first: Int64 = 1_000_000_000
    private static let least: Int64 = 2_000_000
    private static let enough = 64
    /// Older statements fade.
    private static let remembered = 4_096

    init() { limitNanoseconds = ShortQueryHistory.first }

    mutating func add(_ nanoseconds: Int64) {
        counts[ShortQueryHistory.bucket(nanoseconds)] += 1
        known += 1
        total += 1
        if known % ShortQueryHistory.enough == 0 { decide() }
        if total >= ShortQueryHistory.remembered { fade() }
    }

    private static func bucket(_ nanoseconds: Int64) -> Int {
        let microseconds = max(nanoseconds / 1_000, 1)
        let power = 63 - microseconds.leadingZeroBitCount
        // The upper half of a power of two, in halves of its logarithm: 1.414 as 181/128.
        let isUpper = microseconds.multipliedReportingOverflow(by: 128).partialValue >= (Int64(181) << power)
        return min(power * 2 + (isUpper ? 1 : 0), buckets - 1)
    }
    /// The longest time in a bucket.
    private static func bound(_ bucket: Int) -> Int64 {
        let power = Int64(1_000) << min(bucket / 2, 44)
        return bucket % 2 == 0 ? power / 128 * 181 : power * 2
    }

    private mutating func decide() {
        var time = 0.0
        for bucket in counts.indices {
            time += Double(counts[bucket]) * Double(ShortQueryHistory.bound(bucket))
        }
        var sum = 0.0
        var limit: Int64 = 0
        for bucket in counts.indices {
            sum += Double(counts[bucket]) * Double(ShortQueryHistory.bound(bucket))
            if sum > time / 5 { break }
            limit = ShortQueryHistory.bound(bucket)
        }
        limitNanoseconds = min(max(limit, ShortQueryHistory.least), ShortQueryHistory.longest)
    }

    private mutating func fade() {
        total = 0
        for bucket in counts.indices {
            counts[bucket] /= 2
            total += counts[bucket]
        }
    }
}
