import Platform
import SQLTypes
import Warehouse

/// Serves a warehouse to PostgreSQL clients. One thread takes connections in, each connection logs in on a thread of
/// its own, and every client's statements run on its session's thread, which also reads and writes the socket.
package final class WireServer: Sendable {
    private let context: ServerContext
    private let listener: Listener
    private let httpListener: Listener?
    private let watch: ClientWatch

    /// Listens at once.
    package init(warehouse: Warehouse, options: ServerOptions) throws {
        let context = try ServerContext(warehouse: warehouse, options: options)
        self.context = context
        listener = try Listener(host: options.host, port: options.port, name: "accept") { descriptor, peer in
            ConnectionLogin.begin(descriptor, peer, context)
        }
        do {
            httpListener = try options.httpPort.map { port in
                try Listener(host: options.host, port: port, name: "status") { descriptor, _ in
                    StatusPage.begin(descriptor, context)
                }
            }
            watch = try ClientWatch(context.registry)
        } catch {
            listener.close()
            throw error
        }
    }

    /// The port that clients connect to.
    package var port: Int { listener.port }
    package var httpPort: Int? { httpListener?.port }

    /// Takes no new clients, lets running statements finish for so long, then ends them and returns when all sessions
    /// are closed.
    ///
    /// - Returns: false when a session is still at work a while after its statement was cancelled. The warehouse cannot
    ///   be closed then; the process had better end as it is, what was committed is in the log.
    @discardableResult
    package func shutDown(graceSeconds: Int = 10) -> Bool {
        context.log.info("shutdown", [("sessions", String(context.registry.count))])
        listener.close()
        httpListener?.close()
        context.logins.closeAll()
        context.registry.shutDown()
        waitForSessions(seconds: graceSeconds)
        context.registry.cancelAll()
        waitForSessions(seconds: 5)
        watch.stop()
        guard context.registry.count == 0 else {
            context.log.warning("shutdown", [("stuck_sessions", String(context.registry.count))])
            return false
        }
        return true
    }

    private func waitForSessions(seconds: Int) {
        let deadline = Stopwatch.nanoseconds + Int64(seconds) * 1_000_000_000
        let monitor = Monitor()
        while context.registry.count > 0, Stopwatch.nanoseconds < deadline {
            monitor.withLock {
                _ = monitor.wait(atMostNanoseconds: 20_000_000)
            }
        }
    }
}
