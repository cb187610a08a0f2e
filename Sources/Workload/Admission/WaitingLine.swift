/// Who waits in a queue: by priority, and in each priority first come first served. Numbers that have left are skipped
/// when their turn comes.
struct WaitingLine: Sendable {
    struct Place: Sendable {
        var statement: Int
        /// In the order of arrival over all queues.
        var sequence: Int
    }
    private struct Level: Sendable {
        var places: [Place] = []
        var head = 0

        mutating func append(_ place: Place) { places.append(place) }
        var first: Place? { head < places.count ? places[head] : nil }
        mutating func removeFirst() {
            head += 1
            if head > 64 && head * 2 > places.count {
                places.removeFirst(head)
                head = 0
            }
        }
        /// In its order of arrival.
        mutating func insert(_ place: Place) {
            let index = places[head...].firstIndex { $0.sequence > place.sequence } ?? places.count
            places.insert(place, at: index)
        }
    }
    private var levels = [Level](repeating: Level(), count: QueryPriority.allCases.count)
    /// Those who had a slot already and gave it back to wait for a lock: they are next.
    private var returning: [Place] = []

    mutating func append(_ place: Place, _ priority: QueryPriority) { levels[priority.rawValue].append(place) }
    mutating func insert(_ place: Place, _ priority: QueryPriority) { levels[priority.rawValue].insert(place) }
    mutating func appendReturning(_ place: Place) { returning.append(place) }

    /// The next of a priority that `isWaiting` still knows.
    mutating func first(_ priority: QueryPriority, _ isWaiting: (Place) -> Bool) -> Place? {
        while let place = levels[priority.rawValue].first {
            if isWaiting(place) { return place }
            levels[priority.rawValue].removeFirst()
        }
        return nil
    }
    mutating func firstReturning(_ isWaiting: (Place) -> Bool) -> Place? {
        while let place = returning.first {
            if isWaiting(place) { return place }
            returning.removeFirst()
        }
        return nil
    }
}
