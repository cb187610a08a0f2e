import Platform

/// Priorities that administrators have given to users and sessions by function; they hold until the warehouse is closed
/// (CHANGE_USER_PRIORITY) or the session ends (CHANGE_SESSION_PRIORITY).
package struct PriorityOverrides: Sendable {
    var users: [Int: QueryPriority] = [:]
    var sessions: [Int: QueryPriority] = [:]

    func priority(_ request: AdmissionRequest) -> QueryPriority? {
        sessions.isEmpty && users.isEmpty ? nil : sessions[request.session] ?? users[request.user.id]
    }
}

extension WorkloadManager {
    /// CHANGE_QUERY_PRIORITY. False: no such statement waits or runs.
    package func change(query: Int, _ priority: QueryPriority) -> Bool {
        monitor.withLock {
            guard let entry = state.scheduler.entries.values.first(where: { $0.request.query == query })
            else { return false }
            apply(priority, entry)
            return true
        }
    }

    /// CHANGE_SESSION_PRIORITY: of what it runs now, and of what follows.
    package func change(session: Int, _ priority: QueryPriority) {
        monitor.withLock {
            state.priorities.sessions[session] = priority
            for entry in state.scheduler.entries.values where entry.request.session == session {
                apply(priority, entry)
            }
        }
    }

    /// CHANGE_USER_PRIORITY: of what follows.
    package func change(user: Int, _ priority: QueryPriority) {
        monitor.withLock { state.priorities.users[user] = priority }
    }

    /// A session has ended.
    package func forget(session: Int) {
        monitor.withLock {
            if !state.priorities.sessions.isEmpty { state.priorities.sessions[session] = nil }
        }
    }

    private func apply(_ priority: QueryPriority, _ entry: Scheduler.Entry) {
        state.scheduler.change(entry.sequence, priority, at: time.monotonicNanoseconds())
        deliver()
        entry.ticket?.share.change(level: level(entry))
    }
}
