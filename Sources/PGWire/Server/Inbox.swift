import Platform
import SQLTypes

/// Messages on their way from an event loop to the session's thread, for connections that only the event loop can
/// decrypt. Bounded: when it is full the connection stops reading until it has room again.
final class Inbox: ClientInput, @unchecked Sendable {  // guarded by `monitor`
    private let monitor = Monitor()
    private var frames: [Frame] = []
    private var first = 0
    private var bytes = 0
    private var isClosed = false
    private var ending: SQLError?
    private var isPaused = false
    private let onRoom: @Sendable () -> Void
    private let idleSeconds: Int
    private static let limitBytes = 1 << 20
    private static let limitFrames = 4096

    /// - Parameter onRoom: called on the taker's thread when reading may go on.
    init(idleSeconds: Int, onRoom: @escaping @Sendable () -> Void) {
        self.idleSeconds = idleSeconds
        self.onRoom = onRoom
    }

    /// False when the connection should stop reading for now.
    func put(_ frame: Frame) -> Bool {
        monitor.withLock {
            frames.append(frame)
            bytes += frame.sizeBytes
            monitor.wakeOne()
            isPaused = bytes > Inbox.limitBytes || frames.count - first > Inbox.limitFrames
            return !isPaused
        }
    }

    func close() {
        monitor.withLock {
            isClosed = true
            frames = []
            first = 0
            monitor.wakeAll()
        }
    }

    func end(_ reason: SQLError) {
        monitor.withLock {
            ending = ending ?? reason
            monitor.wakeAll()
        }
    }

    func take() -> InputEvent { take(milliseconds: idleSeconds * 1000) ?? .ended(.idleSession) }
    func poll() -> InputEvent? { take(milliseconds: 200) }

    /// nil when nothing came in time; 0 waits for ever.
    private func take(milliseconds: Int) -> InputEvent? {
        var hasRoom = false
        let item: InputEvent? = monitor.withLock {
            let isInTime = waitForFrame(milliseconds)
            if isClosed { return .closed }
            if let ending { return .ended(ending) }
            if !isInTime { return nil }
            let frame = frames[first]
            frames[first].body = []
            first += 1
            bytes -= frame.sizeBytes
            if first == frames.count {
                frames.removeAll(keepingCapacity: true)
                first = 0
            }
            if isPaused && bytes < Inbox.limitBytes / 2 && frames.count - first < Inbox.limitFrames / 2 {
                isPaused = false
                hasRoom = true
            }
            return .frame(frame)
        }
        if hasRoom { onRoom() }
        return item
    }

    /// False when the client was silent for too long. Only while locked.
    private func waitForFrame(_ milliseconds: Int) -> Bool {
        let now = SystemTime().monotonicNanoseconds()
        let deadline = milliseconds == 0 ? nil : now + Int64(milliseconds) * 1_000_000
        while first == frames.count && !isClosed && ending == nil {
            if let deadline {
                if !monitor.wait(untilNanoseconds: deadline) { return first < frames.count }
            } else {
                monitor.wait()
            }
        }
        return true
    }
}
