import ColumnStore
import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// Turns merged groups into columns: keys in the forms of their registers, aggregates in the narrowest form with exact
/// bounds.
struct AggregateResult {
    let sink: AggregateSink
    let merged: MergedGroups
    let pipeline: Pipeline
    private var context: ExecutionContext { pipeline.context }
    private var count: Int { merged.count }

    init(_ sink: AggregateSink, _ merged: MergedGroups, pipeline: Pipeline) {
        self.sink = sink
        self.merged = merged
        self.pipeline = pipeline
    }

    /// Key columns, then aggregates in their order.
    func rows() throws -> RowSet {
        var owners: [AnyObject] = [merged]
        var columns: [RowSet.Column] = []
        for index in sink.keys.registers.indices { columns.append(try key(index, &owners)) }
        let distinct = try DistinctMerge(sink, merged, context: context).states()
        for output in sink.layout.outputs {
            columns.append(try aggregate(output.call, output.output, distinct, &owners))
        }
        return RowSet(columns: columns, count: count, owners: owners)
    }

    // MARK: Columns

    /// Memory of a result column and of its validity.
    private func column(
        _ type: SQLType, _ physical: PhysicalType, lower: Int128? = nil, upper: Int128? = nil, nullable: Bool,
        dictionary: TextDictionary? = nil, trailingBlanks: Bool = true, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let values = try TableMemory(context, bytes: (count + 16) * physical.byteWidth)
        defer { withExtendedLifetime(values) {} }
        owners.append(values)
        var validity: UnsafeMutablePointer<UInt8>?
        if nullable {
            let bytes = try TableMemory(context, bytes: count + 128)
            defer { withExtendedLifetime(bytes) {} }
            memset(bytes.address, 1, count)
            owners.append(bytes)
            validity = bytes.values(UInt8.self)
        }
        let form = pipeline.makeRegister(
            type, physical, lower: lower, upper: upper, nullable: nullable, dictionary: dictionary,
            trailingBlanks: trailingBlanks)
        return RowSet.Column(form: form, values: values.address, validity: validity)
    }

    // MARK: Keys

    private func key(_ index: Int, _ owners: inout [AnyObject]) throws -> RowSet.Column {
        let register = sink.keys.registers[index]
        let result = try column(
            register.type, register.physical, lower: register.lower, upper: register.upper, nullable: register.nullable,
            dictionary: register.dictionary, trailingBlanks: register.trailingBlanks, &owners)
        if let codes = merged.codes, let field = sink.keys.packedLayout?.fields[index] {
            try runRanges(context, count) { _, range in unpack(codes, field, range, result) }
        } else if let words = merged.words, let layout = sink.keys.wideLayout {
            try unpackWide(words, layout, index, result, &owners)
        }
        return result
    }

    private func unpack(
        _ codes: UnsafePointer<UInt64>, _ field: PackedKeyLayout.Field, _ range: Range<Int>, _ column: RowSet.Column
    ) {
        switch column.form.physical {
        case .uint8: unpack(codes, field, range, column, UInt8.self)
        case .uint16: unpack(codes, field, range, column, UInt16.self)
        case .int32: unpack(codes, field, range, column, Int32.self)
        case .int64: unpack(codes, field, range, column, Int64.self)
        default: unpack(codes, field, range, column, Int128.self)
        }
    }
    @inline(__always)
    private func unpack<Value: FixedWidthInteger>(
        _ codes: UnsafePointer<UInt64>, _ field: PackedKeyLayout.Field, _ range: Range<Int>, _ column: RowSet.Column,
        _: Value.Type
    ) {
        let target = column.values.assumingMemoryBound(to: Value.self)
        let isOnly = field.stride == 1 && sink.keys.registers.count == 1
        for i in range {
            let code = isOnly ? codes[i] : codes[i] / field.stride % field.codes
            if field.hasNullCode && code == 0 {
                column.validity?[i] = 0
                target[i] = Value(truncatingIfNeeded: field.lower)
            } else {
                let offset = Int64(bitPattern: code) &- (field.hasNullCode ? 1 : 0)
                target[i] = Value(truncatingIfNeeded: field.lower &+ offset)
            }
        }
    }

