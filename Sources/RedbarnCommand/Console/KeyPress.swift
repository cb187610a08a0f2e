import Glibc
import Synchronization

/// Waits for a key on standard input, a terminal, without an end of line and without showing it. Main thread only.
struct KeyPress {
    /// Set by Ctrl-C.
    private final class Flag: Sendable {
        let isSet = Atomic<Bool>(false)
    }
    private let flag = Flag()
    private static let sliceMilliseconds: Int32 = 100

    /// Runs a body that asks for keys; the terminal is as before afterwards. Ctrl-C counts as one.
    static func awaiting(_ body: (KeyPress) throws -> Void) rethrows {
        var before = termios()
        let isKnown = tcgetattr(STDIN_FILENO, &before) == 0
        if isKnown {
            var single = before
            single.c_lflag &= ~tcflag_t(ICANON | ECHO)
            tcsetattr(STDIN_FILENO, TCSANOW, &single)
        }
        // Keys that were pressed meanwhile are no input of the shell.
        defer { if isKnown { tcsetattr(STDIN_FILENO, TCSAFLUSH, &before) } }
        let key = KeyPress()
        let flag = key.flag
        try SignalWatcher.shared.cancelling(with: { flag.isSet.store(true, ordering: .relaxed) }) { try body(key) }
    }

    func isPressed(within seconds: Double) -> Bool {
        var left = Int32(seconds * 1000)
        while left > 0 {
            if flag.isSet.load(ordering: .relaxed) { return true }
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let slice = min(left, KeyPress.sliceMilliseconds)
            if poll(&descriptor, 1, slice) > 0 { return true }
            left -= slice
        }
        return flag.isSet.load(ordering: .relaxed)
    }
}
