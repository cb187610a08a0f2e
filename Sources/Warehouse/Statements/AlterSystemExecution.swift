import Binder
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes
import Workload

/// ALTER SYSTEM SET: a parameter of the whole warehouse. What changes while statements run does so at once; of the rest
/// the client is told that it waits for a restart.
extension AlterSystemStatement: StatementProgram {
    var kind: StatementKind { StatementKind("ALTER SYSTEM", .outside("ALTER SYSTEM")) }
    var effects: StatementEffects { .session }
    func check(_ rights: StatementRights) throws { throw rights.notSuperuser("execute ALTER SYSTEM command") }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        if ["data_catalog_auto_mount", "metadata_security"].contains(name.lowercased()) {
            throw RefusedStatement.error("ALTER SYSTEM SET \(name.lowercased())", at: position)
        }
        guard let parameter = SystemParameter(name: name) else {
            throw SQLError(
                .undefinedObject, "unrecognized configuration parameter \"\(name)\"",
                hint: "Of the warehouse are \(SystemParameter.allCases.map(\.rawValue).joined(separator: ", ")).",
                at: position)
        }
        let warehouse = execution.warehouse
        switch parameter {
        case .workload: try setWorkload(warehouse, execution)
        case .scalingClusters:
            let clusters = try SessionSettings.whole(
                value ?? parameter.initial, 0...SystemParameter.mostScalingClusters, parameter.rawValue)
            try warehouse.systemSettings.set(parameter, value.map { _ in String(clusters) }) {
                warehouse.applyScalingClusters()
            }
        case .usageLimits:
            let limits = try UsageLimit.list(value ?? parameter.initial)
            try warehouse.systemSettings.set(parameter, value) {
                let now = warehouse.time.wallMicroseconds()
                let isChanged =
                    warehouse.scalingUsage.change(limits, at: now, session: execution.session.number) != nil
                if isChanged { warehouse.applyScalingClusters() }
            }
        }
        try execution.handler.end(tag: kind.name)
    }

    private func setWorkload(_ warehouse: Warehouse, _ execution: StatementExecution) throws {
        let text = value ?? WorkloadConfiguration.standardText
        let wanted = try SystemSettings.configuration(text)
        var waiting: [String] = []
        try warehouse.systemSettings.set(.workload, value) {
            let change = ConfigurationChange(from: warehouse.workload.configuration, to: wanted)
            warehouse.workload.configure(change.dynamic)
            waiting = change.staticChanges
        }
        for sentence in waiting {
            execution.handler.notice("WARNING:  after the next start: \(sentence)")
        }
    }
}
