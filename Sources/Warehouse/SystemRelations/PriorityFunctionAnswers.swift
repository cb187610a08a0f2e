import Catalog
import QueryPlan
import SQLTypes
import Workload

/// CHANGE_QUERY_PRIORITY, CHANGE_SESSION_PRIORITY and CHANGE_USER_PRIORITY: administrators move statements of
/// automatic queues.
extension CatalogFunctionAnswers {
    func changePriority(_ function: ScalarFunction, _ target: String, _ name: String) throws -> Datum {
        guard snapshot.rights.isSuperuser else {
            throw SQLError(.insufficientPrivilege, "must be superuser to change a priority")
        }
        guard let priority = QueryPriority(name: name) else {
            throw SQLError(
                .invalidParameterValue, "invalid priority \"\(name)\"",
                hint: "Priorities are CRITICAL, HIGHEST, HIGH, NORMAL, LOW and LOWEST.")
        }
        guard snapshot.workload.configuration.isAutomatic else {
            throw SQLError(
                .objectNotInState, "priorities can be changed with automatic WLM only",
                hint: "The configuration of this warehouse has manual queues.")
        }
        let shown = priority.shownName
        switch function {
        case .changeQueryPriority:
            guard let query = Int(target), snapshot.workload.change(query: query, priority) else {
                throw SQLError(.undefinedObject, "query \(target) does not wait or run in an automatic queue")
            }
            return .text("Succeeded to change query priority. Priority of query \(query) is set to \(shown)")
        case .changeSessionPriority:
            guard let session = Int(target), snapshot.sessions.user(of: session) != nil else {
                throw SQLError(.undefinedObject, "session \(target) does not exist")
            }
            snapshot.workload.change(session: session, priority)
            return .text("Succeeded to change session priority. Priority of session \(session) is set to \(shown)")
        default:
            guard let user = snapshot.accounts.user(named: target) else {
                throw SQLError(.undefinedObject, "user \"\(target)\" does not exist")
            }
            guard priority != .critical else {
                throw SQLError(.invalidParameterValue, "users cannot have the priority CRITICAL")
            }
            snapshot.workload.change(user: user.id, priority)
            return .text("Succeeded to change user priority. Priority of user \(target) is set to \(shown)")
        }
    }
}
