import Platform
import SQLTypes
import Synchronization

/// Counters for the metrics page. Safe from any thread.
final class ServerStatistics: Sendable {
    let connections = Atomic<Int>(0)
    let openConnections = Atomic<Int>(0)
    let refused = Atomic<Int>(0)
    let statements = Atomic<Int>(0)
    let errors = Atomic<Int>(0)
    let sentBytes = Atomic<Int>(0)
    private let states = Lock<[String: Int]>([:])
    private static let mostStates = 200

    func noteError(_ state: SQLState) {
        errors.add(1, ordering: .relaxed)
        states.withLock { states in
            let key = states[state.code] != nil || states.count < ServerStatistics.mostStates ? state.code : "other"
            states[key, default: 0] += 1
        }
    }

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
        lines += "# HELP redbarn_errors_by_state_total Errors sent to clients, by SQLSTATE.\n"
        lines += "# TYPE redbarn_errors_by_state_total counter\n"
        for (state, count) in states.withLock({ $0 }).sorted(by: { $0.key < $1.key }) {
            lines += "redbarn_errors_by_state_total{sqlstate=\"\(state)\"} \(count)\n"
        }
        add("sent_bytes_total", "counter", "Bytes sent to clients.", sentBytes.load(ordering: .relaxed))
        return lines
    }
}
