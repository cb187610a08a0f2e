import Catalog
import VectorEngine
import Warehouse

/// The circumstances in which scripts run; results must not depend on them.
package struct TestWorld: Sendable {
    package var nodes = 1
    package var slices = 2
    package var workers: Int?
    package var batchRows: Int?
    package var memoryBytes: Int?
    /// Close and open the warehouse after every statement.
    package var restartsAlways = false
    package var disabledPasses: [String] = []
    /// Special ways of the engine that are switched off.
    package var disabledWays: [String] = []
    /// Every step's vectors are checked, and what stands behind NULL is overwritten.
    package var verifiesVectors = false
    /// Every operator that can goes to the temporary area from the first row.
    package var spillsAlways = false
    package init() {}

    /// All that `redbarn_disable` knows.
    package static var specialWays: [String] { SpecialWay.allCases.map(\.rawValue) }

    func holds(_ condition: ScriptCondition) -> Bool {
        let parts = condition.word.split(separator: "=", maxSplits: 1).map(String.init)
        let result: Bool
        switch parts[0] {
        case "redbarn": result = true
        case "restart": result = restartsAlways
        case "slices": result = parts.count == 2 && Int(parts[1]) == slices
        case "nodes": result = parts.count == 2 && Int(parts[1]) == nodes
        case "plans": result = disabledPasses.isEmpty && disabledWays.isEmpty && !spillsAlways
        case "results":
            result = disabledWays.isEmpty && !spillsAlways && !verifiesVectors && batchRows == nil
        case "passes": result = disabledPasses.isEmpty
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
        if !disabledWays.isEmpty {
            statements.append("set redbarn_disable to '\(disabledWays.joined(separator: ","))'")
        }
        if verifiesVectors { statements.append("set redbarn_verify_vectors to on") }
        if spillsAlways { statements.append("set redbarn_spill_always to on") }
        return statements
    }
}
