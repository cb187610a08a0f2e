import ColumnVectors
import QueryPlan
import SQLTypes

/// The states that the aggregates of one grouping need; equal ones are shared (SUM and AVG of a value, all counts of
/// rows).
final class AggregateLayout {
    enum StateKind: Hashable {
        case count, seen, sum, doubleSum, minimum, maximum, anyValue, moments, bitAnd, bitOr, sketch
    }
    struct StateKey: Hashable {
        var kind: StateKind
        var argument: Int?
        var filter: Int?
    }
    struct State {
        var key: StateKey
        var prototype: AggregateState
        var argument: Register?
        var filter: Register?
    }
    /// How one output column is made of states.
    enum Output {
        case count(Int)
        /// States: sum, and the count of values that tells NULL (nil: never NULL in a group).
        case sum(Int, valid: Int?)
        case average(Int, count: Int)
        case extreme(Int, valid: Int?)
        case moments(Int)
        case bits(Int, valid: Int?)
        case sketch(Int)
        case distinct(Int, DistinctKind)
        case collected(Int)
    }
    enum DistinctKind: Hashable { case count, sum, average, moments }

    private(set) var states: [State] = []
    private(set) var distincts: [DistinctSpec] = []
    private(set) var collections: [CollectionSpec] = []
    private(set) var outputs: [(id: ColumnID, call: AggregateCall, output: Output)] = []
    /// The state whose value tells whether a dense group has rows.
    private(set) var presence = 0
    private var known: [StateKey: Int] = [:]
    private let pipeline: Pipeline
    private let narrow: Bool
    private var context: ExecutionContext { pipeline.context }

    /// - Parameter narrow: the domain is large, so that bytes per group matter.
    init(_ aggregates: [LogicalAggregate.Aggregate], pipeline: Pipeline, narrow: Bool) throws {
        self.pipeline = pipeline
        self.narrow = narrow
        for aggregate in aggregates {
            outputs.append((aggregate.id, aggregate.call, try output(of: aggregate.call)))
        }
    }

    var bytesPerGroup: Int { states.reduce(0) { $0 + $1.prototype.width } }
    var hasDeferred: Bool { !distincts.isEmpty || !collections.isEmpty }
    var inputs: [Int] {
        states.flatMap { [$0.argument?.index, $0.filter?.index].compactMap { $0 } }
            + distincts.flatMap { $0.inputs } + collections.flatMap { $0.inputs }
    }

    // MARK: Choosing states

    private func output(of call: AggregateCall) throws -> Output {
        let filter = try call.filter.map { try pipeline.compile($0) }
        if call.function == .countRows { return .count(state(.count, nil, filter)) }
        guard let first = call.arguments.first else {
            throw SQLError(.internalError, "aggregate function \(call.function.rawValue) without an argument")
        }
        switch call.function {
        case .median, .percentileContinuous, .percentileDiscrete, .listAggregate:
            return .collected(try collection(call, filter))
        default: break
        }
        let argument = try pipeline.compile(first)
        if call.function == .hllSketch || call.function == .hllCombine {
            return .sketch(state(.sketch, try pipeline.canonical(argument), filter))
        }
        if call.function == .approximateCountDistinct || call.distinct && isSensitive(call.function) {
            return try distinct(call, argument, filter)
        }
        return try plain(call, argument, filter)
    }

    /// Repeated values change the result.
    private func isSensitive(_ function: AggregateFunction) -> Bool {
        switch function {
        case .minimum, .maximum, .anyValue, .boolAnd, .boolOr, .bitAnd, .bitOr: false
        default: true
        }
    }

    private func plain(_ call: AggregateCall, _ argument: Register, _ filter: Register?) throws -> Output {
        switch call.function {
        case .count: return .count(countState(argument, filter))
        case .sum:
            let value = try numeric(argument, call.type)
            return .sum(sumState(value, filter), valid: validState(argument, filter))
        case .average:
            let value = try numeric(argument, call.type)
            return .average(sumState(value, filter), count: countState(argument, filter))
        case .minimum, .boolAnd:
            return .extreme(state(.minimum, argument, filter), valid: validState(argument, filter))
        case .maximum, .boolOr:
            return .extreme(state(.maximum, argument, filter), valid: validState(argument, filter))
        case .anyValue:
            return .extreme(state(.anyValue, argument, filter), valid: validState(argument, filter))
        case .bitAnd, .bitOr:
            let kind = call.function == .bitAnd ? StateKind.bitAnd : .bitOr
            return .bits(state(kind, argument, filter), valid: validState(argument, filter))
        case .standardDeviationSample, .standardDeviationPopulation, .varianceSample, .variancePopulation:
            return .moments(state(.moments, try pipeline.toDouble(argument), filter))
        default:
            throw SQLError(.internalError, "aggregate function \(call.function.rawValue) has no plain form")
        }
    }

    /// Doubles for results in double, integers as they are.
    private func numeric(_ argument: Register, _ type: SQLType) throws -> Register {
        if type == .interval { return try intervalSummand(argument) }
        return type == .double || type == .real ? try pipeline.toDouble(argument) : argument
    }

    private func intervalSummand(_ argument: Register) throws -> Register {
        if case .interval(let value)? = argument.constant {
            let number = try IntervalSummand.number(value.packed)
            return pipeline.makeRegister(
                .interval, .int128, lower: number, upper: number, nullable: false, constant: .integer(number))
        }
        if argument.isConstant { return argument }
        let output = pipeline.makeRegister(.interval, .int128, nullable: argument.nullable)
        pipeline.emit(IntervalSummand(argument, output))
        return output
    }

