import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

/// A pipeline under construction and then in execution: a source, a list of steps over one register file, the last of
/// them a sink. There is no other operator: expressions, filters, probes and builds are all steps, so late fetch,
/// sharing of common subexpressions and liveness work across operator borders.
///
/// Pipelines are compiled bottom-up while the query runs: when a probe is compiled its build side is finished, so
/// bounds, counts and key sets are exact. Confined to the query's thread until ``run()``.
final class Pipeline {
    let context: ExecutionContext
    let source: PipelineSource
    private(set) var registers: [Register] = []
    private(set) var steps: [Step] = []
    private var bindings: [ColumnID: Binding] = [:]
    private var memo: [MemoKey: Int] = [:]
    /// Epoch in which a register was written; an expanding step starts a new one.
    private var epochs: [Int] = []
    private var carries: [CarrySet] = []
    /// While a CASE branch is compiled: the rows that take it. Steps that can raise errors look at no other rows.
    var guardRegister: Int?
    /// Bound of the rows that leave the source; steps that multiply rows raise it.
    var rowBound: Int

    /// How a column becomes a register.
    enum Binding {
        /// Computed on first use.
        case expression(BoundExpression)
        /// Already there.
        case register(Int)
        /// Fetched on first use (a scan's column, a build side's payload).
        case fetch((Pipeline) throws -> Register)
    }
    /// Expressions over one small domain are tabulated; off while such a table is made.
    var evaluatesDomains = true
    /// Of a ``RowExpression``: where `$1`, `$2`, ... are.
    var parameters: [Register] = []
    /// Conversions already emitted, by source register and target form.
    var conversions: [Conversion: Int] = [:]
    struct Conversion: Hashable {
        var register: Int
        var to: PhysicalType
    }
    private struct MemoKey: Hashable {
        var expression: BoundExpression
        var guardRegister: Int?
    }

    init(context: ExecutionContext, source: PipelineSource) {
        self.context = context
        self.source = source
        rowBound = source.rowCount
        evaluatesDomains = context.takes(.domainEvaluation)
    }

    // MARK: Registers

    func makeRegister(
        _ type: SQLType, _ physical: PhysicalType, lower: Int128? = nil, upper: Int128? = nil,
        nullable: Bool,
        dictionary: TextDictionary? = nil, trailingBlanks: Bool = true, constant: Datum? = nil
    ) -> Register {
        let bounds = physical.bounds
        let register = Register(
            index: registers.count, physical: physical, type: type, lower: lower ?? bounds.lower,
            upper: upper ?? bounds.upper, nullable: nullable, dictionary: dictionary,
            trailingBlanks: trailingBlanks,
            constant: constant)
        registers.append(register)
        epochs.append(carries.count)
        return register
    }

    /// A register like another, for a copy of its values.
    func makeRegister(like other: Register, nullable: Bool? = nil) -> Register {
        makeRegister(
            other.type, other.physical, lower: other.lower, upper: other.upper,
            nullable: nullable ?? other.nullable,
            dictionary: other.dictionary, trailingBlanks: other.trailingBlanks)
    }

    func emit(_ step: Step) { steps.append(step) }

    /// The register's value in the present epoch: behind an expanding step it is a copy for the expanded rows.
    func use(_ index: Int) -> Register {
        var current = index
        if registers[index].isConstant { return registers[index] }
        while epochs[current] < carries.count {
            current = carries[epochs[current]].carry(current, self)
        }
        return registers[current]
    }
    /// Used by ``CarrySet`` only: a register of a given epoch.
    fileprivate func makeCarried(_ original: Int, epoch: Int) -> Int {
        let copy = makeRegister(
            like: registers[original], nullable: carries[epoch - 1].makesNulls ? true : nil)
        epochs[copy.index] = epoch
        return copy.index
    }

    /// Starts a new epoch behind an expanding step; the step copies the pairs of the returned set for every output row.
    func beginEpoch() -> CarrySet {
        let set = CarrySet(epoch: carries.count + 1)
        carries.append(set)
        return set
    }

    // MARK: Columns and expressions

