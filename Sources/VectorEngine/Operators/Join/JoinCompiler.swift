import ColumnVectors
import QueryPlan
import SQLTypes

/// Adds the probe of a finished build side to the outer side's pipeline.
struct JoinCompiler {
    let site: JoinSite
    let build: BuildSide
    let pipeline: Pipeline
    let runtime: RuntimeFilterBuilder.Result
    private var join: PhysicalJoin { site.join }
    private var context: ExecutionContext { pipeline.context }
    private var isExactlyFiltered: Bool { runtime.exact?.applied ?? false }

    init(site: JoinSite, build: BuildSide, pipeline: Pipeline, runtime: RuntimeFilterBuilder.Result) {
        self.site = site
        self.build = build
        self.pipeline = pipeline
        self.runtime = runtime
    }

    func compile() throws -> Pipeline {
        if let result = try compileConstants() { return result }
        let matched = try site.tracksMatches ? build.trackMatches() : nil
        if join.keys.isEmpty || site.comparesPairs {
            try compilePairs(index: nil, keys: [], matched)
        } else if join.residual.isEmpty, try compileExistence() {
            return pipeline
        } else {
            let keys = try join.keys.map { try pipeline.compile($0.outer) }
            let index = try makeIndex(keys)
            if join.residual.isEmpty || index.isUnique && filtersPairs {
                try compileEqualities(index, keys, matched)
            } else {
                try compilePairs(index: index, keys: keys, matched)
            }
        }
        return try finish()
    }

    /// A residual is an ordinary filter.
    private var filtersPairs: Bool { join.kind == .inner }

    private func makeIndex(_ keys: [Register]) throws -> JoinIndex {
        let builder = JoinIndexBuilder(
            context: context, owner: build.rows, rowCount: build.rows.count,
            columns: build.keys.map { build.rows.columns[$0] },
            bounds: build.bounds, probeKeys: keys, nullsEqual: join.keys.map(\.nullsEqual),
            needsMatches: !asksForExistence)
        return try build.index(builder)
    }

    /// Whether there is a match is all that counts, not which.
    private var asksForExistence: Bool {
        guard join.residual.isEmpty else { return false }
        switch join.kind {
        case .semi, .anti, .antiNullAware, .mark: return true
        default: return false
        }
    }

    // MARK: One inner row

    /// Joins without a condition on at most one inner row: its values are constants.
    private func compileConstants() throws -> Pipeline? {
        guard join.keys.isEmpty, join.residual.isEmpty else { return nil }
        switch join.kind {
        case .single:
            if build.rows.count > 1 { throw severalRows() }
        case .inner, .left:
            if build.rows.count > 1 || (join.kind == .inner && build.rows.count == 0) { return nil }
        default: return nil
        }
        build.bindConstants(site.neededInner, in: pipeline)
        return pipeline
    }

    // MARK: Existence

    /// Semi and anti joins by one integer key: the exact bitmap answers, in the scan or here.
    private func compileExistence() throws -> Bool {
        guard join.keys.count == 1, !join.keys[0].nullsEqual else { return false }
        let mode: JoinProbe.Mode
        switch join.kind {
        case .semi: mode = .semi
        case .anti: mode = .anti
        default: return false
        }
        if isExactlyFiltered { return true }
        if build.rows.count == 0 { return mode == .anti }
        let key = try pipeline.compile(join.keys[0].outer)
        guard let bitmap = runtime.bitmap, key.isInteger, key.physical != .int128 else { return false }
        let index = JoinIndex(
            JoinIndexBuilder.Parts(
                form: .bitmap(bitmap), rowCount: build.rows.count, table: TableMemory(context),
                wideRows: TableMemory(context)),
            owner: build.rows, probeKeys: [key], context: context)
        emitProbe(mode, index, [key])
        return true
    }

    // MARK: Keys only

    @discardableResult
    private func emitProbe(
        _ mode: JoinProbe.Mode, _ index: JoinIndex, _ keys: [Register], output: Register? = nil,
        matched: UnsafeMutablePointer<UInt8>? = nil
    ) -> Register {
        let last = Int128(max(build.rows.count - 1, 0))
        let register =
            output
            ?? pipeline.makeRegister(
                .integer, .int32, lower: 0, upper: last, nullable: mode == .left)
        pipeline.emit(
            JoinProbe(
                mode, index, keys: keys, output: register, context: context,
                unmatchedIsNull: site.isNullAware && build.hasNullKeys,
                nullIsUnknown: site.isNullAware && build.rows.count > 0, matched: matched))
        return register
    }

