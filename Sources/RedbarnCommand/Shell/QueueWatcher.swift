import PGWire
import Platform
import SQLTypes
import Warehouse

/// Asks a server, over a connection of its own, in which queue another connection's statement waits. The connection is
/// made when it is first asked, and for good; where that fails nothing is known. Safe from any thread.
final class QueueWatcher: Sendable {
    private enum State {
        case fresh
        case open(WireClient)
        case closed
    }
    private let state = Lock(State.fresh)
    private let address: ServerAddress
    private let question: String

    init(_ address: ServerAddress, processID: Int32) {
        self.address = address
        question = """
            select trim(c.name), coalesce(q.position, 0), s.queue_time
            from stv_inflight i join stv_wlm_query_state s on s.query = i.query
            join stv_wlm_service_class_config c on c.service_class = s.service_class
            left join stv_wlm_query_queue_state q on q.query = s.query
            where i.pid = \(processID) and i.slice = 0
            """
    }

    /// Waits for the answer.
    func look() -> QueueWait? {
        state.withLock { state in
            do {
                if case .fresh = state { state = .open(try WireClient(address, application: "redbarn queues")) }
                guard case .open(let client) = state else { return nil }
                let list = TextRows()
                try client.execute(question, list)
                guard let row = list.rows.first, row.count == 3, let queue = row[0] else { return nil }
                let (position, waited) = (row[1].flatMap { Int($0) } ?? 0, row[2].flatMap { Double($0) } ?? 0)
                return QueueWait(queue: queue, position: position, seconds: waited / 1e6)
            } catch {
                // Another kind of server, or one that lets nobody else in: the line tells the time only.
                if case .open(let client) = state { client.close() }
                state = .closed
                return nil
            }
        }
    }

    func close() {
        state.withLock { state in
            if case .open(let client) = state { client.close() }
            state = .closed
        }
    }
}
