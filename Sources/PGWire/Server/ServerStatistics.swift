import Synchronization

/// Counters for the metrics page. Safe from any thread.
final class ServerStatistics: Sendable {
    let connections = Atomic<Int>(0)
    let openConnections = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    let statements = Atomic<Int>(0)
    let errors = Atomic<Int>(0)
    let sentBytes = Atomic<Int>(0)

    /// Prometheus text.
    var page: String {
        var lines = ""
        func add(_ name: String, _ kind: String, _ help: String, _ value: Int) {
            lines +=
                "# HELP redbarn_\(name) \(help)\n# TYPE redbarn_\(name) \(kind)\nredbarn_\(name) \(value)\n"
        }
        add(
            "connections_total", "counter", "Connections accepted.", connections.load(ordering: .relaxed))
        add(
            "connections_open", "gauge", "Connections open now.", openConnections.load(ordering: .relaxed)
        )
        add(
            "connections_refused_total", "counter", "Clients turned away.",
            refused.load(ordering: .relaxed))
        add(
            "statements_total", "counter", "Queries and portals run.", statements.load(ordering: .relaxed)
        )
        add("errors_total", "counter", "Errors sent to clients.", errors.load(ordering: .relaxed))
        add("sent_bytes_total", "counter", "Bytes sent to clients.", sentBytes.load(ordering: .relaxed))
        return lines
    }
}
