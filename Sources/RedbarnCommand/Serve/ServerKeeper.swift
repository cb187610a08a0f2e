import Glibc
import PGWire
import Platform
import Warehouse

/// The small process that `redbarn serve` is: it starts itself again to serve, passes signals on, and when the serving
/// process dies of a signal it writes down what is known, and starts the next one. It opens no warehouse and no socket.
struct ServerKeeper {
    private let directory: String
    private let table: CrashTable
    private let process: ServedProcess
    private let log = ServerLog.standardError
    private var signals = sigset_t()
    /// Somebody wants the server to end.
    private var isEnding = false
    /// Lives in a row in which the server did not come to listen.
    private var failures = 0
    /// Short lives in a row.
    private var shortLives = 0
    private static let mostFailures = 5
    private static let shortLifeNanoseconds: Int64 = 10_000_000_000

    /// Before any thread starts. nil when the system refuses what it needs.
    init?(directory: String, slots: Int) {
        guard let (table, descriptor) = CrashTable.make(slots: slots) else { return nil }
        self.directory = directory
        self.table = table
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGINT, SIGHUP, SIGCHLD] { sigaddset(&signals, signal) }
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &signals, &before)
        signal(SIGCHLD, SIG_DFL)
        process = ServedProcess(descriptor: descriptor, mask: before)
    }

    /// Until the server ends. The result is for ``exit(_:)``.
    mutating func run() -> Int32 {
        while true {
            table.clear()
            let start = Stopwatch.nanoseconds
            guard let child = process.start() else {
                log.warning("keeper", [("message", "could not start a process: " + String(cString: strerror(errno)))])
                return 1
            }
            let status = wait(for: child)
            let signal = status & 0x7F
            if signal == 0 { return status >> 8 & 0xFF }
            // Before it could wait for them, the signals to end it end it.
            if isEnding && (signal == SIGTERM || signal == SIGINT) { return 128 + signal }
            CrashReport(table, process: Int(child), signal: Int(signal)).write(to: directory, log)
            if isEnding { return 128 + signal }
            failures = table.isReady ? 0 : failures + 1
            if failures == ServerKeeper.mostFailures {
                let reason = "the server has died \(failures) times without becoming ready: giving up"
                log.warning("keeper", [("message", reason)])
                return 128 + signal
            }
            let life = Stopwatch.nanoseconds - start
            shortLives = life < ServerKeeper.shortLifeNanoseconds ? shortLives + 1 : 0
            if !pause(milliseconds: delayMilliseconds) { return 0 }
            log.info("restart")
        }
    }

    /// None for the first deaths, then twice as long each time.
    private var delayMilliseconds: Int {
        shortLives <= 2 ? 0 : min(100 << min(shortLives - 3, 10), 5_000)
    }

    private mutating func wait(for child: pid_t) -> Int32 {
        while true {
            var status: Int32 = 0
            switch waitpid(child, &status, WNOHANG) {
            case child: return status
            case -1 where errno != EINTR: return 1 << 8
            default: break
            }
            var number: Int32 = 0
            guard sigwait(&signals, &number) == 0, number != SIGCHLD else { continue }
            if number != SIGHUP { isEnding = true }
            kill(child, number)
        }
    }

    /// False when the server is to end.
    private mutating func pause(milliseconds: Int) -> Bool {
        let end = Stopwatch.nanoseconds + Int64(milliseconds) * 1_000_000
        while true {
            let left = max(end - Stopwatch.nanoseconds, 0)
            var time = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            let number = sigtimedwait(&signals, nil, &time)
            if number == SIGTERM || number == SIGINT {
                isEnding = true
                return false
            }
            if number < 0 && errno == EAGAIN { return true }
        }
    }
}
