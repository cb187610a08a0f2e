import Platform

/// Messages on their way from the network to the session's thread. Bounded: when it is full the connection stops
/// reading until it has room again.
final class Inbox: @unchecked Sendable {  // guarded by `monitor`
    enum Item {
        case frame(Frame)
        /// The server goes down: say so and end.
        case shutdown
        /// The connection is gone.
        case closed
    }
    private let monitor = Monitor()
    private var frames: [Frame] = []
    private var first = 0
    private var bytes = 0
    private var isClosed = false
    private var isShuttingDown = false
    private var isPaused = false
    private let onRoom: @Sendable () -> Void
    private static let limitBytes = 1 << 20
    private static let limitFrames = 4096

    /// - Parameter onRoom: called on the taker's thread when reading may go on.
    init(onRoom: @escaping @Sendable () -> Void) { self.onRoom = onRoom }

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

    func shutDown() {
        monitor.withLock {
            isShuttingDown = true
            monitor.wakeAll()
        }
    }

    /// Waits for the next message.
    func take() -> Item {
        var hasRoom = false
        let item: Item = monitor.withLock {
            while first == frames.count && !isClosed && !isShuttingDown { monitor.wait() }
            if isClosed { return .closed }
            if isShuttingDown { return .shutdown }
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
}
