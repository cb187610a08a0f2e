import Platform
import VectorEngine
import Workload

extension AdmissionTicket {
    /// For rules about skew: what the slices have done in a plan that has run.
    func note(_ profile: ExecutionProfile) {
        var busy = [Double](repeating: 0, count: max(profile.slices, 1)), read = busy
        for step in profile.segments.flatMap(\.steps) {
            for figures in step.slices where busy.indices.contains(figures.slice) {
                busy[figures.slice] += Double(figures.busyNanoseconds)
            }
            for (slice, rows) in (step.scan?.rowsBeforeFilter ?? []).enumerated() where read.indices.contains(slice) {
                read[slice] += Double(rows)
            }
        }
        note(cpuSkew: busy.skew, ioSkew: read.skew)
    }
}

extension [Double] {
    /// The largest over the average; 1 where all are alike, or nothing was done.
    var skew: Double {
        let sum = reduce(0, +)
        return sum > 0 ? (self.max() ?? 0) * Double(count) / sum : 1
    }
}