    func bind(_ column: ColumnID, _ binding: Binding) { bindings[column] = binding }
    func bind(_ column: ColumnID, _ register: Register) {
        bindings[column] = .register(register.index)
    }
    func has(_ column: ColumnID) -> Bool { bindings[column] != nil }

    func value(of column: ColumnID) throws -> Register {
        switch bindings[column] {
        case .register(let index): return use(index)
        case .expression(let expression):
            // A guarded value is not right for rows outside of the guard, so it is not kept.
            let register = try compile(expression)
            if guardRegister == nil { bindings[column] = .register(register.index) }
            return register
        case .fetch(let fetch):
            let register = falseNulls(try fetch(self))
            bindings[column] = .register(register.index)
            return register
        case nil: throw SQLError(.internalError, "column \(column) is not produced below its use")
        }
    }
    /// The fetch of a column that has not been fetched yet; used to pass late columns on to another pipeline.
    func binding(of column: ColumnID) -> Binding? { bindings[column] }

    /// The register that holds the expression's value, computed at most once.
    func compile(_ expression: BoundExpression) throws -> Register {
        if case .column(let column, _) = expression { return try value(of: column) }
        let key = MemoKey(expression: expression, guardRegister: guardRegister)
        if let index = memo[key] { return use(index) }
        // Hashing takes its time in lists of a hundred thousand.
        if guardRegister != nil, let index = memo[MemoKey(expression: expression, guardRegister: nil)] {
            return use(index)
        }
        let register = try ExpressionCompiler(pipeline: self).compile(expression)
        memo[key] = register.index
        return register
    }

    /// Room for so many expressions: growing step by step would hash each of them several times.
    func reserve(expressions count: Int) { memo.reserveCapacity(count) }

    // MARK: Completion

    /// A pipeline runs once. Afterwards it lets go of its steps and bindings: some of them know the pipeline, and what
    /// they hold (build sides, accumulators) must go back to the pool of regions.
    func dissolve() {
        steps = []
        bindings = [:]
        memo = [:]
    }

    /// Liveness, backwards: a step that drops rows moves only what later steps read. Higher registers come first,
    /// because an alias (always higher than what it stands for) must be moved before the values under it.
    func complete() {
        var live = [Bool](repeating: false, count: registers.count)
        for step in steps.reversed() {
            for register in step.outputs { live[register] = false }
            if let carried = step.carried { for pair in carried.pairs { live[pair.to] = false } }
            // Most steps of long expressions have no use for it, and there may be a hundred thousand.
            if step.dropsRows { step.live = live.indices.reversed().filter { live[$0] && !registers[$0].isConstant } }
            for register in step.inputs { live[register] = true }
            if let carried = step.carried { for pair in carried.pairs { live[pair.from] = true } }
        }
        let masked = steps.allSatisfy(\.acceptsMask)
        source.mayMask = masked && context.takes(.masks)
        if context.options.verifiesVectors {
            let bounded = Set(steps.compactMap(\.boundedRegister))
            var rowNumbers: Set<Int> = []
            for step in steps {
                rowNumbers.formUnion(step.rowNumbers)
                for pair in step.carried?.pairs ?? [] where rowNumbers.contains(pair.from) {
                    rowNumbers.insert(pair.to)
                }
            }
            steps = steps.map { VerifiedStep($0, registers, boundedLater: bounded, rowNumbers: rowNumbers) }
        }
    }
}

/// The registers that an expanding step must copy for its output rows: filled while later steps are compiled.
final class CarrySet {
    struct Pair {
        var from: Int
        var to: Int
    }
    private let epoch: Int
    /// Set by steps that put NULL into carried registers (outer joins that add rows).
    var makesNulls = false
    private(set) var pairs: [Pair] = []
    private var known: [Int: Int] = [:]

    init(epoch: Int) { self.epoch = epoch }

    func carry(_ register: Int, _ pipeline: Pipeline) -> Int {
        if let copy = known[register] { return copy }
        let copy = pipeline.makeCarried(register, epoch: epoch)
        known[register] = copy
        pairs.append(Pair(from: register, to: copy))
        return copy
    }
}
