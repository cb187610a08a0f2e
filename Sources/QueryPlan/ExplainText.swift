import Catalog
import SQLTypes

/// EXPLAIN in Redshift's form: one row of text per line.
package enum ExplainText {
    /// - Parameters:
    ///   - verbose: adds the columns of each step.
    ///   - actuals: figures of a run, for EXPLAIN ANALYZE.
    package static func render(_ query: PhysicalQuery, verbose: Bool, actuals: ExplainActuals?) -> [String] {
        var renderer = ExplainRenderer(query.plan, verbose: verbose, actuals: actuals)
        renderer.render(query.plan, depth: 0)
        renderer.appendWarnings()
        return renderer.lines
    }
}

/// Walks the plan once for names and once for text.
struct ExplainRenderer {
    private(set) var lines: [String] = []
    /// Plan steps of the lines that show one.
    private(set) var nodeSteps: [Int: Int] = [:]
    private let verbose: Bool
    private let actuals: ExplainActuals?
    private let names: ExplainNames
    private var hasNestedLoop = false

    init(_ plan: PhysicalPlan, verbose: Bool, actuals: ExplainActuals?) {
        self.verbose = verbose
        self.actuals = actuals
        names = ExplainNames(plan)
    }

    mutating func appendWarnings() {
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
        String(decoding: [UInt8](repeating: 32, count: min(count, widestIndentation)), as: UTF8.self)
    }
    /// Plans of thousands of levels would be megabytes of blanks.
    private static let widestIndentation = 1_200

    private mutating func line(_ depth: Int, _ title: String, _ plan: PhysicalPlan) {
        let estimate = plan.estimate
        let prefix = depth == 0 ? "" : Self.blanks(depth * 6 - 4) + "->  "
        let cost = "\(Self.decimal(estimate.startupCost))..\(Self.decimal(estimate.totalCost))"
        var text = "\(prefix)XN \(title)  (cost=\(cost)"
        text += " rows=\(Self.whole(estimate.rows)) width=\(Self.whole(estimate.width)))"
        if let step = actuals?.steps[plan.step] { text += Self.actual(step) }
        nodeSteps[lines.count] = plan.step
        lines.append(text)
    }

