/// One admission as the history keeps it: an object, because the records of statements are handed on many times.
@dynamicMemberLookup
package final class AdmissionRecord: Sendable {
    package let figures: Figures

    package init(_ figures: Figures) { self.figures = figures }

    package subscript<Value>(dynamicMember member: KeyPath<Figures, Value>) -> Value { figures[keyPath: member] }

    /// Times of the warehouse's wall clock.
    package struct Figures: Sendable, Hashable {
        package var serviceClass: Int
        package var serviceClassName: String
        package var slots = 1
        package var arrivedMicroseconds: Int64 = 0
        package var startedMicroseconds: Int64 = 0
        package var endedMicroseconds: Int64 = 0
        /// All waiting for slots, also after locks.
        package var queueMicroseconds: Int64 = 0
        package var priority = QueryPriority.normal
        package var isShort = false
        package var isScaledOut = false
        package var wasEvicted = false
        package var memoryPeakBytes: Int64 = 0
        /// Without waiting for slots and locks.
        package var runMicroseconds: Int64 = 0
        package var metrics = QueryMetrics()

        package init(_ serviceClass: Int, _ name: String) {
            self.serviceClass = serviceClass
            serviceClassName = name
        }
    }
}
