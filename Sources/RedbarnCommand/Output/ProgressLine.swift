import Glibc
import Platform

/// One line on a terminal that tells how far a long statement is, drawn over itself and wiped before anything else is
/// written. Safe from any thread.
final class ProgressLine: Sendable {
    private struct State {
        var start = Stopwatch.nanoseconds
        var isDrawn = false
        var isOver = false
        var fraction: Double?
        var activity = "running"
    }
    private let state = Lock(State())
    /// Asked once a second, by the line's own thread: where the statement waits.
    private let queueWait: @Sendable () -> QueueWait?
    private static let quietNanoseconds: Int64 = 500_000_000
    private static let drawsBetweenLooks = 5
    private static let barWidth = 30

    init(queueWait: @escaping @Sendable () -> QueueWait? = { nil }) { self.queueWait = queueWait }

    /// Draws five times a second until the line is cleared, so that statements that report nothing show their time.
    func start() {
        var thread = pthread_t()
        let argument = Unmanaged.passRetained(self)
        let code = pthread_create(
            &thread, nil,
            { raw in
                guard let raw else { return nil }
                let line = Unmanaged<ProgressLine>.fromOpaque(raw).takeRetainedValue()
                line.drawAll()
                return nil
            }, argument.toOpaque())
        if code == 0 { pthread_detach(thread) } else { argument.release() }
    }

    func show(_ fraction: Double?, _ activity: String) {
        state.withLock { state in
            state.fraction = fraction
            state.activity = activity
        }
    }

    private func drawAll() {
        var draws = 0
        var wait: QueueWait?
        repeat {
            usleep(200_000)
            draws += 1
            // Short statements are not asked about.
            if draws % ProgressLine.drawsBetweenLooks == 0, !state.withLock({ $0.isOver }) { wait = queueWait() }
        } while draw(wait)
    }

    /// False when the line is not needed any more.
    private func draw(_ wait: QueueWait?) -> Bool {
        state.withLock { state in
            if state.isOver { return false }
            let elapsed = Stopwatch.nanoseconds - state.start
            guard elapsed > ProgressLine.quietNanoseconds else { return true }
            let width = (Terminal.width(STDERR_FILENO) ?? 80) - 1
            let line = ProgressLine.text(
                state.fraction, state.activity, elapsedSeconds: Double(elapsed) / 1e9, wait)
            StandardError.write("\r\u{1B}[K" + String(line.prefix(width)))
            state.isDrawn = true
            return true
        }
    }

    func clear() {
        state.withLock { state in
            state.isOver = true
            guard state.isDrawn else { return }
            StandardError.write("\r\u{1B}[K")
            state.isDrawn = false
        }
    }

    static func text(
        _ fraction: Double?, _ activity: String, elapsedSeconds: Double, _ wait: QueueWait? = nil
    ) -> String {
        let elapsed = Duration.seconds(elapsedSeconds).brief
        if let wait, wait.position > 0 { return "waiting in \"\(wait.queue)\", position \(wait.position)  \(elapsed)" }
        if let wait, wait.seconds >= 0.1 {
            return text(fraction, activity, elapsedSeconds: max(elapsedSeconds - wait.seconds, 0))
                + "  (queued \(Duration.seconds(wait.seconds).brief))"
        }
        guard let fraction, fraction > 0 else { return "\(activity)  \(elapsed)" }
        let share = min(fraction, 1)
        let filled = Int(share * Double(barWidth))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: barWidth - filled)
        let left = Duration.seconds(elapsedSeconds * (1 - share) / share).brief
        return "\(bar) \(Int(share * 100))%  \(elapsed), about \(left) left  \(activity)"
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1000 + Double(components.attoseconds) / 1e15 }

    /// `0.8 s`, `42 s`, `3 min 20 s`.
    var brief: String {
        let seconds = milliseconds / 1000
        if seconds < 10 { return "\(DecimalFigure.text(seconds, digits: 1)) s" }
        if seconds < 60 { return "\(Int(seconds)) s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }
}

/// Numbers with a fixed count of digits behind the point.
enum DecimalFigure {
    static func text(_ value: Double, digits: Int) -> String {
        guard value.isFinite, abs(value) < 1e15 else { return "-" }
        var power = 1.0
        for _ in 0..<digits { power *= 10 }
        let scaled = Int64((abs(value) * power).rounded())
        let whole = scaled / Int64(power)
        let sign = value < 0 && scaled != 0 ? "-" : ""
        if digits == 0 { return "\(sign)\(whole)" }
        let rest = String(scaled % Int64(power))
        return "\(sign)\(whole)." + String(repeating: "0", count: digits - rest.count) + rest
    }

    /// `1,234,567`
    static func grouped(_ value: Int) -> String {
        var result = ""
        let digits = String(value.magnitude)
        for (index, digit) in digits.enumerated() {
            if index > 0 && (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return (value < 0 ? "-" : "") + result
    }

    /// `1.5 GB` in powers of 1,000.
    static func bytes(_ count: Int) -> String {
        var value = Double(count)
        for unit in ["B", "kB", "MB", "GB"] {
            if value < 1000 || unit == "GB" { return "\(text(value, digits: unit == "B" ? 0 : 1)) \(unit)" }
            value /= 1000
        }
        return "\(count) B"
    }
}
