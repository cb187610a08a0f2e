import NIOCore
import Platform

/// Sends a conversation's bytes through an encrypted channel and counts what is still under way.
final class ChannelOutput: ClientOutput, @unchecked Sendable {  // guarded by `monitor`
    private let channel: any Channel
    private let statistics: ServerStatistics
    private let monitor = Monitor()
    private var pending = 0
    private var closed = false

    init(channel: any Channel, statistics: ServerStatistics) {
        self.channel = channel
        self.statistics = statistics
        channel.closeFuture.whenComplete { [self] _ in
            monitor.withLock {
                closed = true
                monitor.wakeAll()
            }
        }
    }

    var isClosed: Bool { monitor.withLock { closed } }
    var isWritable: Bool { monitor.withLock { pending < ServerLimits.pendingBytes } }

    /// The event loop reads all the time and finds the end itself.
    var hasHungUp: Bool { isClosed }

    func waitUntilWritable() {
        let deadline = SystemTime().monotonicNanoseconds() + 200_000_000
        monitor.withLock {
            while pending >= ServerLimits.pendingBytes && !closed {
                if !monitor.wait(untilNanoseconds: deadline) { return }
            }
        }
    }

    func send(_ bytes: UnsafeRawBufferPointer) {
        var buffer = channel.allocator.buffer(capacity: bytes.count)
        buffer.writeBytes(bytes)
        let count = bytes.count
        let filled = buffer
        monitor.withLock { pending += count }
        statistics.sentBytes.add(count, ordering: .relaxed)
        // One hop to the event loop; the promise is made there.
        channel.eventLoop.execute { [self] in
            channel.writeAndFlush(filled).whenComplete { _ in
                self.monitor.withLock {
                    self.pending -= count
                    self.monitor.wakeAll()
                }
            }
        }
    }

    func finish() {
        channel.eventLoop.execute { [channel] in
            channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        }
    }
}
