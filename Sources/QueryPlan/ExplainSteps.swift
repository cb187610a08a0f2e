import Catalog
import SQLTypes

/// The text of each operation.
extension ExplainRenderer {
    mutating func render(_ plan: PhysicalPlan) { render(plan, Place()) }

    private mutating func render(_ plan: PhysicalPlan, _ place: Place) {
        let place = subqueryScans(plan, place)
        switch plan.operation {
        case .tableScan(let scan): leaf(place, "Seq Scan on \(scan.title)", plan, scan.conjuncts)
        case .systemScan(let scan): leaf(place, scan.title, plan)
        case .values: leaf(place, "Result", plan)
        case .filter(let conjuncts):
            pending.conjuncts += conjuncts
            render(plan.children[0], place)
        case .project: project(plan, place)
        case .join(let join): self.join(join, plan, place)
        case .aggregate(let aggregate): self.aggregate(aggregate, plan, place)
        case .window(let window): self.window(window, plan, place)
        case .unnest(let unnest): self.unnest(unnest, plan, place)
        case .sort(let items), .topN(let items, _, _): sort(items, plan, place)
        case .limit: limit(plan, place)
        case .append: branches("Append", plan, place)
        case .setOperation(let kind, let all, _, _):
            let intersects = all ? "Hash Intersect All" : "Hash Intersect Distinct"
            branches(kind == .intersect ? intersects : all ? "SetOp Except All" : "SetOp Except", plan, place)
        case .with(let id, _):
            definitions[id] = plan.children[0]
            render(plan.children[1], place)
        case .recursiveWith(let recursion):
            definitions[recursion.id] = plan
            workTables[recursion.workingID] = recursion.name
            render(plan.children[2], place)
        case .withReference(let id, let alias, _): reference(id, alias, plan, place)
        case .gather(let merge): gather(merge, plan, place)
        }
    }

    // MARK: Conditions

    private mutating func conditions(
        _ children: Place, _ label: String, _ conjuncts: [BoundExpression], _ column: @escaping (ColumnID) -> String
    ) {
        guard !conjuncts.isEmpty else { return }
        let text = ExplainExpression(column: column)
        let condition = conjuncts.count == 1 ? text.text(conjuncts[0]) : text.text(.and(conjuncts))
        detail(children, "\(label): \(condition)")
    }

    /// A node's own filter with what is pending for it, and the subqueries that this reads.
    private mutating func filter(
        _ children: Place, _ column: @escaping (ColumnID) -> String, own: [BoundExpression] = []
    ) {
        let taken = pending
        pending = Pending()
        conditions(children, "Filter", own + taken.conjuncts, column)
        if taken.initPlans.isEmpty { return }
        detail(children, "InitPlan")
        var place = children
        place.indent += Place.initPlanIndent - Place.childIndent
        for plan in taken.initPlans { render(plan, place) }
    }

    private mutating func verboseOutputs(_ plan: PhysicalPlan, _ children: Place) {
        guard verbose else { return }
        detail(children, "Output: " + plan.outputs.map { names.qualified($0.id) }.joined(separator: ", "))
    }

    /// Derived tables that begin here. A condition on one of them is theirs where the operation takes none itself.
    private mutating func subqueryScans(_ plan: PhysicalPlan, _ place: Place) -> Place {
        var aliases = places.aliases[plan.step] ?? []
        var takesConditions = true
        switch plan.operation {
        case .window, .limit, .topN, .append, .setOperation: takesConditions = false
        default: break
        }
        if !takesConditions && !pending.isEmpty && aliases.isEmpty { aliases = ["\"*SELECT*\""] }
        var place = place
        for alias in aliases {
            place = line(place, "Subquery Scan \(alias)", plan, role: .added)
            if !takesConditions { filter(place, names.bare) }
        }
        return place
    }

    // MARK: Rows

    private mutating func leaf(
        _ place: Place, _ title: String, _ plan: PhysicalPlan, _ conjuncts: [BoundExpression] = []
    ) {
        let children = line(place, title, plan)
        verboseOutputs(plan, children)
        filter(children, names.bare, own: conjuncts)
    }

