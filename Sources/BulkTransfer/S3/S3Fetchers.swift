import Platform

/// Threads that wait for S3 on behalf of others, so that bytes are on their way before a worker needs them. Started as
/// there is work, ended when there has been none for a while. Safe from any thread.
final class S3Fetchers: Sendable {
    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var threads = 0
        /// Those that wait for work, or will when they have begun.
        var idle = 0
    }
    private let monitor = Monitor()
    private nonisolated(unsafe) var state = State()  // under `monitor`
    private static let mostThreads = 16
    private static let idleNanoseconds: Int64 = 5_000_000_000

    /// False when nobody will do it: the caller does it when it must be done.
    func add(_ job: @escaping @Sendable () -> Void) -> Bool {
        monitor.withLock {
            if state.idle <= state.jobs.count && state.threads < S3Fetchers.mostThreads {
                do { try NativeThread.start(name: "s3") { [self] in work() } } catch { return false }
                state.threads += 1
                state.idle += 1
            }
            state.jobs.append(job)
            monitor.wakeOne()
            return true
        }
    }

    private func work() {
        while let job = next() {
            job()
            monitor.withLock { state.idle += 1 }
        }
    }

    private func next() -> (@Sendable () -> Void)? {
        monitor.withLock {
            let end = Stopwatch.nanoseconds + S3Fetchers.idleNanoseconds
            while state.jobs.isEmpty {
                if !monitor.wait(untilNanoseconds: end) && state.jobs.isEmpty {
                    state.threads -= 1
                    state.idle -= 1
                    return nil
                }
            }
            state.idle -= 1
            return state.jobs.removeFirst()
        }
    }
}
