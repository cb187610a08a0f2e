import Glibc
import Platform

/// Turns Ctrl-C into the cancelling of what runs, and a request to end into an orderly end. The signal handler only
/// writes into a pipe; a thread of the watcher's own reads it and acts, so that actions may take locks.
final class SignalWatcher: Sendable {
    static let shared = SignalWatcher()
    private struct State {
        var cancel: (@Sendable () -> Void)?
        var cleanup: (@Sendable () -> Void)?
        var interrupts = 0
    }
    private let state = Lock(State())

    /// Called once, before other threads matter.
    func start() {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { return }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        for number in [SIGINT, SIGTERM, SIGHUP] { EditLibrary.takeSignal(number, pipe: writeEnd) }
        signal(SIGPIPE, SIG_IGN)
        var thread = pthread_t()
        let argument = UnsafeMutableRawPointer(bitPattern: Int(readEnd))
        pthread_create(
            &thread, nil,
            { raw in
                SignalWatcher.shared.watch(Int32(Int(bitPattern: raw)))
                return nil
            }, argument)
        pthread_detach(thread)
    }

    /// Runs a body that Ctrl-C cancels by calling `cancel`. A second Ctrl-C within the same body ends the process.
    func cancelling<Result>(with cancel: @escaping @Sendable () -> Void, _ body: () throws -> Result) rethrows -> Result
    {
        state.withLock {
            $0.cancel = cancel
            $0.interrupts = 0
        }
        defer { state.withLock { $0.cancel = nil } }
        return try body()
    }

    /// Was there a Ctrl-C since the last body began?
    var wasInterrupted: Bool { state.withLock { $0.interrupts > 0 } }

    /// What has to happen before the process ends, by signal or by itself.
    func setCleanup(_ cleanup: (@Sendable () -> Void)?) { state.withLock { $0.cleanup = cleanup } }
    func runCleanup() {
        let cleanup = state.withLock { state in
            defer { state.cleanup = nil }
            return state.cleanup
        }
        cleanup?()
    }

    private func watch(_ descriptor: Int32) {
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            if count <= 0 { return }
            handle(Int32(byte))
        }
    }

    private func handle(_ number: Int32) {
        let (cancel, interrupts) = state.withLock { state in
            state.interrupts += 1
            return (state.cancel, state.interrupts)
        }
        if number == SIGINT, interrupts == 1, let cancel { return cancel() }
        runCleanup()
        _exit(128 + number)
    }
}
