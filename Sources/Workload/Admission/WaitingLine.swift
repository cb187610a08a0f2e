/// Who waits in a queue: by priority, and in each priority first come first served. Statements have numbers in the
/// order of their arrival over all queues; those that have left are skipped when their turn comes.
struct WaitingLine: Sendable {
    private struct Level: Sendable {
        var statements: [Int] = []
        var head = 0

        mutating func append(_ statement: Int) { statements.append(statement) }
        var first: Int? { head < statements.count ? statements[head] : nil }
        mutating func removeFirst() {
            head += 1
            if head > 64 && head * 2 > statements.count {
                statements.removeFirst(head)
                head = 0
            }
        }
        /// In its order of arrival.
        mutating func insert(_ statement: Int) {
            statements.insert(statement, at: statements[head...].firstIndex { $0 > statement } ?? statements.count)
        }
    }
    private var levels = [Level](repeating: Level(), count: QueryPriority.allCases.count)
    /// Those who had a slot already and gave it back to wait for a lock: they are next.
    private var returning: [Int] = []

    mutating func append(_ statement: Int, _ priority: QueryPriority) { levels[priority.rawValue].append(statement) }
    mutating func insert(_ statement: Int, _ priority: QueryPriority) { levels[priority.rawValue].insert(statement) }
    mutating func appendReturning(_ statement: Int) { returning.append(statement) }

    /// The next of a priority that `isWaiting` still knows.
    mutating func first(_ priority: QueryPriority, _ isWaiting: (Int) -> Bool) -> Int? {
        while let statement = levels[priority.rawValue].first {
            if isWaiting(statement) { return statement }
            levels[priority.rawValue].removeFirst()
        }
        return nil
    }
    mutating func firstReturning(_ isWaiting: (Int) -> Bool) -> Int? {
        while let statement = returning.first {
            if isWaiting(statement) { return statement }
            returning.removeFirst()
        }
        return nil
    }
}
