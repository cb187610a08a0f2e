import Catalog
import SQLTypes

/// How far a table is in the order of its sort key. The sorted region of a slice is the largest set of sorted parts
/// whose leading sort columns do not overlap; everything else is unsorted.
extension TableSnapshot {
    /// Live rows of the sorted regions.
    package var sortedRowCount: Int {
        get throws {
            try slices.reduce(0) { total, parts in
                total + sortedParts(parts).reduce(0) { $0 + parts[$1].liveRowCount }
            }
        }
    }

    /// Parts outside of the sorted regions.
    package var unsortedParts: [Part] {
        get throws {
            try slices.flatMap { parts in
                let sorted = Set(sortedParts(parts))
                return parts.indices.filter { !sorted.contains($0) }.map { parts[$0] }
            }
        }
    }

    /// Indexes into a slice's parts: the heaviest chain of sorted parts that follow each other.
    private func sortedParts(_ parts: [Part]) -> [Int] {
        let sorted = parts.indices.filter { parts[$0].isSorted }
        if sorted.count <= 1 { return sorted }
        guard case .compound(let columns) = definition.sortKey, let leading = columns.first else { return [] }
        var ranges: [(part: Int, low: Datum, high: Datum)] = []
        for index in sorted {
            guard let summary = parts[index].summary(column: leading) else { continue }
            ranges.append((index, summary.minimum, summary.maximum))
        }
        ranges.sort { SortedRegion.precedes($0.low, $1.low) }
        return SortedRegion.heaviest(ranges, touching: columns.count == 1) { parts[$0].liveRowCount }
            ?? sorted.max { parts[$0].liveRowCount < parts[$1].liveRowCount }.map { [$0] } ?? []
    }
}

private enum SortedRegion {
    static func precedes(_ a: Datum, _ b: Datum) -> Bool {
        switch (a, b) {
        case (.integer(let x), .integer(let y)): x < y
        case (.double(let x), .double(let y)): x < y
        case (.string(let x), .string(let y)): x.lexicographicallyPrecedes(y)
        default: false
        }
    }

    /// - Parameter touching: parts may share their borders; with more sort columns these could be out of order.
    /// - Returns: nil when bounds are unknown somewhere, so that nothing can be said of neighbours.
    static func heaviest(
        _ ranges: [(part: Int, low: Datum, high: Datum)], touching: Bool, _ weight: (Int) -> Int
    ) -> [Int]? {
        if ranges.contains(where: { $0.low.isNull || $0.high.isNull }) || ranges.count > 1_000 { return nil }
        var best = ranges.map { weight($0.part) }
        var previous = [Int?](repeating: nil, count: ranges.count)
        for index in ranges.indices {
            for other in 0..<index {
                let follows =
                    touching
                    ? !precedes(ranges[index].low, ranges[other].high)
                    : precedes(ranges[other].high, ranges[index].low)
                let total = best[other] + weight(ranges[index].part)
                if follows && total > best[index] {
                    best[index] = total
                    previous[index] = other
                }
            }
        }
        guard var place = best.indices.max(by: { best[$0] < best[$1] }) else { return [] }
        var chain = [ranges[place].part]
        while let before = previous[place] {
            chain.append(ranges[before].part)
            place = before
        }
        return chain
    }
}
