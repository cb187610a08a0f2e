/// The known name that somebody most probably meant.
enum NearestName {
    static func find(_ name: String, among known: [String]) -> String? {
        let wanted = name.lowercased()
        // A long text is no slip of the hand, and comparing takes the product of both lengths.
        guard wanted.utf8.count <= 64, !wanted.isEmpty else { return nil }
        let near = known.map { ($0, distance(Array(wanted.utf8), Array($0.lowercased().utf8))) }
            .min { $0.1 < $1.1 }
        if let near, near.1 <= max(1, near.0.utf8.count / 4) { return near.0 }
        // "concurrency" for "query_concurrency", "queue_name" for "name".
        guard wanted.utf8.count >= 4 else { return nil }
        return known.first { $0.hasSuffix("_" + wanted) || wanted.hasSuffix("_" + $0) }
            ?? known.first { $0.contains(wanted) || wanted.hasPrefix($0) }
    }

    /// Characters that are put in, left out, replaced, or swapped with their neighbour.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var rows = [Array(0...right.count)]
        for (i, byte) in left.enumerated() {
            var row = [i + 1]
            for (j, other) in right.enumerated() {
                var least = min(row[j] + 1, rows[i][j + 1] + 1, rows[i][j] + (byte == other ? 0 : 1))
                if i > 0, j > 0, byte == right[j - 1], left[i - 1] == other {
                    least = min(least, rows[i - 1][j - 1] + 1)
                }
                row.append(least)
            }
            rows.append(row)
        }
        return rows[left.count][right.count]
    }
}
