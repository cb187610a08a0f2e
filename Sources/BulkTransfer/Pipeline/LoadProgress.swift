import Platform
import SQLTypes
import Synchronization

/// What all workers of a load share: counters, bad rows, the decision to stop. Safe from any thread.
final class LoadProgress: Sendable {
    /// A bad row whose line number is still relative to its piece of the file.
    struct PendingError {
        var file: Int
        var ordinal: Int
        var error: LoadError
    }
    /// What one piece of a file had.
    struct Piece: Sendable {
        var file: Int
        var ordinal: Int
        var lines: Int
        var records: Int
        var errors: Int
    }
    private struct State {
        var pieces: [Piece] = []
        var pending: [PendingError] = []
        var lastReport: Int64 = 0
    }

    private let state = Lock(State())
    private let errors = Atomic<Int>(0)
    private let bytes = Atomic<Int64>(0)
    private let rows = Atomic<Int>(0)
    private let stopped = Atomic<Bool>(false)
    private let tolerated: Int
    private let totalBytes: Int64
    private let report: CopyJob.ProgressCallback?
    private static let reportNanoseconds: Int64 = 100_000_000

    init(tolerated: Int, totalBytes: Int64, report: CopyJob.ProgressCallback?) {
        self.tolerated = tolerated
        self.totalBytes = totalBytes
        self.report = report
    }

    var shouldStop: Bool { stopped.load(ordering: .relaxed) }
    var errorCount: Int { errors.load(ordering: .relaxed) }
    var hasTooManyErrors: Bool { errorCount > tolerated }
    var bytesRead: Int64 { bytes.load(ordering: .relaxed) }
    func stop() { stopped.store(true, ordering: .relaxed) }

    /// Keeps bad rows as long as there are not too many to report.
    func add(_ found: [PendingError]) {
        if found.isEmpty { return }
        errors.add(found.count, ordering: .relaxed)
        state.withLock { state in
            let room = CopyOptions.maximumErrors + 1 - state.pending.count
            state.pending.append(contentsOf: found.prefix(max(room, 0)))
        }
        if hasTooManyErrors { stop() }
    }

    func finish(_ piece: Piece, loaded: Int, sourceBytes: Int) {
        bytes.add(Int64(sourceBytes), ordering: .relaxed)
        rows.add(loaded, ordering: .relaxed)
        let now = report == nil ? 0 : Stopwatch.nanoseconds
        let due = state.withLock { state in
            state.pieces.append(piece)
            guard report != nil, now - state.lastReport >= LoadProgress.reportNanoseconds else { return false }
            state.lastReport = now
            return true
        }
        if due { sendReport() }
    }

    func sendReport() {
        report?(bytesRead, totalBytes, rows.load(ordering: .relaxed))
    }

    /// Errors with their lines in the file, by file and line; and the files' counts.
    func summary(_ objects: [LoadObject], headerLines: Int) -> (errors: [LoadError], files: [CopyResult.File]) {
        let (pieces, pending) = state.withLock { ($0.pieces, $0.pending) }
        var files = objects.map { CopyResult.File(name: $0.name, sizeBytes: $0.sizeBytes, rowsScanned: 0, errors: 0) }
        var linesBefore: [[Int]] = objects.map { _ in [] }
        for piece in pieces.sorted(by: { ($0.file, $0.ordinal) < ($1.file, $1.ordinal) }) {
            files[piece.file].rowsScanned += piece.records
            files[piece.file].errors += piece.errors
            let start = linesBefore[piece.file].last ?? headerLines
            // Entry n is the count before piece n; the last one is the running total.
            if linesBefore[piece.file].isEmpty { linesBefore[piece.file].append(start) }
            linesBefore[piece.file].append(start + piece.lines)
        }
        let placed = pending.map { pending in
            var error = pending.error
            let before = linesBefore[pending.file]
            if pending.ordinal < before.count { error.line += before[pending.ordinal] }
            return (file: pending.file, error: error)
        }
        let sorted = placed.sorted { ($0.file, $0.error.line) < ($1.file, $1.error.line) }
        return (sorted.map(\.error), files)
    }
}
