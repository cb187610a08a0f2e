import ColumnVectors
import QueryPlan
import SQLTypes

/// Joins: the inner side runs to its end, its facts become runtime filters for the outer side, and the outer side's
/// pipeline goes on with a probe.
extension QueryExecutor {
    func openJoin(_ plan: PhysicalPlan, _ join: PhysicalJoin, filters: [RuntimeFilter]) throws -> Pipeline {
        let site = JoinSite(plan, join)
        let routed = site.route(filters)
        let side = try repeatedSides?.find(plan.step) ?? makeSide(site, filters: routed.inner)
        if side.build.rows.count == 0 && site.needsMatch {
            return try emptyPipeline(plan)
        }
        let pipeline = try open(plan.children[0], filters: routed.outer + side.runtime.filters)
        let compiler = JoinCompiler(site: site, build: side.build, pipeline: pipeline, runtime: side.runtime)
        return try compiler.compile()
    }

    private func makeSide(_ site: JoinSite, filters: [RuntimeFilter]) throws -> RepeatedSides.Kept {
        let build = try openBuildSide(site, filters: filters)
        let runtime = try RuntimeFilterBuilder(site: site, build: build, context: context).make()
        // Filters from above know this round's rows only.
        if filters.isEmpty { repeatedSides?.keep(build, runtime, of: site) }
        return RepeatedSides.Kept(build: build, runtime: runtime)
    }

    private func openBuildSide(_ site: JoinSite, filters: [RuntimeFilter]) throws -> BuildSide {
        let pipeline = try open(site.inner, filters: filters)
        let keys = try site.join.keys.map { try pipeline.compile($0.inner) }
        if !site.keepsNullKeys {
            let nullable = zip(keys, site.join.keys).filter { $0.nullable && !$1.nullsEqual }.map(\.0)
            if !nullable.isEmpty { pipeline.emit(DropNulls(nullable)) }
        }
        var registers = keys
        var places: [ColumnID: Int] = [:]
        for id in site.neededInner {
            let register = try pipeline.value(of: id)
            if let place = registers.firstIndex(where: { $0.index == register.index }) {
                places[id] = place
            } else {
                places[id] = registers.count
                registers.append(register)
            }
        }
        let collector = RowCollector(registers, context: context)
        pipeline.emit(collector)
        try pipeline.run()
        return try BuildSide(
            rows: collector.rows(), columns: places, keys: Array(keys.indices), context: context)
    }

    /// No rows, with all columns.
    func emptyPipeline(_ plan: PhysicalPlan) throws -> Pipeline {
        let pipeline = Pipeline(
            context: context, source: RowSetSource(RowSet(columns: [], count: 0, owners: [])))
        for column in plan.outputs { pipeline.bind(column.id, .expression(.constant(.null, column.type))) }
        return pipeline
    }
}

/// What is known of a join from the plan alone.
struct JoinSite {
    let plan: PhysicalPlan
    let join: PhysicalJoin
    let outer: PhysicalPlan
    let inner: PhysicalPlan
    /// Inner columns that leave the join or stand in its residual.
    let neededInner: [ColumnID]
    /// Every key takes part in the condition on pairs: NOT IN and IN with several columns or a residual.
    let comparesPairs: Bool

    init(_ plan: PhysicalPlan, _ join: PhysicalJoin) {
        self.plan = plan
        self.join = join
        outer = plan.children[0]
        inner = plan.children[1]
        let nullAware =
            switch join.kind {
            case .mark(_, let aware): aware
            case .antiNullAware: true
            default: false
            }
        comparesPairs = nullAware && (join.keys.count != 1 || !join.residual.isEmpty)
        var wanted = Set(plan.outputs.map(\.id))
        for condition in join.residual { condition.collectColumns(into: &wanted) }
        if comparesPairs { for key in join.keys { key.inner.collectColumns(into: &wanted) } }
        neededInner = inner.outputs.map(\.id).filter { wanted.contains($0) }
    }

    var isNullAware: Bool {
        switch join.kind {
        case .mark(_, let aware): aware
        case .antiNullAware: true
        default: false
        }
    }
    /// Inner rows leave the join without a match, or count for NOT IN.
    var keepsNullKeys: Bool {
        switch join.kind {
        case .right, .full, .rightAnti: true
        default: isNullAware
        }
    }
    /// Which inner rows have matched is noted while the outer side runs.
    var tracksMatches: Bool {
        switch join.kind {
        case .right, .full, .rightSemi, .rightAnti: true
        default: false
        }
    }
    /// Without inner rows there is no result.
    var needsMatch: Bool {
        switch join.kind {
        case .inner, .semi, .right, .rightSemi, .rightAnti: true
        default: false
        }
    }
    /// Outer rows without a match are of no use.
    var dropsUnmatchedOuter: Bool { needsMatch }

    private var passesFiltersToInner: Bool {
        switch join.kind {
        case .inner, .right, .rightSemi, .rightAnti: true
        default: false
        }
    }
    private var passesFiltersToOuter: Bool {
        switch join.kind {
        case .right, .full, .rightSemi, .rightAnti: false
        default: true
        }
    }

    /// Filters from above, to the side that has the column; and to the other side where a key makes both equal.
    func route(_ filters: [RuntimeFilter]) -> (outer: [RuntimeFilter], inner: [RuntimeFilter]) {
        let outerIDs = Set(outer.outputs.map(\.id)), innerIDs = Set(inner.outputs.map(\.id))
        var toOuter: [RuntimeFilter] = []
        var toInner: [RuntimeFilter] = []
        for filter in filters {
            if outerIDs.contains(filter.column) {
                if passesFiltersToOuter { toOuter.append(filter) }
                if join.kind == .inner || join.kind == .semi,
                    let twin = equalColumn(filter.column, outerToInner: true)
                {
                    toInner.append(RuntimeFilter(column: twin, test: filter.test))
                }
            } else if innerIDs.contains(filter.column) {
                if passesFiltersToInner { toInner.append(filter) }
                if join.kind == .inner, let twin = equalColumn(filter.column, outerToInner: false) {
                    toOuter.append(RuntimeFilter(column: twin, test: filter.test))
                }
            }
        }
        return (toOuter, toInner)
    }

    private func equalColumn(_ id: ColumnID, outerToInner: Bool) -> ColumnID? {
        for key in join.keys where !key.nullsEqual {
            guard case .column(let outer, let outerType) = key.outer, case .column(let inner, let innerType) = key.inner
            else { continue }
            // Filters speak of integers: decimals of another scale would be other integers.
            if outerType.scale != innerType.scale { continue }
            if outerToInner && outer == id { return inner }
            if !outerToInner && inner == id { return outer }
        }
        return nil
    }
}
