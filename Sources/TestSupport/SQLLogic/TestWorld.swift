import Catalog
import Warehouse

/// The circumstances in which scripts run; results must not depend on them.
public struct TestWorld: Sendable {
    public var nodes = 1
    public var slices = 2
    public var workers: Int?
    public var batchRows: Int?
    public var memoryBytes: Int?
    /// Close and open the warehouse after every statement.
    public var restartsAlways = false
    public var disabledPasses: [String] = []
    public init() {}

    func holds(_ condition: ScriptCondition) -> Bool {
        let parts = condition.word.split(separator: "=", maxSplits: 1).map(String.init)
        let result: Bool
        switch parts[0] {
        case "redbarn": result = true
        case "restart": result = restartsAlways
        case "slices": result = parts.count == 2 && Int(parts[1]) == slices
        case "nodes": result = parts.count == 2 && Int(parts[1]) == nodes
        case "plans": result = disabledPasses.isEmpty
        default: result = false
        }
        return result != condition.isNegated
    }

    var options: WarehouseOptions {
        var options = WarehouseOptions()
        options.shape = ClusterShape(nodes: nodes, slicesPerNode: max(1, slices / nodes))
        options.workers = workers
        options.memoryBytes = memoryBytes
        options.synchronize = false
        return options
    }

    /// Statements that every new session begins with.
    var preparation: [String] {
        var statements: [String] = []
        if let batchRows { statements.append("set redbarn_batch_rows to \(batchRows)") }
        if !disabledPasses.isEmpty {
            statements.append("set redbarn_disabled_passes to '\(disabledPasses.joined(separator: ","))'")
        }
        return statements
    }
}
