import Platform
import SQLTypes
import Warehouse
import Workload

/// Who does what in a mixed workload.
struct MixedSettings: Sendable {
    var streams: Int
    /// Streams of the same queries with a query group of their own.
    var background = 0
    var clients: Int
    /// Queries of the dashboards, of all clients together.
    var ratePerSecond: Double
    var loads: Int
    var seed: UInt64
    /// The heavy queries' texts, in their order of numbers.
    var heavyQueries: [String] = []
    /// Largest keys of the data.
    var largest = LargestKeys()
    /// Where COPY finds what the loads load.
    var loadFiles = ""

    struct LargestKeys: Sendable {
        var customer = 1
        var part = 1
        var supplier = 1
        var order = 1
    }

    var json: JSONValue {
        .object([
            ("streams", .integer(streams)), ("background", .integer(background)), ("clients", .integer(clients)),
            ("rate", .number(ratePerSecond)),
            ("loads", .integer(loads)), ("seed", .integer(Int(clamping: seed))),
        ])
    }
}

/// What runs side by side, each under its query group.
enum MixedKind: String, CaseIterable, Sendable {
    case heavy
    /// The same queries for somebody else: to see what priorities make of it.
    case background
    case dashboard
    case load
}

/// The queries of a dashboard: points and small groups, each with other keys.
struct DashboardQueries {
    private var random: SeededRandom
    private let largest: MixedSettings.LargestKeys

    init(_ largest: MixedSettings.LargestKeys, seed: UInt64) {
        self.largest = largest
        random = SeededRandom(seed: seed)
    }

    mutating func next() -> String {
        switch random.next() % 5 {
        case 0: "select c_name, c_acctbal, c_mktsegment from customer where c_custkey = \(key(largest.customer))"
        case 1: "select p_name, p_brand, p_retailprice from part where p_partkey = \(key(largest.part))"
        case 2: "select count(*), sum(o_totalprice) from orders where o_custkey = \(key(largest.customer))"
        case 3:
            "select o_orderdate, o_orderstatus, o_totalprice from orders where o_orderkey = \(key(largest.order))"
        default:
            """
            select n_name, count(*), avg(s_acctbal) from supplier join nation on s_nationkey = n_nationkey \
            where n_regionkey = \(key(5) - 1) group by n_name order by n_name
            """
        }
    }

    /// When the queries of some seconds come, in nanoseconds: independent of each other, so in bursts at times.
    mutating func arrivals(ratePerSecond: Double, seconds: Double) -> [(nanoseconds: Int64, text: String)] {
        var result: [(Int64, String)] = []
        var now = 0.0
        while result.count < DashboardQueries.mostArrivals {
            now += random.exponential(mean: 1e9 / ratePerSecond)
            if now >= seconds * 1e9 { break }
            result.append((Int64(now), next()))
        }
        return result
    }
    private static let mostArrivals = 10_000_000

    private mutating func key(_ largest: Int) -> Int { random.below(max(largest, 1)) + 1 }
}

/// The order in which a stream runs the heavy queries: another one for each stream.
enum StreamOrder {
    static func shuffled(_ count: Int, stream: Int, seed: UInt64) -> [Int] {
        var random = SeededRandom(seed: seed &+ UInt64(stream) &* 1_000_003)
        var order = Array(0..<count)
        for place in stride(from: count - 1, to: 0, by: -1) { order.swapAt(place, random.below(place + 1)) }
        return order
    }
}
