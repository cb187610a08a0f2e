/// A set of columns as bits. Column ids are small and dense, so nearly every statement fits the inline words and set
/// operations cost a few instructions without allocation.
package struct ColumnSet: Hashable, Sendable {
    private var low: SIMD4<UInt64> = .zero
    private var high: [UInt64] = []

    package init() {}
    package init(_ id: ColumnID) { insert(id) }
    package init(_ ids: some Sequence<ColumnID>) { for id in ids { insert(id) } }

    package var isEmpty: Bool { low == .zero && high.allSatisfy { $0 == 0 } }
    package var count: Int {
        var total = 0
        for lane in 0..<4 { total += low[lane].nonzeroBitCount }
        for word in high { total += word.nonzeroBitCount }
        return total
    }

    package mutating func insert(_ id: ColumnID) {
        assert(id.raw >= 0, "a column that the engine has made for itself")
        let word = Int(id.raw) >> 6
        let bit: UInt64 = 1 << UInt64(id.raw & 63)
        if word < 4 {
            low[word] |= bit
        } else {
            while high.count <= word - 4 { high.append(0) }
            high[word - 4] |= bit
        }
    }

    package mutating func remove(_ id: ColumnID) {
        let word = Int(id.raw) >> 6
        let bit: UInt64 = 1 << UInt64(id.raw & 63)
        if word < 4 {
            low[word] &= ~bit
        } else if high.count > word - 4 {
            high[word - 4] &= ~bit
        }
    }

    package func contains(_ id: ColumnID) -> Bool {
        let word = Int(id.raw) >> 6
        let bits = word < 4 ? low[word] : (high.count > word - 4 ? high[word - 4] : 0)
        return bits & (1 << UInt64(id.raw & 63)) != 0
    }

    package mutating func formUnion(_ other: ColumnSet) {
        low |= other.low
        while high.count < other.high.count { high.append(0) }
        for index in other.high.indices { high[index] |= other.high[index] }
    }

    package mutating func subtract(_ other: ColumnSet) {
        low &= ~other.low
        for index in 0..<min(high.count, other.high.count) { high[index] &= ~other.high[index] }
    }

    package func union(_ other: ColumnSet) -> ColumnSet {
        var result = self
        result.formUnion(other)
        return result
    }

    package func subtracting(_ other: ColumnSet) -> ColumnSet {
        var result = self
        result.subtract(other)
        return result
    }

    package func intersects(_ other: ColumnSet) -> Bool {
        if low & other.low != .zero { return true }
        for index in 0..<min(high.count, other.high.count) where high[index] & other.high[index] != 0 { return true }
        return false
    }

    package func isSubset(of other: ColumnSet) -> Bool {
        if low & ~other.low != .zero { return false }
        for index in high.indices {
            let mask = index < other.high.count ? other.high[index] : 0
            if high[index] & ~mask != 0 { return false }
        }
        return true
    }

    package func forEach(_ body: (ColumnID) -> Void) {
        for word in 0..<(4 + high.count) {
            var bits = word < 4 ? low[word] : high[word - 4]
            while bits != 0 {
                body(ColumnID(Int32(word * 64 + bits.trailingZeroBitCount)))
                bits &= bits - 1
            }
        }
    }

    package var elements: [ColumnID] {
        var result: [ColumnID] = []
        forEach { result.append($0) }
        return result
    }

    package static func == (a: ColumnSet, b: ColumnSet) -> Bool { a.isSubset(of: b) && b.isSubset(of: a) }
    package func hash(into hasher: inout Hasher) {
        for lane in 0..<4 { hasher.combine(low[lane]) }
    }
}
