import ColumnStore
import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// Evaluates an expression once per distinct value instead of once per row: when it depends on one column only, and
/// that column has a dictionary or a small integer range. `l_shipmode IN (...)`, `p_type LIKE '%BRASS'`, `extract(year
/// from o_orderdate)` become a table and a look-up.
enum DomainEvaluation {
    /// Most values of an integer range.
    private static let maximumDomain = 65_536

    /// nil: not worth it or not possible; the caller evaluates row by row.
    static func compile(_ expression: BoundExpression, in pipeline: Pipeline) throws -> Register? {
        guard pipeline.evaluatesDomains, expression.isLookUpCandidate else { return nil }
        var columns = Set<ColumnID>()
        guard expression.collectColumns(&columns, limit: 1), let column = columns.first else { return nil }
        // Only columns that are at hand: a computed column is a candidate of its own.
        return lookUp(expression, column, try pipeline.value(of: column), in: pipeline)
    }

    /// A function of one computed value.
    static func compile(
        over input: Register, in pipeline: Pipeline, _ function: (BoundExpression) -> BoundExpression
    ) -> Register? {
        let column = ColumnID(.min)
        let expression = function(.column(column, input.type))
        return pipeline.evaluatesDomains ? lookUp(expression, column, input, in: pipeline) : nil
    }

    private static func lookUp(
        _ expression: BoundExpression, _ column: ColumnID, _ input: Register, in pipeline: Pipeline
    ) -> Register? {
        guard let size = domainSize(input, expression, rows: pipeline.rowBound),
            let table = try? makeTable(expression, column, input, size, pipeline.context)
        else { return nil }
        return emit(table, input, in: pipeline)
    }

    private static func domainSize(_ input: Register, _ expression: BoundExpression, rows: Int) -> Int? {
        if input.isConstant { return nil }
        if let dictionary = input.dictionary { return dictionary.count }
        // Bounds of 38-digit decimals are further apart than 128 bits can say.
        let (width, overflow) = input.upper.subtractingReportingOverflow(input.lower)
        guard input.isInteger, !overflow, width < Int128(maximumDomain) else { return nil }
        let size = Int(width) + 1
        return expression.isCostly && size <= rows / 4 ? size : nil
    }

    /// The expression's value for every value of the domain, and for NULL at index `size`.
    static func makeTable(
        _ expression: BoundExpression, _ column: ColumnID, _ input: Register, _ size: Int, _ context: ExecutionContext
    ) throws -> RowSet.Column {
        let domain = try domainRows(input, size)
        let source = RowSetSource(domain)
        let pipeline = Pipeline(context: context.withoutProfile, source: source)
        pipeline.evaluatesDomains = false
        source.bind([column], in: pipeline)
        let result = try pipeline.compile(expression)
        let collector = RowCollector([result], context: context)
        pipeline.emit(collector)
        try pipeline.run(inOrder: true)
        let rows = try collector.rows()
        return RowSet.Column(
            form: result, values: rows.columns[0].values, validity: rows.columns[0].validity, owners: [rows])
    }

    private static func domainRows(_ input: Register, _ size: Int) throws -> RowSet {
        let buffer = ColumnBuffer(input.dictionary == nil ? input.type.physical : .string)
        if let dictionary = input.dictionary {
            try buffer.append(
                values: UnsafeRawPointer(dictionary.views), validity: nil, selection: nil, count: dictionary.count)
        } else {
            for value in 0..<size { try buffer.append(integer: input.lower + Int128(value)) }
        }
        try buffer.appendNull()
        let form = Register(
            index: 0, physical: buffer.physical, type: input.type,
            lower: input.dictionary == nil ? input.lower : Int128.min,
            upper: input.dictionary == nil ? input.upper : Int128.max, nullable: true, dictionary: nil,
            trailingBlanks: input.trailingBlanks, constant: nil)
        let column = RowSet.Column(form: form, values: buffer.values, validity: buffer.validity)
        return RowSet(columns: [column], count: size + 1, owners: [buffer])
    }

    private static func emit(_ table: RowSet.Column, _ input: Register, in pipeline: Pipeline) -> Register? {
        let size = input.dictionary?.count ?? input.domainCount ?? 0
        let nullable =
            hasNull(table.validity, size) || (input.nullable && table.validity.map { $0[size] == 0 } ?? false)
        var form = table.form
        var table = table
        var dictionary = form.dictionary
        if form.physical == .string {
            guard let coded = recode(table, size + 1) else { return nil }
            (table, dictionary) = coded
            form = table.form
        }
        var lower = form.lower, upper = form.upper
        if form.physical.isInteger && dictionary == nil {
            (lower, upper) = integerBounds(table, size + (input.nullable ? 1 : 0))
        }
        let output = pipeline.makeRegister(
            form.type, form.physical, lower: lower, upper: upper, nullable: nullable, dictionary: dictionary,
            trailingBlanks: form.trailingBlanks)
        pipeline.emit(LookUp(table, input, output, nullIndex: size))
        return output
    }

