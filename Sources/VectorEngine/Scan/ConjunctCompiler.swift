import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

/// Decides which conjuncts encoded blocks can answer, and how.
struct ConjunctCompiler {
    let forms: ScanForms
    let rows: Int

    struct Result {
        var conjuncts: [ScanConjunct]
        /// False: the condition must be tested again behind the scan.
        var isComplete: Bool
    }

    func compile(_ expression: BoundExpression) throws -> Result {
        if let direct = comparison(expression) ?? nullTest(expression) ?? textSearch(expression) {
            return Result(conjuncts: [direct], isComplete: true)
        }
        if let set = try domain(expression) { return Result(conjuncts: [set], isComplete: true) }
        if let range = memberRange(expression) { return Result(conjuncts: [range], isComplete: false) }
        return Result(conjuncts: [], isComplete: false)
    }

    private func narrowSlot(_ expression: BoundExpression) -> Int? {
        guard case .column(let id, _) = expression, let slot = forms.slot(of: id), forms.isNarrowInteger(slot) else {
            return nil
        }
        return slot
    }
    private func column(_ slot: Int) -> Int { forms.scan.columns[slot].index }

    private func comparison(_ expression: BoundExpression) -> ScanConjunct? {
        switch expression {
        case .column:
            return narrowSlot(expression).map { RangeConjunct(slot: $0, column: column($0), lower: 1, upper: 1) }
        case .not(let inner):
            guard case .column = inner else { return nil }
            return narrowSlot(inner).map { RangeConjunct(slot: $0, column: column($0), lower: 0, upper: 0) }
        case .comparison(let op, let left, let right):
            guard left.type.scale == right.type.scale else { return nil }
            if let slot = narrowSlot(left), case .constant(.integer(let value), let type) = right, !type.isFloat {
                return constantComparison(op, slot, value)
            }
            if let slot = narrowSlot(right), case .constant(.integer(let value), let type) = left, !type.isFloat {
                return constantComparison(op.mirrored, slot, value)
            }
            if let a = narrowSlot(left), let b = narrowSlot(right) { return columnComparison(op, a, b) }
            return nil
        default: return nil
        }
    }

    private func constantComparison(_ op: ComparisonOperator, _ slot: Int, _ value: Int128) -> ScanConjunct? {
        let low = Int128(Int64.min), high = Int128(Int64.max)
        var range: (Int128, Int128), inverted = false
        switch op {
        case .equal: range = (value, value)
        case .notEqual: (range, inverted) = ((value, value), true)
        case .less: range = (low, value - 1)
        case .lessOrEqual: range = (low, value)
        case .greater: range = (value + 1, high)
        case .greaterOrEqual: range = (value, high)
        case .distinctFrom, .notDistinctFrom: return nil
        }
        if range.0 > high || range.1 < low { range = (1, 0) }
        return RangeConjunct(
            slot: slot, column: column(slot), lower: Int64(clamping: range.0), upper: Int64(clamping: range.1),
            inverted: inverted)
    }

    private func columnComparison(_ op: ComparisonOperator, _ a: Int, _ b: Int) -> ScanConjunct? {
        func make(_ x: Int, _ comparison: ColumnComparisonConjunct.Comparison, _ y: Int) -> ScanConjunct {
            ColumnComparisonConjunct(
                slot: x, column: column(x), comparison, otherSlot: y, otherColumn: column(y))
        }
        switch op {
        case .less: return make(a, .less, b)
        case .lessOrEqual: return make(a, .lessOrEqual, b)
        case .greater: return make(b, .less, a)
        case .greaterOrEqual: return make(b, .lessOrEqual, a)
        case .equal: return make(a, .equal, b)
        case .notEqual, .distinctFrom, .notDistinctFrom: return nil
        }
    }

    private func nullTest(_ expression: BoundExpression) -> ScanConjunct? {
        var inner = expression, wantsNull = true
        if case .not(let negated) = expression { (inner, wantsNull) = (negated, false) }
        guard case .isNull(.column(let id, _)) = inner, let slot = forms.slot(of: id) else { return nil }
        return NullConjunct(slot: slot, column: column(slot), wantsNull: wantsNull)
    }

    private func textSearch(_ expression: BoundExpression) -> ScanConjunct? {
        var inner = expression, negated = false
        if case .not(let like) = expression { (inner, negated) = (like, true) }
        guard case .call(.like, let arguments, _) = inner, case .column(let id, _) = arguments[0],
            let slot = forms.slot(of: id), forms.dictionaries[slot] == nil,
            case .constant(.string(let pattern), _) = arguments[1]
        else { return nil }
        var escape: [UInt8] = [UInt8(ascii: "\\")]
        if arguments.count > 2 {
            guard case .constant(.string(let given), _) = arguments[2] else { return nil }
            escape = given
        }
        guard let pieces = TextPieces.split(pattern, escape: escape) else { return nil }
        return TextSearchConjunct(slot: slot, column: column(slot), pieces: pieces, negated: negated)
    }

    /// Conditions on one column with few values: evaluated for each value once.
    private func domain(_ expression: BoundExpression) throws -> ScanConjunct? {
        var columns = Set<ColumnID>()
        guard expression.collectColumns(&columns, limit: 1), let id = columns.first, let slot = forms.slot(of: id)
        else {
            return nil
        }
        let scratch = Pipeline(context: forms.context, source: PipelineSource())
        let input = forms.makeRegister(slot, in: scratch)
        let size: Int
        if let dictionary = input.dictionary {
            size = dictionary.count
        } else {
            guard forms.isNarrowInteger(slot), let count = input.domainCount, count <= max(min(rows / 4, 65_536), 256)
            else { return nil }
            size = count
        }
        guard let table = try? DomainEvaluation.makeTable(expression, id, input, size, forms.context) else {
            return nil
        }
        let values = table.values.assumingMemoryBound(to: UInt8.self)
        let passes = (0..<size).map { index in
            values[index] != 0 && (table.validity.map { $0[index] != 0 } ?? true) ? UInt8(1) : 0
        }
        let nullsPass = values[size] != 0 && (table.validity.map { $0[size] != 0 } ?? true)
        return CodeSetConjunct(
            slot: slot, column: column(slot), passes: passes,
            base: input.dictionary == nil ? Int64(input.lower) : 0, nullsPass: nullsPass,
            unified: forms.dictionaries[slot])
    }

    /// IN over a wide domain: at least the zone maps can rule blocks out.
    private func memberRange(_ expression: BoundExpression) -> ScanConjunct? {
        guard case .inList(let value, let members) = expression, let slot = narrowSlot(value) else { return nil }
        var low = Int128.max, high = Int128.min
        for member in members {
            guard case .constant(.integer(let constant), let type) = member, type.scale == value.type.scale else {
                return nil
            }
            low = min(low, constant)
            high = max(high, constant)
        }
        return low > high
            ? nil
            : RangeConjunct(
                slot: slot, column: column(slot), lower: Int64(clamping: low), upper: Int64(clamping: high))
    }
}