    private func sumState(_ argument: Register, _ filter: Register?) -> Int {
        state(argument.physical == .float64 ? .doubleSum : .sum, argument, filter)
    }
    /// COUNT of a value that is never NULL counts rows.
    private func countState(_ argument: Register, _ filter: Register?) -> Int {
        state(.count, argument.nullable ? argument : nil, filter)
    }
    private func validState(_ argument: Register, _ filter: Register?) -> Int? {
        argument.nullable || filter != nil ? countState(argument, filter) : nil
    }
    /// Without groups there may be no row at all.
    func requireCounts() {
        for index in outputs.indices {
            switch outputs[index].output {
            case .sum(let sum, nil): outputs[index].output = .sum(sum, valid: state(.count, nil, nil))
            case .extreme(let best, nil): outputs[index].output = .extreme(best, valid: state(.count, nil, nil))
            case .bits(let bits, nil): outputs[index].output = .bits(bits, valid: state(.count, nil, nil))
            default: break
            }
        }
    }
    /// Dense groupings must know which groups have rows: some state tells, or a byte per group is kept.
    func requirePresence() {
        if let index = states.firstIndex(where: { $0.key.kind == .count && $0.argument == nil && $0.filter == nil }) {
            presence = index
        } else if let index = states.firstIndex(where: {
            guard $0.key.kind == .sum, $0.filter == nil, let argument = $0.argument else { return false }
            return !argument.nullable && argument.lower > 0 && argument.physical != .int128
        }) {
            presence = index
        } else {
            presence = state(.seen, nil, nil)
        }
    }

    private func state(_ kind: StateKind, _ argument: Register?, _ filter: Register?) -> Int {
        let key = StateKey(kind: kind, argument: argument?.index, filter: filter?.index)
        if let index = known[key] { return index }
        states.append(
            State(key: key, prototype: prototype(kind, argument), argument: argument, filter: filter))
        known[key] = states.count - 1
        return states.count - 1
    }

    private func prototype(_ kind: StateKind, _ argument: Register?) -> AggregateState {
        guard let argument else {
            return kind == .seen ? SeenState(context: context) : CountState(nil, context: context)
        }
        switch kind {
        case .count: return CountState(argument, context: context)
        case .seen: return SeenState(context: context)
        case .sum: return SumState.make(argument, rowBound: pipeline.rowBound, narrow: narrow, context: context)
        case .doubleSum: return DoubleSumState(argument, context: context)
        case .minimum: return ExtremeState(argument, .least, context: context)
        case .maximum: return ExtremeState(argument, .greatest, context: context)
        case .anyValue: return ExtremeState(argument, .any, context: context)
        case .moments: return MomentsState(argument, context: context)
        case .sketch: return SketchState(argument, context: context)
        case .bitAnd, .bitOr: return BitState(argument, isAnd: kind == .bitAnd, context: context)
        }
    }

    // MARK: States that keep values

    private func distinct(_ call: AggregateCall, _ argument: Register, _ filter: Register?) throws -> Output {
        let kind: DistinctKind
        var value = argument
        switch call.function {
        case .count, .approximateCountDistinct: kind = .count
        case .sum: (kind, value) = (.sum, try numeric(argument, call.type))
        case .average: (kind, value) = (.average, try numeric(argument, call.type))
        default: (kind, value) = (.moments, try pipeline.toDouble(argument))
        }
        let spec = DistinctSpec(argument: value, filter: filter)
        if let index = distincts.firstIndex(where: { $0.matches(spec) }) { return .distinct(index, kind) }
        distincts.append(spec)
        return .distinct(distincts.count - 1, kind)
    }

    private func collection(_ call: AggregateCall, _ filter: Register?) throws -> Int {
        let value = try pipeline.canonical(pipeline.compile(call.arguments[0]))
        var registers = [value]
        for item in call.orderBy { registers.append(try pipeline.canonical(pipeline.compile(item.expression))) }
        let hasSeparators = call.separatorOfRows != nil
        if let separator = call.separatorOfRows {
            registers.append(try pipeline.canonical(pipeline.compile(separator)))
        }
        collections.append(
            CollectionSpec(call: call, registers: registers, hasSeparators: hasSeparators, filter: filter))
        return collections.count - 1
    }
}

/// The distinct values of an argument within each group.
struct DistinctSpec {
    var argument: Register
    var filter: Register?
    var inputs: [Int] { [argument.index] + (filter.map { [$0.index] } ?? []) }
    func matches(_ other: DistinctSpec) -> Bool {
        argument.index == other.argument.index && filter?.index == other.filter?.index
    }
}

/// The values of an argument within each group, with their sort keys.
struct CollectionSpec {
    var call: AggregateCall
    /// The value, then the sort keys, then the delimiter where each row has its own.
    var registers: [Register]
    var hasSeparators: Bool
    var filter: Register?
    var inputs: [Int] { registers.map(\.index) + (filter.map { [$0.index] } ?? []) }
}

extension AggregateCall {
    /// The delimiter of LISTAGG where it is no constant.
    var separatorOfRows: BoundExpression? {
        guard function == .listAggregate, arguments.count > 1, arguments[1].asConstant == nil else { return nil }
        return arguments[1]
    }
}
