/// Expected against actual lines, for reports.
enum ResultDifference {
    private static let shownLines = 20

    static func text(expected: [String], actual: [String]) -> String {
        var output = "\n  --- expected (\(expected.count))   +++ actual (\(actual.count))"
        var shown = 0
        let removed = expected.difference(from: actual)
        var missing = Set<Int>()
        var added = Set<Int>()
        for change in removed {
            switch change {
            case .insert(let offset, _, _): missing.insert(offset)
            case .remove(let offset, _, _): added.insert(offset)
            }
        }
        var left = 0
        var right = 0
        while (left < expected.count || right < actual.count) && shown < shownLines {
            if left < expected.count && missing.contains(left) {
                output += "\n  - \(expected[left])"
                left += 1
                shown += 1
            } else if right < actual.count && added.contains(right) {
                output += "\n  + \(actual[right])"
                right += 1
                shown += 1
            } else {
                left += 1
                right += 1
            }
        }
        return shown == shownLines ? output + "\n  ..." : output
    }
}
