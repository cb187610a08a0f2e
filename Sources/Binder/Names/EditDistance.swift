/// "Did you mean": the candidate that a misspelt name is nearest to.
enum EditDistance {
    /// nil when nothing is near: at most a third of the letters may differ.
    static func nearest(to name: String, among candidates: some Sequence<String>) -> String? {
        let wanted = Array(name.utf8)
        let limit = max(1, wanted.count / 3)
        var best: (name: String, distance: Int)?
        for candidate in candidates where candidate != name {
            let letters = Array(candidate.utf8)
            if (letters.count - wanted.count).magnitude > limit { continue }
            let found = distance(wanted, letters)
            if found <= limit, best == nil || found < best!.distance { best = (candidate, found) }
        }
        return best?.name
    }

    /// Levenshtein distance over bytes.
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var previous = Array(0...right.count)
        for (row, letter) in left.enumerated() {
            var current = [row + 1]
            current.reserveCapacity(right.count + 1)
            for (column, other) in right.enumerated() {
                let replaced = previous[column] + (letter == other ? 0 : 1)
                current.append(min(replaced, previous[column + 1] + 1, current[column] + 1))
            }
            previous = current
        }
        return previous[right.count]
    }
}