    private static func hasNull(_ validity: UnsafeMutablePointer<UInt8>?, _ count: Int) -> Bool {
        validity.map { memchr($0, 0, count) != nil } ?? false
    }

    private static func integerBounds(_ table: RowSet.Column, _ count: Int) -> (Int128, Int128) {
        var lower = Int128.max, upper = Int128.min
        for row in 0..<count where table.validity.map({ $0[row] != 0 }) ?? true {
            let value = integerValue(table, row)
            lower = min(lower, value)
            upper = max(upper, value)
        }
        return lower <= upper ? (lower, upper) : (0, 0)
    }
    static func integerValue(_ table: RowSet.Column, _ row: Int) -> Int128 {
        switch table.form.physical {
        case .uint8: Int128(table.values.assumingMemoryBound(to: UInt8.self)[row])
        case .uint16: Int128(table.values.assumingMemoryBound(to: UInt16.self)[row])
        case .int32: Int128(table.values.assumingMemoryBound(to: Int32.self)[row])
        case .int64: Int128(table.values.assumingMemoryBound(to: Int64.self)[row])
        case .int128: table.values.assumingMemoryBound(to: Int128.self)[row]
        case .float64, .string: 0
        }
    }

    /// String results get an ordered dictionary of their own, so that grouping and comparing them stays cheap.
    private static func recode(_ table: RowSet.Column, _ count: Int) -> (RowSet.Column, TextDictionary)? {
        let views = table.values.assumingMemoryBound(to: StringView.self)
        let valid = (0..<count).filter { row in table.validity.map { $0[row] != 0 } ?? true }
        let ordered = valid.sorted { StringView.compare(views[$0], views[$1]) < 0 }
        let codes = ColumnBuffer(.uint16)
        var distinct: [StringView] = []
        var codeOf = Array(repeating: 0, count: count)
        for row in ordered {
            if distinct.isEmpty || !StringView.equal(distinct[distinct.count - 1], views[row]) {
                distinct.append(views[row])
            }
            codeOf[row] = distinct.count - 1
        }
        if distinct.count > StorageLimits.dictionaryEntries { return nil }
        for row in 0..<count where (try? codes.append(integer: Int128(codeOf[row]))) == nil { return nil }
        let dictionary = TextDictionary(orderedDistinct: distinct)
        let form = Register(
            index: 0, physical: .uint16, type: table.form.type, lower: 0, upper: Int128(max(distinct.count - 1, 0)),
            nullable: table.form.nullable, dictionary: dictionary, trailingBlanks: dictionary.hasTrailingBlanks,
            constant: nil)
        let coded = RowSet.Column(
            form: form, values: codes.values, validity: table.validity, owners: table.owners + [codes])
        return (coded, dictionary)
    }
}

extension BoundExpression {
    /// More than a column or a constant.
    var isLookUpCandidate: Bool {
        switch self {
        case .column, .constant, .parameter, .subquery: false
        case .call(let function, _, _): FunctionKernels.kernel(for: function).deterministic
        default: true
        }
    }

    /// Costs more than a look-up.
    var isCostly: Bool {
        switch self {
        case .column, .constant, .parameter, .subquery, .comparison, .not, .isNull: return false
        case .call(let function, let arguments, _):
            switch function {
            case .add, .subtract, .multiply, .negate, .dateAddDays, .dateSubtractDays, .dateDifference:
                return arguments.contains { $0.isCostly }
            default: return true
            }
        case .cast(let inner, let type, _): return inner.isCostly || !(inner.type.isNumeric && type.isNumeric)
        case .and(let parts), .or(let parts): return parts.count > 3 || parts.contains { $0.isCostly }
        case .caseWhen: return true
        case .inList(_, let members): return members.count > 3
        }
    }

    /// Adds the columns used; false when there are more than `limit`, or something volatile.
    func collectColumns(_ columns: inout Set<ColumnID>, limit: Int) -> Bool {
        switch self {
        case .column(let column, _):
            columns.insert(column)
            return columns.count <= limit
        case .constant: return true
        case .parameter, .subquery: return false
        case .call(let function, let arguments, _):
            if !FunctionKernels.kernel(for: function).deterministic { return false }
            return arguments.allSatisfy { $0.collectColumns(&columns, limit: limit) }
        case .cast(let inner, _, _), .not(let inner), .isNull(let inner):
            return inner.collectColumns(&columns, limit: limit)
        case .comparison(_, let left, let right):
            return left.collectColumns(&columns, limit: limit) && right.collectColumns(&columns, limit: limit)
        case .and(let parts), .or(let parts):
            return parts.allSatisfy { $0.collectColumns(&columns, limit: limit) }
        case .caseWhen(let branches, let otherwise, _):
            return otherwise.collectColumns(&columns, limit: limit)
                && branches.allSatisfy {
                    $0.condition.collectColumns(&columns, limit: limit)
                        && $0.result.collectColumns(&columns, limit: limit)
                }
        case .inList(let value, let members):
            return value.collectColumns(&columns, limit: limit)
                && members.allSatisfy { $0.collectColumns(&columns, limit: limit) }
        }
    }
}
