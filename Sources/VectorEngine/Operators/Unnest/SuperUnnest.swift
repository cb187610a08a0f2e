import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

extension Pipeline {
    /// A row for each element of the array, or member of the object, that a row has.
    func unnest(_ unnest: UnnestSpecification) throws {
        let source = try canonical(try compile(unnest.source))
        let carry = beginEpoch()
        let value = makeRegister(.semistructured, .string, nullable: unnest.keepsRows)
        let place =
            unnest.form == .array
            ? makeRegister(.bigint, .int64, lower: 0, upper: Int128(UInt32.max), nullable: unnest.keepsRows)
            : makeRegister(unnest.place.type, .string, nullable: unnest.keepsRows)
        emit(
            SuperUnnest(
                source, value: value, place: place, form: unnest.form, keepsRows: unnest.keepsRows, carry: carry,
                context: context))
        // How many elements there are is not known.
        rowBound = .max
        bind(unnest.value.id, value)
        bind(unnest.place.id, place)
    }
}

/// Repeats rows for the elements of their arrays, and hands them on in full batches. Elements are parts of the array's
/// bytes: nothing is copied but what later steps read of the rows.
final class SuperUnnest: Step {
    private let source: Register
    private let value: Register
    private let place: Register
    private let form: UnnestSpecification.Form
    private let keepsRows: Bool
    private let carry: CarrySet
    private let context: ExecutionContext
    private var states: [State] = []
    override var expands: Bool { true }
    override var carried: CarrySet? { carry }

    /// One worker's rows of the batch that is being filled.
    private final class State {
        let positions: TableMemory
        let selection: TableMemory
        init(_ context: ExecutionContext) throws {
            let rows = context.batchRows + 128
            positions = try TableMemory(context, bytes: rows * 2)
            selection = try TableMemory(context, bytes: rows * 2)
        }
    }

    init(
        _ source: Register, value: Register, place: Register, form: UnnestSpecification.Form, keepsRows: Bool,
        carry: CarrySet, context: ExecutionContext
    ) {
        self.source = source
        self.value = value
        self.place = place
        self.form = form
        self.keepsRows = keepsRows
        self.carry = carry
        self.context = context
        super.init(inputs: [source.index], outputs: [value.index, place.index])
    }

    override func prepare(workers: Int) throws {
        states = try (0..<workers).map { _ in try State(context) }
    }

    override func expand(_ batch: Batch, _ rest: (Batch) throws -> Void) throws {
        let state = states[batch.worker]
        let saved = ExpandedRows(batch)
        let positions = state.positions.values(UInt16.self)
        let views = batch.values(source.index, StringView.self)
        let valid = batch.validity(source.index)
        var target = Target(batch, value: value, place: place, isArray: form == .array)
        for row in 0..<saved.count {
            var elements = 0
            if valid.map({ $0[row] != 0 }) ?? true, let container = try container(views[row]) {
                elements = container.count
                for index in 0..<elements {
                    if target.count == batch.capacity { try flush(batch, state, saved, &target, rest) }
                    positions[target.count] = UInt16(truncatingIfNeeded: row)
                    try target.put(container, index)
                }
            }
            guard elements == 0, keepsRows else { continue }
            if target.count == batch.capacity { try flush(batch, state, saved, &target, rest) }
            positions[target.count] = UInt16(truncatingIfNeeded: row)
            target.putNull()
        }
        if target.count > 0 { try flush(batch, state, saved, &target, rest) }
        saved.restore(batch)
    }

    /// nil for null, which has no elements as NULL has none.
    private func container(_ view: StringView) throws -> SuperContainer? {
        let view = SuperView(view.pointer, Int(view.count))
        switch (try view.kind(), form) {
        case (.null, _): return nil
        case (.array, .array), (.object, .object): return try view.container()
        case (let kind, .array):
            throw SQLError(
                .dataException, "cannot unnest a SUPER value of type \(kind.name): it is no array",
                hint: "Let only arrays pass: WHERE is_array(...).")
        case (let kind, .object):
            throw SQLError(
                .dataException, "cannot unpivot a SUPER value of type \(kind.name): it is no object",
                hint: "Let only objects pass: WHERE is_object(...).")
        }
    }

    private func flush(
        _ batch: Batch, _ state: State, _ saved: ExpandedRows, _ target: inout Target, _ rest: (Batch) throws -> Void
    ) throws {
        try context.cancellation.check()
        let rows = target.count
        let positions = UnsafePointer(state.positions.values(UInt16.self))
        batch.count = rows
        target.finish(batch)
        for pair in carry.pairs { saved.carry(batch, pair, positions, rows) }
        saved.select(batch, positions, rows, into: state.selection.values(UInt16.self))
        try rest(batch)
        saved.restore(batch)
        target.count = 0
    }

    /// The columns that are made, row by row.
    private struct Target {
        var count = 0
        private let value: Int
        private let place: Int
        private let values: UnsafeMutablePointer<StringView>
        private let numbers: UnsafeMutablePointer<Int64>
        private let names: UnsafeMutablePointer<StringView>
        private let valid: UnsafeMutablePointer<UInt8>
        private let isArray: Bool
        private let mayBeNull: Bool

        init(_ batch: Batch, value: Register, place: Register, isArray: Bool) {
            self.value = value.index
            self.place = place.index
            self.isArray = isArray
            mayBeNull = value.nullable
            let memory = batch.slots[place.index].ownData
            values = batch.slots[value.index].ownData.assumingMemoryBound(to: StringView.self)
            numbers = memory.assumingMemoryBound(to: Int64.self)
            names = memory.assumingMemoryBound(to: StringView.self)
            valid = batch.slots[value.index].ownValidity
        }

        mutating func put(_ container: SuperContainer, _ index: Int) throws {
            let element = try container.value(index)
            values[count] = StringView(element.base, count: element.count)
            if isArray {
                numbers[count] = Int64(index)
            } else {
                let name = try container.name(index)
                names[count] = name.baseAddress.map { StringView($0, count: name.count) } ?? .empty
            }
            valid[count] = 1
            count += 1
        }

        mutating func putNull() {
            values[count] = .empty
            if isArray { numbers[count] = 0 } else { names[count] = .empty }
            valid[count] = 0
            count += 1
        }

        /// The batch has the rows now.
        func finish(_ batch: Batch) {
            _ = batch.output(value, StringView.self)
            _ = batch.output(place, UInt8.self)
            guard mayBeNull else { return }
            _ = batch.outputValidity(value)
            batch.outputValidity(place).update(from: valid, count: count)
        }
    }
}