    private func unpackWide(
        _ words: UnsafePointer<UInt64>, _ layout: WideKeyLayout, _ index: Int, _ column: RowSet.Column,
        _ owners: inout [AnyObject]
    ) throws {
        let stride = layout.words, place = layout.fields[index].word, kind = layout.fields[index].kind
        if let validity = column.validity, let nullWord = layout.nullWord {
            let word = nullWord + index / 64
            try inRanges { range in
                for i in range { validity[i] = UInt8(1 ^ (words[i * stride + word] >> UInt64(index & 63)) & 1) }
            }
        }
        switch (kind, column.form.physical) {
        case (.string, .string):
            try unpackStrings(words + place, stride, column.values.assumingMemoryBound(to: StringView.self), &owners)
        case (.string, _): try unpackCodes(words + place, stride, column)
        case (.float, _):
            let target = column.values.assumingMemoryBound(to: Double.self)
            try inRanges { for i in $0 { target[i] = Double(bitPattern: words[i * stride + place]) } }
        case (.wide, _):
            let target = column.values.assumingMemoryBound(to: Int128.self)
            for i in 0..<count {
                let high = Int128(Int64(bitPattern: words[i * stride + place + 1]))
                target[i] = high << 64 | Int128(words[i * stride + place])
            }
        default: try inRanges { try unpackIntegers(words + place, stride, column, $0) }
        }
    }

    /// Runs over all groups, on all workers when there are many.
    private func inRanges(_ body: (Range<Int>) throws -> Void) throws {
        try runRanges(context, count) { _, range in try body(range) }
    }

    private func unpackIntegers(
        _ words: UnsafePointer<UInt64>, _ stride: Int, _ column: RowSet.Column, _ range: Range<Int>
    ) throws {
        switch column.form.physical {
        case .uint8: integers(words, stride, column, range, UInt8.self)
        case .uint16: integers(words, stride, column, range, UInt16.self)
        case .int32: integers(words, stride, column, range, Int32.self)
        case .int64: integers(words, stride, column, range, Int64.self)
        case .int128, .float64, .string: throw SQLError(.internalError, "a group's key of another form")
        }
    }
    private func integers<Value: FixedWidthInteger>(
        _ words: UnsafePointer<UInt64>, _ stride: Int, _ column: RowSet.Column, _ range: Range<Int>, _: Value.Type
    ) {
        let target = column.values.assumingMemoryBound(to: Value.self)
        for i in range { target[i] = Value(truncatingIfNeeded: words[i * stride]) }
    }

    /// Long strings stand in the tables' arenas; short ones are put together again.
    private func unpackStrings(
        _ words: UnsafePointer<UInt64>, _ stride: Int, _ target: UnsafeMutablePointer<StringView>,
        _ owners: inout [AnyObject]
    ) throws {
        let bytes = try TableMemory(context, bytes: count * 12 + 64)
        defer { withExtendedLifetime(bytes) {} }
        owners.append(bytes)
        let room = bytes.values(UInt8.self)
        try inRanges { range in
            for i in range {
                let head = words[i * stride], tail = words[i * stride + 1]
                let length = WideKeyLayout.length(head)
                let prefix = UInt32(truncatingIfNeeded: head >> 32)
                if length > 12 {
                    target[i] = StringView(
                        count: UInt32(length), prefix: prefix, pointer: WideKeyLayout.pointer(tail))
                    continue
                }
                let place = room + i * 12
                WideKeyLayout.restore(head, tail, place)
                target[i] = StringView(count: UInt32(length), prefix: prefix, pointer: UnsafePointer(place))
            }
        }
    }