    /// Projections have no line of their own, except where nothing is below.
    private mutating func project(_ plan: PhysicalPlan, _ place: Place) {
        guard let child = plan.children.first else { return leaf(place, "Result", plan) }
        render(child, place)
    }

    /// Inputs of UNION, INTERSECT and EXCEPT.
    private mutating func branches(_ title: String, _ plan: PhysicalPlan, _ place: Place) {
        let children = line(place, title, plan)
        verboseOutputs(plan, children)
        filter(children, names.qualified)
        for (index, child) in plan.children.enumerated() {
            render(child, line(children, "Subquery Scan \"*SELECT* \(index + 1)\"", child, role: .added))
        }
    }

    /// The first use of a common table expression shows how it is made; it is made once.
    private mutating func reference(_ id: Int, _ alias: String, _ plan: PhysicalPlan, _ place: Place) {
        if let name = workTables[id] { return leaf(place, "WorkTable Scan on \(name)", plan) }
        let children = line(place, "Subquery Scan \(alias)", plan)
        verboseOutputs(plan, children)
        filter(children, names.bare)
        guard let definition = definitions.removeValue(forKey: id) else { return }
        guard case .recursiveWith = definition.operation else { return render(definition, children) }
        let parts = line(children, "Recursive Union", definition)
        render(definition.children[0], parts)
        render(definition.children[1], parts)
    }

    // MARK: Joins

    private mutating func join(_ join: PhysicalJoin, _ plan: PhysicalPlan, _ place: Place) {
        if names.isInitPlan(plan) {
            pending.conjuncts += Self.keys(join) + join.residual
            pending.initPlans.append(plan.children[1])
            return render(plan.children[0], place)
        }
        if join.isOneTimeFilter { return oneTimeFilter(join, plan, place) }
        let label = isOfLeader ? "" : " \(join.label.rawValue)"
        let children = line(place, Self.title(join) + label, plan)
        let outer = names.columns(of: plan.children[0])
        let inner = names.columns(of: plan.children[1])
        let names = self.names
        let column: (ColumnID) -> String = { id in
            if outer.contains(id) { return "\"outer\".\(names.bare(id))" }
            return inner.contains(id) ? "\"inner\".\(names.bare(id))" : names.bare(id)
        }
        conditions(children, "Hash Cond", Self.keys(join), column)
        conditions(children, "Join Filter", join.residual, column)
        verboseOutputs(plan, children)
        filter(children, names.qualified)
        render(plan.children[0], children)
        guard join.method == .hash else {
            if join.method == .nestedLoop && !isOfLeader { hasNestedLoop = true }
            return render(plan.children[1], children)
        }
        let hash = line(children, "Hash", plan.children[1], step: plan.step, role: .hash)
        render(plan.children[1], hash)
    }

    /// EXISTS over a subquery that does not depend on the row.
    private mutating func oneTimeFilter(_ join: PhysicalJoin, _ plan: PhysicalPlan, _ place: Place) {
        let children = line(place, "Result", plan)
        detail(children, "One-Time Filter: " + (join.kind == .semi ? "$0" : "(NOT $0)"))
        pending.initPlans.append(plan.children[1])
        filter(children, names.qualified)
        render(plan.children[0], children)
    }

