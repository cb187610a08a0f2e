import Platform
import Synchronization

/// What processor time statements of one text took, whatever the values of their literals: by this workload management
/// knows the short ones beforehand. Safe from any thread.
final class StatementShape: Sendable {
    /// Weighted means of the last executions; 0: there was none.
    private let nanoseconds = Atomic<Int64>(0)
    private let bytes = Atomic<Int64>(0)
    /// Results that were kept since one was found again.
    private let unused = Atomic<Int>(0)
    /// So many of a short statement tell that its values hardly ever come again, and one in so many executions is a try
    /// whether that is still so: keeping and looking up costs a tenth of the shortest queries.
    private static let enoughUnused = 16
    private static let shortNanoseconds: Int64 = 1_000_000
    private static let tries = 64
    /// The newest execution's part of the mean.
    private static let newestPart: Int64 = 4

    var predictedNanoseconds: Int64? {
        let known = nanoseconds.load(ordering: .relaxed)
        return known == 0 ? nil : known
    }
    var peakBytes: Int64? {
        predictedNanoseconds == nil ? nil : bytes.load(ordering: .relaxed)
    }

    /// Whether to look for a kept result of its next execution.
    func mayRepeat() -> Bool {
        if unused.load(ordering: .relaxed) < StatementShape.enoughUnused { return true }
        if predictedNanoseconds ?? .max > StatementShape.shortNanoseconds { return true }
        return unused.add(1, ordering: .relaxed).newValue % StatementShape.tries == 0
    }
    func noteKept() { unused.add(1, ordering: .relaxed) }
    func noteFound() { unused.store(0, ordering: .relaxed) }

    /// Two that end at the same moment may lose one of them, which does no harm.
    func add(nanoseconds took: Int64, peakBytes: Int64) {
        let known = nanoseconds.load(ordering: .relaxed)
        if known == 0 {
            bytes.store(peakBytes, ordering: .relaxed)
            nanoseconds.store(max(took, 1), ordering: .relaxed)
            return
        }
        nanoseconds.store(max(known + (took - known) / StatementShape.newestPart, 1), ordering: .relaxed)
        let present = bytes.load(ordering: .relaxed)
        bytes.store(present + (peakBytes - present) / StatementShape.newestPart, ordering: .relaxed)
    }
}

/// The shapes of a warehouse by text; they outlive kept plans, which every commit makes old. Bounded. Safe from any
/// thread.
final class StatementShapes: Sendable {
    private let known = Lock<[String: StatementShape]>([:])
    private static let most = 4_096
    private static let longestText = 4_096

    func shape(_ text: String) -> StatementShape {
        if text.utf8.count > StatementShapes.longestText { return StatementShape() }
        return known.withLock { known in
            if let shape = known[text] { return shape }
            if known.count >= StatementShapes.most { known.removeAll() }
            let shape = StatementShape()
            known[text] = shape
            return shape
        }
    }
}
