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
    private let processID: Int32

    init(_ address: ServerAddress, processID: Int32) {
        self.address = address
        self.processID = processID
    }

    /// Of the statement that runs. Waits for the answer.
    func look() -> QueueWait? {
        guard let row = ask({ try self.waits($0) }), row.count == 3, let queue = row[0] else { return nil }
        let (position, waited) = (row[1].flatMap { Int($0) } ?? 0, row[2].flatMap { Double($0) } ?? 0)
        return QueueWait(queue: queue, position: position, seconds: waited / 1e6)
    }

    /// Of the last statement, which has just ended and took so long.
    func lastTimes(_ nanoseconds: Int64) -> Session.AdmissionTimes? {
        // What ended after it began: what the leader does alone has no row, and the one before is not meant.
        let question = """
            select w.total_queue_time, w.total_exec_time
            from stl_query q join stl_wlm_query w on w.query = q.query
            where q.pid = \(processID) and w.service_class_end_time > dateadd(
                ms, -\(nanoseconds / 1_000_000), convert_timezone(current_setting('timezone'), 'UTC', sysdate))
            order by w.query desc limit 1
            """
        guard let row = ask({ try QueueWatcher.rows($0, question).first }), row.count == 2,
            let queued = row[0].flatMap({ Int64($0) }), let ran = row[1].flatMap({ Int64($0) })
        else { return nil }
        return Session.AdmissionTimes(queueMicroseconds: queued, runMicroseconds: ran)
    }

    private func waits(_ client: WireClient) throws -> [String?]? {
        let state = """
            from stv_inflight i join stv_wlm_query_state s on s.query = i.query
            left join stv_wlm_query_queue_state q on q.query = s.query
            """
        let own = "where i.pid = \(processID) and i.slice = 0"
        do {
            let question = """
                select trim(c.name), coalesce(q.position, 0), s.queue_time \(state)
                join stv_wlm_service_class_config c on c.service_class = s.service_class \(own)
                """
            return try QueueWatcher.rows(client, question).first
        } catch let error as SQLError where error.state == .insufficientPrivilege {
            // How queues are configured is for superusers.
            let question = """
                select 'service class ' || s.service_class, coalesce(q.position, 0), s.queue_time \(state) \(own)
                """
            return try QueueWatcher.rows(client, question).first
        }
    }

    private func ask<Answer>(_ body: (WireClient) throws -> Answer?) -> Answer? {
        state.withLock { state in
            do {
                if case .fresh = state { state = .open(try WireClient(address, application: "redbarn queues")) }
                guard case .open(let client) = state else { return nil }
                return try body(client)
            } catch {
                // Another kind of server, or one that lets nobody else in: nothing is told of queues.
                if case .open(let client) = state { client.close() }
                state = .closed
                return nil
            }
        }
    }

    private static func rows(_ client: WireClient, _ sql: String) throws -> [[String?]] {
        let list = TextRows()
        try client.execute(sql, list)
        return list.rows
    }

    func close() {
        state.withLock { state in
            if case .open(let client) = state { client.close() }
            state = .closed
        }
    }
}