    private func compileEqualities(
        _ index: JoinIndex, _ keys: [Register], _ matched: UnsafeMutablePointer<UInt8>?
    ) throws {
        switch join.kind {
        case .semi: emitProbe(.semi, index, keys)
        case .anti: emitProbe(.anti, index, keys)
        case .antiNullAware: emitProbe(.antiNullAware, index, keys)
        case .rightSemi, .rightAnti: emitProbe(.flagOnly, index, keys, matched: matched)
        case .mark(let column, _):
            let mark = pipeline.makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: site.isNullAware)
            emitProbe(.mark, index, keys, output: mark)
            pipeline.bind(column, mark)
        case .inner, .right, .left, .full, .single:
            if !index.isUnique { return try compilePairs(index: index, keys: keys, matched) }
            let keepsAll = join.kind != .inner && join.kind != .right
            let row = emitProbe(keepsAll ? .left : .inner, index, keys, matched: matched)
            build.bind(site.neededInner, in: pipeline, row: row, nullable: keepsAll)
            for condition in join.residual { try pipeline.filter(condition) }
        }
    }

    // MARK: Pairs

    private struct PairPlan {
        var kept = PairExpander.Kept.none
        var passesPairs = true
    }
    private var pairPlan: PairPlan {
        switch join.kind {
        case .inner, .right: PairPlan()
        case .left, .full, .single: PairPlan(kept: .unmatched)
        case .semi: PairPlan(kept: .matched, passesPairs: false)
        case .anti: PairPlan(kept: .unmatched, passesPairs: false)
        case .mark, .antiNullAware: PairPlan(kept: .all, passesPairs: false)
        case .rightSemi, .rightAnti: PairPlan(passesPairs: false)
        }
    }

    private func compilePairs(index: JoinIndex?, keys: [Register], _ matched: UnsafeMutablePointer<UInt8>?) throws {
        let plan = pairPlan
        // Without a condition on pairs unmatched rows are known at once, and nothing needs to be noted but for the
        // flags.
        let padsAtOnce =
            plan.kept == .unmatched && plan.passesPairs && join.residual.isEmpty && join.kind != .single
            && matched == nil
        let carry = pipeline.beginEpoch()
        let last = Int128(max(build.rows.count - 1, 0))
        let capacity = Int128(context.batchRows)
        let registers = PairExpander.Registers(
            probeRow: pipeline.makeRegister(.integer, .uint16, lower: 0, upper: capacity, nullable: false),
            buildRow: pipeline.makeRegister(
                .integer, .int32, lower: 0, upper: last, nullable: plan.kept != .none),
            isPair: pipeline.makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: false))
        let expander = PairExpander(
            neverPairs ? nil : index, buildRows: neverPairs ? 0 : build.rows.count, keys: neverPairs ? [] : keys,
            registers: registers, kept: padsAtOnce ? .none : plan.kept, padsAtOnce: padsAtOnce, carry: carry,
            context: context)
        pipeline.emit(expander)
        raiseRowBound()
        build.bind(site.neededInner, in: pipeline, row: registers.buildRow, nullable: plan.kept != .none)
        if join.kind == .inner {
            for condition in join.residual { try pipeline.filter(condition) }
            return
        }
        if padsAtOnce { return }
        try emitGate(expander, registers, plan, matched)
    }

    /// The condition holds for no pair: none is made, however many rows there are.
    private var neverPairs: Bool {
        if site.isNullAware { return false }
        return join.residual.contains { condition in
            guard case .constant(let value, _) = condition else { return false }
            return value.isNull || value == .boolean(false)
        }
    }

    private func emitGate(
        _ expander: PairExpander, _ registers: PairExpander.Registers, _ plan: PairPlan,
        _ matched: UnsafeMutablePointer<UInt8>?
    ) throws {
        let conditions = try compileConditions(registers)
        var mark: Register?
        switch join.kind {
        case .mark, .antiNullAware:
            mark = pipeline.makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: site.isNullAware)
        default: break
        }
        pipeline.emit(
            PairGate(
                expander, registers, conditions: conditions, passesPairs: plan.passesPairs,
                allowsOneMatch: join.kind == .single, matched: matched, mark: mark,
                nullAware: site.isNullAware && !conditions.isEmpty))
        guard let mark else { return }
        if case .mark(let column, _) = join.kind {
            pipeline.bind(column, mark)
        } else {
            pipeline.emit(UnknownFilter(mark))
        }
    }

    /// The residual as booleans; rows that are no pairs are not looked at by steps that can fail.
    private func compileConditions(_ registers: PairExpander.Registers) throws -> [Register] {
        var conditions = join.residual
        if site.comparesPairs {
            conditions += join.keys.map { key in
                .comparison(key.nullsEqual ? .notDistinctFrom : .equal, key.outer, key.inner)
            }
        }
        if conditions.isEmpty { return [] }
        let outside = pipeline.guardRegister
        pipeline.guardRegister = registers.isPair.index
        defer { pipeline.guardRegister = outside }
        if site.isNullAware { return [try pipeline.compile(conditions.count == 1 ? conditions[0] : .and(conditions))] }
        return try conditions.map { try pipeline.compile($0) }
    }

    private func raiseRowBound() {
        let (product, overflow) = pipeline.rowBound.multipliedReportingOverflow(by: max(build.rows.count, 1))
        let (sum, overflowed) = product.addingReportingOverflow(pipeline.rowBound)
        pipeline.rowBound = overflow || overflowed ? Int.max : sum
    }

    // MARK: Inner rows after the probe

    private func finish() throws -> Pipeline {
        switch join.kind {
        case .rightSemi, .rightAnti:
            try pipeline.run()
            return flagged(join.kind == .rightSemi ? 1 : 0)
        case .right, .full: return try appendUnmatched()
        default: return pipeline
        }
    }

    /// The build rows whose flag has a value.
    private func flagged(_ wanted: UInt8) -> Pipeline {
        let source = RowSetSource(build.rows)
        let result = Pipeline(context: context, source: source)
        for id in site.neededInner {
            guard let place = build.columns[id] else { continue }
            let column = build.rows.columns[place]
            result.bind(
                id,
                .fetch { pipeline in
                    let register = pipeline.makeRegister(like: column.form, nullable: column.hasNulls)
                    pipeline.emit(RowSetFetch(column, register))
                    return register
                })
        }
        if let flags = build.matched { result.emit(FlagFilter(flags, wanted: wanted)) }
        return result
    }

    /// Right and full joins: the probe's rows, then the inner rows without a match.
    private func appendUnmatched() throws -> Pipeline {
        let outputs = site.plan.outputs
        let forms = try outputs.map { try pipeline.value(of: $0.id) }
        let collector = RowCollector(forms, context: context)
        pipeline.emit(collector)
        try pipeline.run()
        let probed = try collector.rows()
        let rest = flagged(0)
        let innerIDs = outputs.map(\.id).filter { build.columns[$0] != nil }
        let restCollector = RowCollector(try innerIDs.map { try rest.value(of: $0) }, context: context)
        rest.emit(restCollector)
        try rest.run()
        let unmatched = try restCollector.rows()
        let count = innerIDs.isEmpty ? restCollector.rowCount : unmatched.count
        let rows = try joinRows(probed, unmatched, count, innerIDs, forms)
        let source = RowSetSource(rows)
        let result = Pipeline(context: context, source: source)
        source.bind(outputs.map(\.id), in: result)
        return result
    }

    private func joinRows(
        _ probed: RowSet, _ unmatched: RowSet, _ count: Int, _ innerIDs: [ColumnID], _ forms: [Register]
    ) throws -> RowSet {
        var columns: [RowSet.Column] = []
        let reservation = Reservation(context)
        var owners: [AnyObject] = [reservation]
        for (index, output) in site.plan.outputs.enumerated() {
            let buffer = ColumnBuffer(forms[index].physical)
            try reservation.raise(by: (probed.count + count) * (forms[index].physical.byteWidth + 1))
            try append(probed.columns[index], probed.count, to: buffer)
            if let place = innerIDs.firstIndex(of: output.id) {
                try append(unmatched.columns[place], count, to: buffer)
            } else if count > 0 {
                try buffer.append(.null, repeated: count)
            }
            columns.append(RowSet.Column(form: forms[index], values: buffer.values, validity: buffer.validity))
            owners.append(buffer)
        }
        return RowSet(columns: columns, count: probed.count + count, owners: owners)
    }

    private func append(_ column: RowSet.Column, _ rows: Int, to buffer: ColumnBuffer) throws {
        let width = column.form.physical.byteWidth
        var done = 0
        while done < rows {
            let step = min(rows - done, 1 << 20)
            try buffer.append(
                values: UnsafeRawPointer(column.values + done * width), as: column.form.physical,
                validity: column.validity.map { UnsafePointer($0 + done) }, selection: nil, count: step)
            done += step
        }
    }
}
