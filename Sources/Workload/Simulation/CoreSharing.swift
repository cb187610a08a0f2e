/// A model of a machine's cores as `PriorityShares` and the worker pool share them: priorities by weight, statements of
/// one priority in equal parts, nobody more than he can use, and what one leaves is the others'.
///
/// Statements of the same priority that can use as many cores run at the same speed. So they share a clock that
/// shows the work done by each of them, and a statement ends when that clock has come to its own mark: an event costs
/// the number of such groups, not of statements.
struct CoreSharing: Sendable {
    private struct Group: Sendable {
        let level: Int
        let cores: Double
        var count = 0
        /// Core-nanoseconds that each of its statements has done since the group was last empty.
        var clock = 0.0
        /// Cores for each of its statements.
        var rate = 0.0
        /// Marks on the clock; those of statements that have left are skipped.
        var marks = EventHeap()
    }
    private let cores: Double
    private let widths: Int
    private var groups: [Group] = []
    /// Those with statements, by priority and then by cores.
    private var active: [Int] = []
    /// By statement: its group, or -1, and its mark there.
    private var place: [Int]
    private var mark: [Double]
    private var isStale = false
    private(set) var now = 0.0
    private var busyCores = 0.0
    private(set) var busyCoreNanoseconds = 0.0

    init(cores: Int, statements: Int) {
        self.cores = Double(max(cores, 1))
        widths = CoreSharing.width(max(cores, 1)) + 1
        place = [Int](repeating: -1, count: statements)
        mark = [Double](repeating: 0, count: statements)
        for level in QueryPriority.allCases {
            for width in 0..<widths {
                groups.append(Group(level: level.rawValue, cores: min(Double(1 << width), self.cores)))
            }
        }
    }

    /// The power of two that is not below a number of cores.
    private static func width(_ cores: Int) -> Int { cores <= 1 ? 0 : Int.bitWidth - (cores - 1).leadingZeroBitCount }

    mutating func add(_ statement: Int, work: Double, level: QueryPriority, cores: Int) {
        let wide = min(CoreSharing.width(cores), widths - 1)
        let index = level.rawValue * widths + wide
        if groups[index].count == 0 {
            groups[index].clock = 0
            groups[index].marks.removeAll()
            active.append(index)
            active.sort()
        }
        groups[index].count += 1
        place[statement] = index
        mark[statement] = groups[index].clock + work
        groups[index].marks.push(mark[statement], statement)
        isStale = true
    }

    /// - Returns: the work that it has not done.
    mutating func remove(_ statement: Int) -> Double {
        let index = place[statement]
        if index < 0 { return 0 }
        place[statement] = -1
        groups[index].count -= 1
        if groups[index].count == 0 { active.removeAll { $0 == index } }
        isStale = true
        return max(mark[statement] - groups[index].clock, 0)
    }

    /// Who is through next, and when.
    mutating func next() -> (moment: Double, statement: Int)? {
        if isStale { share() }
        var best: (moment: Double, statement: Int)?
        for index in active {
            while let first = groups[index].marks.firstPayload, let moment = groups[index].marks.firstMoment {
                guard place[first] == index, mark[first] == moment else {
                    groups[index].marks.removeFirst()
                    continue
                }
                let end = now + max(moment - groups[index].clock, 0) / groups[index].rate
                if best.map({ end < $0.moment }) ?? true { best = (end, first) }
                break
            }
        }
        return best
    }

    mutating func advance(to moment: Double) {
        if isStale { share() }
        let passed = moment - now
        guard passed > 0 else { return }
        now = moment
        for index in active { groups[index].clock += groups[index].rate * passed }
        busyCoreNanoseconds += busyCores * passed
    }

    private mutating func share() {
        isStale = false
        busyCores = 0
        var wanted = [Double](repeating: 0, count: QueryPriority.allCases.count)
        for index in active { wanted[groups[index].level] += groups[index].cores * Double(groups[index].count) }
        for level in wanted.indices where wanted[level] > 0 {
            let share = CoreSharing.share(of: level, wanted, cores)
            busyCores += share
            shareOut(share, level)
        }
    }

    /// Of a priority: by weight, where those who want less leave the rest to the others.
    private static func share(of level: Int, _ wanted: [Double], _ cores: Double) -> Double {
        var open = wanted.indices.filter { wanted[$0] > 0 }
        var left = cores
        while true {
            let weights = open.reduce(0.0) { $0 + weight($1) }
            let content = open.filter { wanted[$0] <= left * weight($0) / weights }
            if content.contains(level) { return wanted[level] }
            if content.isEmpty { return left * weight(level) / weights }
            left -= content.reduce(0.0) { $0 + wanted[$1] }
            open.removeAll { content.contains($0) }
        }
    }
    private static func weight(_ level: Int) -> Double { Double(QueryPriority.allCases[level].weight) }

    /// Among the statements of a priority: equal parts, the narrow ones first.
    private mutating func shareOut(_ share: Double, _ level: Int) {
        var left = share
        var count = 0
        for index in active where groups[index].level == level { count += groups[index].count }
        for index in active where groups[index].level == level {
            let rate = min(groups[index].cores, left / Double(count))
            groups[index].rate = max(rate, 1e-9)
            left -= rate * Double(groups[index].count)
            count -= groups[index].count
        }
    }
}