    private mutating func detail(_ depth: Int, _ text: String) {
        lines.append(Self.blanks(depth == 0 ? 2 : depth * 6 + 2) + text)
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

    // MARK: Steps

    mutating func render(_ plan: PhysicalPlan, depth: Int) {
        switch plan.operation {
        case .tableScan(let scan):
            let table = scan.table.name
            line(depth, "Seq Scan on \(table)" + (scan.alias == table ? "" : " \(scan.alias)"), plan)
            verboseOutputs(plan, depth)
            details(depth, "Filter", scan.conjuncts, names.bare)
        case .systemScan(let scan):
            let kind = scan.arguments == nil ? "Seq" : "Function"
            line(
                depth, "\(kind) Scan on \(scan.relation)" + (scan.alias == scan.relation ? "" : " \(scan.alias)"), plan)
        case .values: line(depth, "Result", plan)
        case .filter(let conjuncts): filter(conjuncts, plan, depth)
        case .project: project(plan, depth)
        case .join(let join): self.join(join, plan, depth)
        case .aggregate(let aggregate): self.aggregate(aggregate, plan, depth, having: [])
        case .window(let window): self.window(window, plan, depth)
        case .sort(let items), .topN(let items, _, _): sort(items, plan, depth)
        case .limit: limit(plan, depth)
        case .append: unary("Append", plan, depth)
        case .setOperation(let kind, let all, _, _):
            unary((kind == .intersect ? "Hash Intersect" : "Hash Except") + (all ? " All" : ""), plan, depth)
        case .with(_, let name): with(name, plan, depth)
        case .recursiveWith(let recursion): recursive(recursion, plan, depth)
        case .withReference(_, let alias, _): line(depth, "CTE Scan on \(alias)", plan)
        case .gather(let merge): gather(merge, plan, depth)
        }
    }

    private mutating func children(_ plan: PhysicalPlan, _ depth: Int) {
        verboseOutputs(plan, depth)
        for child in plan.children { render(child, depth: depth + 1) }
    }

    private mutating func verboseOutputs(_ plan: PhysicalPlan, _ depth: Int) {
        guard verbose else { return }
        detail(depth, "Output: " + plan.outputs.map { names.qualified($0.id) }.joined(separator: ", "))
    }

    private mutating func unary(_ title: String, _ plan: PhysicalPlan, _ depth: Int) {
        line(depth, title, plan)
        children(plan, depth)
    }

    private mutating func details(
        _ depth: Int, _ label: String, _ conjuncts: [BoundExpression], _ column: @escaping (ColumnID) -> String
    ) {
        guard !conjuncts.isEmpty else { return }
        let text = ExplainExpression(column: column)
        let condition = conjuncts.count == 1 ? text.text(conjuncts[0]) : text.text(.and(conjuncts))
        detail(depth, "\(label): \(condition)")
    }

    /// A filter above a grouping is its HAVING.
    private mutating func filter(_ conjuncts: [BoundExpression], _ plan: PhysicalPlan, _ depth: Int) {
        if let child = plan.children.first, case .aggregate(let aggregate) = child.operation {
            self.aggregate(aggregate, child, depth, having: conjuncts)
            return
        }
        line(depth, "Subquery Scan", plan)
        details(depth, "Filter", conjuncts, names.bare)
        children(plan, depth)
    }

    /// Projections have no line of their own, except where nothing is below.
    private mutating func project(_ plan: PhysicalPlan, _ depth: Int) {
        guard let child = plan.children.first else { return line(depth, "Result", plan) }
        if verbose { detail(depth, "Project: " + plan.outputs.map { names.qualified($0.id) }.joined(separator: ", ")) }
        render(child, depth: depth)
    }

    private mutating func join(_ join: PhysicalJoin, _ plan: PhysicalPlan, _ depth: Int) {
        line(depth, "\(Self.title(join)) \(join.label.rawValue)", plan)
        let outer = names.columns(of: plan.children[0])
        let inner = names.columns(of: plan.children[1])
        let names = self.names
        let column: (ColumnID) -> String = { id in
            if outer.contains(id) { return "\"outer\".\(names.bare(id))" }
            return inner.contains(id) ? "\"inner\".\(names.bare(id))" : names.bare(id)
        }
        let keys = join.keys.map { key in
            BoundExpression.comparison(key.nullsEqual ? .notDistinctFrom : .equal, key.outer, key.inner)
        }
        details(depth, "Hash Cond", keys, column)
        details(depth, "Join Filter", join.residual, column)
        verboseOutputs(plan, depth)
        render(plan.children[0], depth: depth + 1)
        guard join.method == .hash else {
            if join.method == .nestedLoop { hasNestedLoop = true }
            return render(plan.children[1], depth: depth + 1)
        }
        let built = plan.children[1].estimate
        nodeSteps[lines.count] = plan.step
        lines.append(
            Self.blanks(depth * 6 + 2)
                + "->  XN Hash  (cost=\(Self.decimal(built.totalCost))..\(Self.decimal(built.totalCost))"
                + " rows=\(Self.whole(built.rows)) width=\(Self.whole(built.width)))")
        render(plan.children[1], depth: depth + 2)
    }

    private static func title(_ join: PhysicalJoin) -> String {
        let method = join.method == .hash ? "Hash" : "Nested Loop"
        switch join.kind {
        case .inner: return join.method == .hash ? "Hash Join" : "Nested Loop"
        case .left, .single: return "\(method) Left Join"
        case .right: return "\(method) Right Join"
        case .full: return "\(method) Full Join"
        case .semi: return "\(method) IN Join"
        case .anti, .antiNullAware: return "\(method) NOT IN Join"
        case .rightSemi: return "\(method) Right IN Join"
        case .rightAnti: return "\(method) Right NOT IN Join"
        case .mark: return "\(method) Mark Join"
        }
    }

    private mutating func aggregate(
        _ aggregate: PhysicalAggregate, _ plan: PhysicalPlan, _ depth: Int, having: [BoundExpression]
    ) {
        let title: String
        switch aggregate.method {
        case .plain: title = "Aggregate"
        case .hash: title = aggregate.aggregates.isEmpty && aggregate.groupingSets == nil ? "Unique" : "HashAggregate"
        case .sorted: title = "GroupAggregate"
        }
        line(depth, title, plan)
        details(depth, "Filter", having, names.qualified)
        if let sets = aggregate.groupingSets {
            let texts = sets.map { set in
                "(" + set.map { names.qualified(aggregate.groups[$0].id) }.joined(separator: ", ") + ")"
            }
            detail(depth, "Grouping Sets: " + texts.joined(separator: ", "))
        }
        children(plan, depth)
    }

    private mutating func window(_ window: LogicalWindowSpecification, _ plan: PhysicalPlan, _ depth: Int) {
        line(depth, "Window", plan)
        let text = ExplainExpression(column: names.qualified)
        if !window.partitionBy.isEmpty {
            detail(depth, "Partition: " + window.partitionBy.map(text.text).joined(separator: ", "))
        }
        if !window.orderBy.isEmpty { detail(depth, "Order: " + keys(window.orderBy)) }
        children(plan, depth)
    }

    private func keys(_ items: [SortItem]) -> String {
        let text = ExplainExpression(column: names.qualified)
        return items.map { ExplainExpression.unwrapped(text.text($0.expression)) }.joined(separator: ", ")
    }

    private mutating func sort(_ items: [SortItem], _ plan: PhysicalPlan, _ depth: Int) {
        line(depth, "Sort", plan)
        detail(depth, "Sort Key: " + keys(items))
        children(plan, depth)
    }

    /// Slices limit their rows before the leader does; both are one line.
    private mutating func limit(_ plan: PhysicalPlan, _ depth: Int) {
        line(depth, "Limit", plan)
        verboseOutputs(plan, depth)
        guard let child = plan.children.first else { return }
        if case .gather(let merge) = child.operation, merge.isEmpty, let local = child.children.first,
            case .limit = local.operation, let source = local.children.first
        {
            return render(source, depth: depth + 1)
        }
        render(child, depth: depth + 1)
    }

    private mutating func with(_ name: String, _ plan: PhysicalPlan, _ depth: Int) {
        render(plan.children[1], depth: depth)
        let indent = Self.blanks(depth * 6 + 2)
        lines.append("\(indent)CTE \(name)")
        render(plan.children[0], depth: depth + 1)
    }

    private mutating func recursive(_ recursion: PhysicalRecursion, _ plan: PhysicalPlan, _ depth: Int) {
        render(plan.children[2], depth: depth)
        lines.append("\(Self.blanks(depth * 6 + 2))Recursive CTE \(recursion.name)")
        render(plan.children[0], depth: depth + 1)
        render(plan.children[1], depth: depth + 1)
    }

    private mutating func gather(_ merge: [SortItem], _ plan: PhysicalPlan, _ depth: Int) {
        guard let child = plan.children.first else { return }
        guard !merge.isEmpty else { return render(child, depth: depth) }
        line(depth, "Merge", plan)
        detail(depth, "Merge Key: " + keys(merge))
        line(depth + 1, "Network", plan)
        detail(depth + 1, "Send to leader")
        render(child, depth: depth + 2)
    }
}
