import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLTypes
import Workload

/// A statement's way: its share of the machine. What the leader does alone is let in at once, without a ticket.
extension StatementExecution {
    /// - Parameter previous: the queue that it has been hopped out of.
    func admit(
        _ planned: PlannedStatement, _ snapshot: StoreSnapshot, after previous: Int?
    ) throws -> AdmissionTicket? {
        try cancellation.check()
        guard let kind = admissionKind(planned) else { return nil }
        let request = admissionRequest(planned, kind, snapshot)
        do {
            let ticket = try warehouse.workload.admit(request, cancellation, after: previous)
            self.ticket = ticket
            return ticket
        } catch let refusal as AdmissionRefusal {
            warehouse.workload.note(
                error: refusal.message, user: session.effectiveUser, session: session.number)
            throw SQLError(.invalidParameterValue, refusal.message, hint: refusal.hint)
        }
    }

    /// The statement has ended, well or not. Only what has done its work tells how much that is.
    func release(_ ticket: AdmissionTicket?, _ planned: PlannedStatement, isComplete: Bool) {
        guard let ticket else { return }
        self.ticket = nil
        guard let record = ticket.release(isComplete: isComplete) else { return }
        admission = record
        if isComplete, let shape = planned.shape {
            let figures = record.figures
            shape.add(
                nanoseconds: Int64(bounded: figures.metrics.cpuSeconds * 1e9), peakBytes: figures.memoryPeakBytes)
        }
    }

    /// nil for what the leader does alone: definitions, settings, and queries of catalogs and constants.
    private func admissionKind(_ planned: PlannedStatement) -> AdmissionRequest.Kind? {
        guard let kind = planned.effects.admission, kind != .select || !planned.scanned.isEmpty else { return nil }
        return session.isAutomatic ? .background : kind
    }

    private func admissionRequest(
        _ planned: PlannedStatement, _ kind: AdmissionRequest.Kind, _ snapshot: StoreSnapshot
    ) -> AdmissionRequest {
        var request = AdmissionRequest(
            query: queryID, session: session.number, kind: kind, user: workloadUser,
            queryGroup: session.settings.queryGroup, slotCount: session.settings.slotCount)
        if let shape = planned.shape, let predicted = shape.predictedNanoseconds {
            request.predictedNanoseconds = predicted
            request.estimatedBytes = Int(clamping: shape.peakBytes ?? 0)
        } else if let plan = planned.query?.plan {
            let estimate = AdmissionEstimate(plan, cores: warehouse.workers) { snapshot.table($0)?.rowCount ?? 0 }
            request.predictedNanoseconds = Int64(bounded: estimate.nanoseconds)
            request.estimatedBytes = Int(Int64(bounded: estimate.bytes))
        }
        return request
    }

    /// Groups and roles are looked for only where queues ask for them.
    private var workloadUser: WorkloadUser {
        let user = self.user
        var result = WorkloadUser(id: user.id, isSuperuser: user.isSuperuser)
        guard warehouse.workload.asksForMembers else { return result }
        let accounts = self.accounts
        result.groups = accounts.groups.values.filter { $0.members.contains(user.id) }.map(\.name)
        result.roles = AccessRights.roles(of: .user(user.id), in: accounts).compactMap { accounts.roles[$0]?.name }
        return result
    }

    /// Where workload management has ended the statement: what the client is told.
    func explained(_ error: any Error, _ decision: AdmissionTicket.Verdict?) -> any Error {
        guard cancellation.reason == .queryMonitoring, let decision else { return error }
        switch decision {
        case .rule(let name):
            return SQLError(
                .queryCanceled,
                "Query (\(queryID)) cancelled by WLM abort action of Query Monitoring Rule \"\(name)\"")
        case .timeLimit:
            return SQLError(
                .queryCanceled, "Query (\(queryID)) cancelled on user's request",
                detail: "It ran longer than its queue's max_execution_time, and no other queue takes it.")
        case .restart: return error
        }
    }
}