    /// Dictionary keys among wide keys went in as strings; their codes are looked up again.
    private func unpackCodes(_ words: UnsafePointer<UInt64>, _ stride: Int, _ column: RowSet.Column) throws {
        guard let dictionary = column.form.dictionary else { return }
        let layout = WideKeyLayout([[column.form]], nulls: false)
        let table = try WideGroupTable(layout, context)
        let encoder = WideKeyEncoder(layout, [column.form])
        let total = dictionary.count
        let rows = try TableMemory(context, bytes: (total + 8) * layout.words * 8)
        defer { withExtendedLifetime(rows) {} }
        let hashes = try TableMemory(context, bytes: (total + 8) * 8)
        defer { withExtendedLifetime(hashes) {} }
        let codes = try TableMemory(context, bytes: (max(total, count) + 8) * 4)
        defer { withExtendedLifetime(codes) {} }
        let numbers = (0..<max(total, 1)).map { UInt16(truncatingIfNeeded: $0) }
        let wide = pipeline.makeRegister(
            column.form.type, .uint16, nullable: false, dictionary: dictionary,
            trailingBlanks: column.form.trailingBlanks)
        let wideEncoder = column.form.physical == .uint16 ? encoder : WideKeyEncoder(layout, [wide])
        numbers.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            wideEncoder.encode(
                [KeyVector(data: base, validity: nil)], total, rows: rows.values(UInt64.self),
                hashes: hashes.values(UInt64.self))
        }
        // Entries that are equal without trailing blanks share the first one's code.
        let groups = codes.values(UInt32.self)
        try table.assign(rows: rows.values(UInt64.self), hashes: hashes.values(UInt64.self), total, groups)
        var codeOfGroup = [UInt16](repeating: 0, count: max(table.count, 1))
        for code in Swift.stride(from: total - 1, through: 0, by: -1) {
            codeOfGroup[Int(groups[code])] = UInt16(truncatingIfNeeded: code)
        }
        try lookUp(words, stride, table, codeOfGroup, column)
    }

    private func lookUp(
        _ words: UnsafePointer<UInt64>, _ stride: Int, _ table: WideGroupTable, _ codeOfGroup: [UInt16],
        _ column: RowSet.Column
    ) throws {
        var row: [UInt64] = [0, 0]
        var group: UInt32 = 0
        for i in 0..<count {
            if let validity = column.validity, validity[i] == 0 {
                store(0, i, column)
                continue
            }
            row[0] = words[i * stride]
            row[1] = words[i * stride + 1]
            var hash = WideKeyEncoder.hash(head: row[0], tail: row[1])
            try table.assign(rows: row, hashes: &hash, 1, &group)
            store(codeOfGroup[min(Int(group), codeOfGroup.count - 1)], i, column)
        }
    }
    private func store(_ code: UInt16, _ row: Int, _ column: RowSet.Column) {
        if column.form.physical == .uint8 {
            column.values.assumingMemoryBound(to: UInt8.self)[row] = UInt8(truncatingIfNeeded: code)
        } else {
            column.values.assumingMemoryBound(to: UInt16.self)[row] = code
        }
    }

    // MARK: Aggregates

    private func aggregate(
        _ call: AggregateCall, _ output: AggregateLayout.Output, _ distinct: [DistinctMerge.Merged],
        _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let states = merged.states
        switch output {
        case .count(let index): return try counts(states[index], call, &owners)
        case .sum(let index, let valid):
            return try sums(states[index], counts: valid.map { states[$0] }, call, &owners)
        case .average(let index, let valid): return try averages(states[index], states[valid], call, &owners)
        case .extreme(let index, let valid):
            return try extremes(states[index], counts: valid.map { states[$0] }, call, &owners)
        case .moments(let index): return try moments(states[index], call, &owners)
        case .bits(let index, let valid):
            return try sums(states[index], counts: valid.map { states[$0] }, call, &owners)
        case .sketch(let index): return try sketches(states[index], call, &owners)
        case .distinct(let index, let kind):
            let found = distinct[index]
            switch kind {
            case .count: return try counts(found.count, call, &owners)
            case .sum: return try sums(found.sum ?? found.count, counts: found.count, call, &owners)
            case .average: return try averages(found.sum ?? found.count, found.count, call, &owners)
            case .moments: return try moments(found.moments ?? found.count, call, &owners)
            }
        case .collected(let index):
            return try CollectionMerge(sink, merged, pipeline: pipeline).column(index, &owners)
        }
    }

    private func counts(_ state: AggregateState, _ call: AggregateCall, _ owners: inout [AnyObject]) throws
        -> RowSet.Column
    {
        let from = state.values(Int64.self)
        let most = try extent(from).high
        let physical: PhysicalType = most <= Int64(Int32.max) ? .int32 : .int64
        let result = try column(call.type, physical, lower: 0, upper: Int128(most), nullable: false, &owners)
        if physical == .int32 {
            let target = result.values.assumingMemoryBound(to: Int32.self)
            try inRanges { for i in $0 { target[i] = Int32(truncatingIfNeeded: from[i]) } }
        } else {
            memcpy(result.values, from, count * 8)
        }
        return result
    }

    /// Groups whose count is 0 are NULL.
    private func markNulls(_ counts: AggregateState?, _ result: RowSet.Column) {
        guard let counts, let validity = result.validity else { return }
        let from = counts.values(Int64.self)
        for i in 0..<count { validity[i] = b2u(from[i] > 0) }
    }
    private func hasEmpty(_ counts: AggregateState?) -> Bool {
        guard let counts else { return false }
        let from = counts.values(Int64.self)
        for i in 0..<count where from[i] <= 0 { return true }
        return false
    }

    private func sums(
        _ state: AggregateState, counts: AggregateState?, _ call: AggregateCall, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let empties = hasEmpty(counts)
        if state is DoubleSumState {
            let result = try column(call.type, PhysicalType.float64, nullable: empties, &owners)
            memcpy(result.values, state.memory.address, count * 8)
            markNulls(counts, result)
            return result
        }
        if call.type == .interval { return try intervals(state, counts, call, means: false, &owners) }
        let result: RowSet.Column
        switch state.width {
        case 4: result = try integers(state.values(Int32.self), call.type, empties, &owners)
        case 8: result = try integers(state.values(Int64.self), call.type, empties, &owners)
        default: result = try integers(state.values(Int128.self), call.type, empties, &owners)
        }
        markNulls(counts, result)
        return result
    }

    /// Copies integers into the narrowest column of 32, 64 or 128 bits; what the type does not hold is an error.
    private func integers<Value: FixedWidthInteger>(
        _ from: UnsafeMutablePointer<Value>, _ type: SQLType, _ nullable: Bool, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let (low, high) = try extent(from)
        let bounds = type.valueBounds
        if Int128(low) < bounds.lower || Int128(high) > bounds.upper {
            throw type.isInteger
                ? SQLError(.numericOutOfRange, "\(type.sqlName.lowercased()) out of range")
                : DecimalArithmetic.overflow()
        }
        let narrowest = PhysicalType.narrowest(Int128(low), Int128(high))
        let physical: PhysicalType = narrowest.byteWidth < 4 ? .int32 : narrowest
        let result = try column(type, physical, lower: Int128(low), upper: Int128(high), nullable: nullable, &owners)
        switch physical {
        case .int32: try inRanges { copy(from, result.values.assumingMemoryBound(to: Int32.self), $0) }
        case .int64: try inRanges { copy(from, result.values.assumingMemoryBound(to: Int64.self), $0) }
        default: try inRanges { copy(from, result.values.assumingMemoryBound(to: Int128.self), $0) }
        }
        return result
    }

    /// The least and the greatest value; zeros without groups.
    private func extent<Value: FixedWidthInteger>(_ from: UnsafeMutablePointer<Value>) throws -> (
        low: Value, high: Value
    ) {
        if count == 0 { return (0, 0) }
        let found = UnsafeMutablePointer<(Value, Value)>.allocate(capacity: context.pool.workers)
        found.initialize(repeating: (from[0], from[0]), count: context.pool.workers)
        defer { found.deallocate() }
        try runRanges(context, count) { worker, range in
            var (low, high) = found[worker]
            for i in range {
                low = min(low, from[i])
                high = max(high, from[i])
            }
            found[worker] = (low, high)
        }
        return (0..<context.pool.workers).reduce((from[0], from[0])) {
            (min($0.0, found[$1].0), max($0.1, found[$1].1))
        }
    }
    @inline(__always)
    private func copy<From: FixedWidthInteger, To: FixedWidthInteger>(
        _ from: UnsafeMutablePointer<From>, _ to: UnsafeMutablePointer<To>, _ range: Range<Int>
    ) { for i in range { to[i] = To(truncatingIfNeeded: from[i]) } }

    private func intervals(
        _ state: AggregateState, _ counts: AggregateState?, _ call: AggregateCall, means: Bool,
        _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let result = try column(call.type, .int128, nullable: hasEmpty(counts), &owners)
        markNulls(counts, result)
        let target = result.values.assumingMemoryBound(to: Int128.self), from = state.values(Int128.self)
        for i in 0..<count {
            let rows = means ? max(counts?.values(Int64.self)[i] ?? 1, 1) : 1
            let interval =
                try means ? IntervalSummand.mean(from[i], rows) : IntervalSummand.interval(from[i])
            target[i] = interval.packed
        }
        return result
    }

    private func averages(
        _ state: AggregateState, _ counts: AggregateState, _ call: AggregateCall, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        let empties = hasEmpty(counts)
        let numbers = counts.values(Int64.self)
        if state is DoubleSumState {
            let result = try column(call.type, PhysicalType.float64, nullable: empties, &owners)
            let target = result.values.assumingMemoryBound(to: Double.self), from = state.values(Double.self)
            for i in 0..<count { target[i] = from[i] / Double(max(numbers[i], 1)) }
            markNulls(counts, result)
            return result
        }
        if call.type == .interval { return try intervals(state, counts, call, means: true, &owners) }
        let shift = max(call.type.scale - (state.argument?.type.scale ?? 0), 0)
        let factor = PowersOfTen.power(shift) ?? 1
        let rounds = call.type.isDecimal
        let wide = try TableMemory(context, bytes: (count + 8) * 16)
        defer { withExtendedLifetime(wide) {} }
        let quotients = wide.values(Int128.self)
        try inRanges { range in
            for i in range {
                let sum =
                    switch state.width {
                    case 4: Int128(state.values(Int32.self)[i])
                    case 8: Int128(state.values(Int64.self)[i])
                    default: state.values(Int128.self)[i]
                    }
                quotients[i] = try quotient(sum, factor, Int128(max(numbers[i], 1)), rounds: rounds)
            }
        }
        let result = try integers(quotients, call.type, empties, &owners)
        markNulls(counts, result)
        return result
    }

    /// sum * factor / count; decimals are rounded half away from zero, integers cut.
    private func quotient(_ sum: Int128, _ factor: Int128, _ count: Int128, rounds: Bool) throws -> Int128 {
        let (scaled, overflow) = sum.multipliedReportingOverflow(by: factor)
        if overflow { throw DecimalArithmetic.overflow() }
        if let narrow = Int64(exactly: scaled), let divisor = Int64(exactly: count) {
            // A division of 128 bits costs ten times as much.
            let (whole, rest) = narrow.quotientAndRemainder(dividingBy: divisor)
            let rounded = rounds && rest.magnitude >= divisor.magnitude &- rest.magnitude && rest != 0
            return Int128(whole) + (rounded ? (narrow < 0 ? -1 : 1) : 0)
        }
        let (whole, rest) = scaled.quotientAndRemainder(dividingBy: count)
        guard rounds, rest != 0 else { return whole }
        return rest.magnitude * 2 >= count.magnitude ? whole + (scaled < 0 ? -1 : 1) : whole
    }

    private func extremes(
        _ state: AggregateState, counts: AggregateState?, _ call: AggregateCall, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        guard let argument = state.argument, let extreme = state as? ExtremeState else {
            throw SQLError(.internalError, "MIN or MAX without an argument")
        }
        owners.append(state)
        let result = try column(
            call.type, argument.physical, lower: argument.lower, upper: argument.upper, nullable: hasEmpty(counts),
            dictionary: argument.dictionary, trailingBlanks: argument.trailingBlanks, &owners)
        markNulls(counts, result)
        switch extreme.form {
        case .integer: try narrow(state.values(Int64.self), result)
        case .wide, .interval, .float: memcpy(result.values, state.memory.address, count * state.width)
        case .string:
            let target = result.values.assumingMemoryBound(to: StringView.self)
            let from = state.values(StringView.self)
            for i in 0..<count { target[i] = from[i].count == .max ? .empty : from[i] }
        }
        return result
    }
    private func narrow(_ from: UnsafeMutablePointer<Int64>, _ result: RowSet.Column) throws {
        // Groups without a value hold an extreme that is no value: it must not become a code outside of a dictionary.
        if let validity = result.validity {
            let rest = Int64(clamping: result.form.lower)
            for i in 0..<count where validity[i] == 0 { from[i] = rest }
        }
        switch result.form.physical {
        case .uint8: copy(from, result.values.assumingMemoryBound(to: UInt8.self), 0..<count)
        case .uint16: copy(from, result.values.assumingMemoryBound(to: UInt16.self), 0..<count)
        case .int32: copy(from, result.values.assumingMemoryBound(to: Int32.self), 0..<count)
        case .int64: copy(from, result.values.assumingMemoryBound(to: Int64.self), 0..<count)
        case .int128, .float64, .string: throw SQLError(.internalError, "MIN or MAX of another form")
        }
    }

    /// Groups without a value have an empty sketch; without a sketch to combine, NULL.
    private func sketches(
        _ state: AggregateState, _ call: AggregateCall, _ owners: inout [AnyObject]
    ) throws -> RowSet.Column {
        guard let state = state as? SketchState else { throw SQLError(.internalError, "sketches of another state") }
        let result = try column(call.type, PhysicalType.string, nullable: call.function == .hllCombine, &owners)
        let target = result.values.assumingMemoryBound(to: StringView.self)
        let arena = StringArena(), reservation = Reservation(context)
        for group in 0..<count {
            if let bytes = state.bytes(group) {
                target[group] = try bytes.withUnsafeBufferPointer { try arena.copy($0) }
            } else {
                target[group] = try HLLSketch.emptyBytes.withUnsafeBufferPointer { try arena.copy($0) }
                result.validity?[group] = 0
            }
            try reservation.raise(to: arena.reservedBytes)
        }
        owners += [arena, reservation]
        return result
    }

    private func moments(_ state: AggregateState, _ call: AggregateCall, _ owners: inout [AnyObject]) throws
        -> RowSet.Column
    {
        let from = state.values(Double.self)
        let isSample = call.function == .standardDeviationSample || call.function == .varianceSample
        let isRoot = call.function == .standardDeviationSample || call.function == .standardDeviationPopulation
        let least = isSample ? 2.0 : 1.0
        let result = try column(call.type, PhysicalType.float64, nullable: true, &owners)
        let target = result.values.assumingMemoryBound(to: Double.self)
        for i in 0..<count {
            let entry = from + i * 3
            if entry[0] < least {
                result.validity?[i] = 0
                target[i] = 0
                continue
            }
            let variance = entry[2] / (isSample ? entry[0] - 1 : entry[0])
            target[i] = isRoot ? variance.squareRoot() : variance
        }
        return result
    }
}
