import Catalog
import SQLTypes

/// EXPLAIN in Redshift's form: one row of text per line.
package enum ExplainText {
    /// - Parameters:
    ///   - verbose: adds the columns of each step.
    ///   - actuals: figures of a run, for EXPLAIN ANALYZE.
    ///   - isChange: the rows go into a table or out of it.
    ///   - hasStatistics: whether a table has been analyzed; those that have not are named at the end.
    package static func render(
        _ query: PhysicalQuery, verbose: Bool, actuals: ExplainActuals?, isChange: Bool = false,
        hasStatistics: (ObjectID) -> Bool = { _ in true }
    ) -> [String] {
        var renderer = ExplainRenderer(query, verbose: verbose, actuals: actuals, isChange: isChange)
        renderer.render(query.plan)
        renderer.appendNotes(hasStatistics)
        return renderer.lines
    }
}

/// Walks the plan once for names and once for text.
struct ExplainRenderer {
    /// A line with costs, and whose child it is.
    struct Node {
        var line: Int
        /// Index in ``nodes``.
        var parent: Int?
        var step: Int
        var role: ExplainNode.Role
    }
    /// What the next line shows besides its own conditions: those of subqueries of one row, and their plans.
    struct Pending {
        var conjuncts: [BoundExpression] = []
        var initPlans: [PhysicalPlan] = []
        var isEmpty: Bool { conjuncts.isEmpty && initPlans.isEmpty }
    }
    /// Where a line stands: its indentation in pairs of blanks, and the node above it.
    struct Place {
        var indent = 0
        var parent: Int?
        /// Of a node's child, and of a subquery's plan that stands under a line of its own.
        static let childIndent = 3, initPlanIndent = 4
    }

    private(set) var lines: [String] = []
    private(set) var nodes: [Node] = []
    let verbose: Bool
    let names: ExplainNames
    let places: NamedSubqueryPlaces
    /// Catalogs and constants only: no work of the slices, which XN marks.
    let isOfLeader: Bool
    let query: PhysicalQuery
    var pending = Pending()
    /// Of common table expressions, until their first use shows them.
    var definitions: [Int: PhysicalPlan] = [:]
    var workTables: [Int: String] = [:]
    var hasNestedLoop = false
    private let actuals: ExplainActuals?

    /// - Parameter isChange: of a table, whose rows are the slices' work wherever they come from.
    init(_ query: PhysicalQuery, verbose: Bool, actuals: ExplainActuals?, isChange: Bool) {
        self.verbose = verbose
        self.actuals = actuals
        self.query = query
        names = ExplainNames(query)
        places = NamedSubqueryPlaces(query.plan, query.namedSubqueries)
        isOfLeader = !isChange && query.isOfLeader
    }

    // MARK: Notes

    mutating func appendNotes(_ hasStatistics: (ObjectID) -> Bool) {
        var missing: [String] = []
        query.plan.forEachTable { table in
            if !hasStatistics(table.id) && !missing.contains(table.name) { missing.append(table.name) }
        }
        if !missing.isEmpty {
            lines.append("----- Tables missing statistics: \(missing.joined(separator: ", ")) -----")
            lines.append("----- Update statistics by running the ANALYZE command on these tables -----")
        }
        if hasNestedLoop {
            lines.append(
                "----- Nested Loop Join in the query plan - review the join predicates to avoid Cartesian "
                    + "products -----")
        }
        if let actuals {
            lines.append("Total runtime: \(Self.milliseconds(actuals.totalMicroseconds)) ms")
        }
    }

    // MARK: Lines

    /// `String(repeating:count:)` appends one by one.
    private static func blanks(_ count: Int) -> String {
        String(decoding: [UInt8](repeating: 32, count: max(0, min(count, widestIndentation))), as: UTF8.self)
    }
    /// Plans of thousands of levels would be megabytes of blanks.
    private static let widestIndentation = 1_200

    /// A line with costs.
    ///
    /// - Parameters:
    ///   - plan: whose estimates it shows.
    ///   - step: of a line that the plan has no step for, the one that does its work.
    /// - Returns: where the node's children stand.
    mutating func line(
        _ place: Place, _ title: String, _ plan: PhysicalPlan, step: Int? = nil, role: ExplainNode.Role = .step
    ) -> Place {
        let estimate = plan.estimate
        let prefix = place.indent == 0 ? "" : Self.blanks(place.indent * 2 - 4) + "->  "
        let startup = role == .hash ? estimate.totalCost : estimate.startupCost
        var text = "\(prefix)\(isOfLeader ? "" : "XN ")\(title)  (cost=\(Self.decimal(startup))"
        text += "..\(Self.decimal(estimate.totalCost))"
        text += " rows=\(Self.whole(estimate.rows)) width=\(Self.whole(estimate.width)))"
        if role == .step, let step = actuals?.steps[plan.step] { text += Self.actual(step) }
        nodes.append(Node(line: lines.count, parent: place.parent, step: step ?? plan.step, role: role))
        lines.append(text)
        return Place(indent: place.indent + Place.childIndent, parent: nodes.count - 1)
    }

    /// A line below a node's own.
    mutating func detail(_ children: Place, _ text: String) {
        lines.append(Self.blanks((children.indent - Place.childIndent) * 2 + 2) + text)
    }

    private static func actual(_ step: ExplainActuals.Step) -> String {
        var text = " (actual time=\(milliseconds(step.timeMicroseconds)) ms rows=\(step.rows)"
        if step.movedBytes > 0 { text += " moved=\(step.movedBytes) bytes" }
        if !step.sliceRows.isEmpty { text += " slices=" + step.sliceRows.map(String.init).joined(separator: "/") }
        return text + ")"
    }

    /// Estimates of absurd joins may overflow; they are shown as the largest figure.
    private static func bounded(_ value: Double) -> Int64 {
        value.isNaN ? Int64.max : Int64(max(0, min(value, 9e18)).rounded())
    }

    static func whole(_ value: Double) -> String { String(bounded(value)) }

    static func decimal(_ value: Double) -> String {
        let cents = bounded(value * 100)
        let rest = cents % 100
        return "\(cents / 100).\(rest < 10 ? "0" : "")\(rest)"
    }

    private static func milliseconds(_ microseconds: Int64) -> String {
        let rest = String(microseconds % 1000)
        return "\(microseconds / 1000)." + String(repeating: "0", count: 3 - rest.count) + rest
    }
}

extension PhysicalPlan {
    /// Rows of tables, or of what the slices keep about their work.
    var usesSlices: Bool {
        switch operation {
        case .tableScan: return true
        case .systemScan(let scan): return scan.isOfSlices
        default: return children.contains { $0.usesSlices }
        }
    }

    fileprivate func forEachTable(_ body: (TableDefinition) -> Void) {
        if case .tableScan(let scan) = operation { body(scan.table) }
        for child in children { child.forEachTable(body) }
    }
}

extension LogicalSystemScan {
    /// Logs and states of the slices; catalogs, and views of them, are the leader's.
    fileprivate var isOfSlices: Bool {
        if arguments != nil { return false }
        return ["stl_", "stv_", "svl_", "svcs_", "sys_"].contains { relation.hasPrefix($0) }
            || LogicalSystemScan.viewsOfSlices.contains(relation)
    }
    private static let viewsOfSlices: Set<String> = [
        "svv_diskusage", "svv_interleaved_columns", "svv_query_inflight", "svv_query_state", "svv_table_info",
        "svv_transactions", "svv_vacuum_progress", "svv_vacuum_summary",
    ]
}
