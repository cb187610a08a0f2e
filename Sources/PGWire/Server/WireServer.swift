import NIOCore
import NIOPosix
import Platform
import SQLTypes
import Warehouse

/// Serves a warehouse to PostgreSQL clients. The event loops only move bytes; every client's statements run on its
/// session's own thread, which also reads and writes the socket where nothing is encrypted.
public final class WireServer: Sendable {
    private let context: ServerContext
    private let group: MultiThreadedEventLoopGroup
    private let listener: any Channel
    private let httpListener: (any Channel)?

    /// Listens at once.
    public init(warehouse: Warehouse, options: ServerOptions) throws {
        let context = try ServerContext(warehouse: warehouse, options: options)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: min(max(System.coreCount / 2, 1), 4))
        self.context = context
        self.group = group
        do {
            listener = try WireServer.bootstrap(group, context).bind(
                host: options.host, port: options.port
            ).wait()
            httpListener = try options.httpPort.map {
                try StatusPage.bootstrap(group, context).bind(host: options.host, port: $0).wait()
            }
        } catch {
            try? group.syncShutdownGracefully()
            throw SQLError("58000", "could not listen on \(options.host):\(options.port): \(error)")
        }
        let registry = context.registry
        group.next().scheduleRepeatedTask(initialDelay: .milliseconds(200), delay: .milliseconds(200)) {
            _ in
            registry.cancelAbandoned()
        }
    }

    /// The port that clients connect to.
    public var port: Int { listener.localAddress?.port ?? 0 }
    public var httpPort: Int? { httpListener?.localAddress?.port }

    private static func bootstrap(_ group: MultiThreadedEventLoopGroup, _ context: ServerContext)
        -> ServerBootstrap
    {
        ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: 512)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer(AcceptPause.initialize)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(server: context))
                }
            }
    }

    /// Takes no new clients, lets running statements finish for so long, then ends them and returns when all sessions
    /// are closed.
    ///
    /// - Returns: false when a session is still at work a while after its statement was cancelled. The warehouse cannot
    ///   be closed then; the process had better end as it is, what was committed is in the log.
    @discardableResult
    public func shutDown(graceSeconds: Int = 10) -> Bool {
        context.options.log.info("shutdown", [("sessions", String(context.registry.count))])
        try? listener.close().wait()
        try? httpListener?.close().wait()
        context.registry.shutDown()
        waitForSessions(seconds: graceSeconds)
        context.registry.cancelAll()
        waitForSessions(seconds: 5)
        guard context.registry.count == 0 else {
            context.options.log.warning("shutdown", [("stuck_sessions", String(context.registry.count))])
            return false
        }
        try? group.syncShutdownGracefully()
        return true
    }

    private func waitForSessions(seconds: Int) {
        let deadline = SystemTime().monotonicNanoseconds() + Int64(seconds) * 1_000_000_000
        let monitor = Monitor()
        while context.registry.count > 0, SystemTime().monotonicNanoseconds() < deadline {
            monitor.withLock {
                _ = monitor.wait(untilNanoseconds: SystemTime().monotonicNanoseconds() + 20_000_000)
            }
        }
    }
}