    private static func keys(_ join: PhysicalJoin) -> [BoundExpression] {
        join.keys.map { .comparison($0.nullsEqual ? .notDistinctFrom : .equal, $0.outer, $0.inner) }
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

    // MARK: Groups and windows

    private mutating func aggregate(_ aggregate: PhysicalAggregate, _ plan: PhysicalPlan, _ place: Place) {
        let title: String
        switch aggregate.method {
        case .plain: title = "Aggregate"
        case .hash: title = query.dropsDuplicates(aggregate) ? "Unique" : "HashAggregate"
        case .sorted: title = "GroupAggregate"
        }
        let children = line(place, title, plan)
        filter(children, names.qualified)
        if let sets = aggregate.groupingSets {
            let texts = sets.map { set in
                "(" + set.map { names.qualified(aggregate.groups[$0].id) }.joined(separator: ", ") + ")"
            }
            detail(children, "Grouping Sets: " + texts.joined(separator: ", "))
        }
        verboseOutputs(plan, children)
        render(plan.children[0], children)
    }

    /// The engine gathers, sorts and computes in one step; Redshift's plan has a line for each.
    private mutating func window(_ window: LogicalWindowSpecification, _ plan: PhysicalPlan, _ place: Place) {
        var children = line(place, "Window", plan)
        let text = ExplainExpression(column: names.qualified)
        if !window.partitionBy.isEmpty {
            detail(children, "Partition: " + window.partitionBy.map(text.text).joined(separator: ", "))
        }
        if !window.orderBy.isEmpty { detail(children, "Order: " + keys(window.orderBy)) }
        verboseOutputs(plan, children)
        let input = plan.children[0]
        let ordering = window.partitionBy.map(text.text) + (window.orderBy.isEmpty ? [] : [keys(window.orderBy)])
        if !ordering.isEmpty && !window.isInOrder(of: input) {
            children = line(children, "Sort", plan, role: .added)
            detail(children, "Sort Key: " + ordering.joined(separator: ", "))
        }
        if input.distribution != .leader && plan.distribution != input.distribution {
            children = line(children, "Network", input, step: plan.step, role: .added)
            detail(children, window.partitionBy.isEmpty ? "Send to slice 0" : "Distribute")
        }
        render(input, children)
    }

    private func keys(_ items: [SortItem]) -> String {
        let text = ExplainExpression(column: names.qualified)
        return items.map { ExplainExpression.unwrapped(text.text($0.expression)) }.joined(separator: ", ")
    }

    // MARK: Order and limits

    private mutating func sort(_ items: [SortItem], _ plan: PhysicalPlan, _ place: Place) {
        var place = place
        // On slices the leader's limit stands above it.
        if case .topN = plan.operation, plan.distribution == .leader {
            place = line(place, "Limit", plan, role: .added)
        }
        let children = line(place, "Sort", plan)
        detail(children, "Sort Key: " + keys(items))
        verboseOutputs(plan, children)
        filter(children, names.qualified)
        render(plan.children[0], children)
    }

    /// Slices limit their rows before the leader does; both are one line.
    private mutating func unnest(_ unnest: UnnestSpecification, _ plan: PhysicalPlan, _ place: Place) {
        let word = unnest.form == .array ? "Unnest" : "Unpivot"
        let children = line(place, unnest.keepsRows ? "\(word) Left" : word, plan)
        verboseOutputs(plan, children)
        filter(children, names.qualified)
        render(plan.children[0], children)
    }

    private mutating func limit(_ plan: PhysicalPlan, _ place: Place) {
        let children = line(place, "Limit", plan)
        verboseOutputs(plan, children)
        let child = plan.children[0]
        if case .gather(let merge) = child.operation, merge.isEmpty, let local = child.children.first,
            case .limit = local.operation, let source = local.children.first
        {
            return render(source, children)
        }
        render(child, children)
    }

    private mutating func gather(_ merge: [SortItem], _ plan: PhysicalPlan, _ place: Place) {
        let child = plan.children[0]
        guard !merge.isEmpty else { return render(child, place) }
        let network = line(place, "Merge", plan)
        detail(network, "Merge Key: " + keys(merge))
        filter(network, names.qualified)
        let children = line(network, "Network", plan)
        detail(children, "Send to leader")
        render(child, children)
    }
}

extension LogicalWindowSpecification {
    /// Another window below has brought the rows into this order.
    fileprivate func isInOrder(of input: PhysicalPlan) -> Bool {
        guard case .window(let below) = input.operation else { return false }
        return below.partitionBy == partitionBy && below.orderBy.prefix(orderBy.count).elementsEqual(orderBy)
    }
}

extension PhysicalJoin {
    fileprivate var isOneTimeFilter: Bool { (kind == .semi || kind == .anti) && keys.isEmpty && residual.isEmpty }
}

extension PhysicalTableScan {
    fileprivate var title: String { table.name + (alias == table.name ? "" : " \(alias)") }
}

extension LogicalSystemScan {
    fileprivate var title: String {
        (arguments == nil ? "Seq" : "Function") + " Scan on \(relation)" + (alias == relation ? "" : " \(alias)")
    }
}
