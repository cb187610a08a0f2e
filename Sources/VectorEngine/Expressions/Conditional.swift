import ColumnStore
import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

extension Pipeline {
    /// Searched CASE. A branch that can raise errors is computed only for the rows that take it.
    func caseWhen(
        _ branches: [BoundExpression.CaseBranch], _ otherwise: BoundExpression, _ type: SQLType
    ) throws -> Register {
        let outer = guardRegister
        defer { guardRegister = outer }
        let safety = EvaluationSafety(pipeline: self)
        let guarded =
            try (branches.map(\.result) + [otherwise]).contains(where: safety.mayRaise)
            || branches.dropFirst().contains { try safety.mayRaise($0.condition) }
        var remaining: Register? = outer.map { use($0) }
        var conditions: [Register] = []
        var values: [Register] = []
        for branch in branches {
            guardRegister = remaining?.index
            let condition = try compile(branch.condition)
            if guarded {
                guardRegister = try maskAnd(remaining, condition).index
                values.append(try compile(branch.result))
                remaining = try maskAnd(remaining, not(knownTrue(condition)))
            } else {
                values.append(try compile(branch.result))
            }
            conditions.append(condition)
        }
        guardRegister = remaining?.index
        values.append(try compile(otherwise))
        return try select(conditions, values, type)
    }

    /// COALESCE: the first value that is not NULL.
    func coalesce(_ arguments: [BoundExpression], _ type: SQLType) throws -> Register {
        var branches: [BoundExpression.CaseBranch] = []
        for argument in arguments.dropLast() {
            branches.append(.init(condition: .not(.isNull(argument)), result: argument))
        }
        guard let last = arguments.last else { return constant(.null, type) }
        if branches.isEmpty { return try compile(last) }
        return try caseWhen(branches, last, type)
    }

    private func maskAnd(_ left: Register?, _ right: Register) throws -> Register {
        guard let left else { return right }
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: false)
        emit(MaskAnd(left, right, output))
        return output
    }
    /// The condition without its NULLs, which count as false.
    private func knownTrue(_ register: Register) -> Register {
        if !register.nullable { return register }
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: false)
        emit(MaskAnd(register, register, output))
        return output
    }

    private func select(_ conditions: [Register], _ values: [Register], _ type: SQLType) throws -> Register {
        if let coded = selectCodes(conditions, values, type) { return coded }
        var forms = values
        let physical: PhysicalType
        var lower = Int128.max, upper = Int128.min
        if type.physical.isInteger {
            for value in values where value.constant != .null {
                lower = min(lower, value.lower)
                upper = max(upper, value.upper)
            }
            if lower > upper { (lower, upper) = (0, 0) }
            physical = PhysicalType.narrowest(lower, upper)
            forms = values.map { $0.constant == .null ? constantNull(physical, type) : widen($0, to: physical) }
        } else if type.physical == .float64 {
            physical = .float64
            forms = try values.map { try toDouble($0) }
        } else {
            physical = .string
            forms = values.map { decoded($0) }
        }
        let bounded = physical.isInteger
        let output = makeRegister(
            type, physical, lower: bounded ? lower : nil, upper: bounded ? upper : nil,
            nullable: forms.contains { $0.nullable }, trailingBlanks: forms.contains { $0.trailingBlanks })
        emit(Select(conditions, forms, output))
        return output
    }
    /// Branches that are constant texts give codes of a dictionary, by which groups and comparisons are cheap; nil for
    /// others.
    private func selectCodes(_ conditions: [Register], _ values: [Register], _ type: SQLType) -> Register? {
        guard type.isString, context.takes(.caseCodes) else { return nil }
        var texts = Set<[UInt8]>()
        for value in values {
            switch value.constant {
            case .string(let bytes): texts.insert(bytes)
            case .null: break
            default: return nil
            }
        }
        guard !texts.isEmpty, texts.count <= 256 else { return nil }
        let ordered = texts.sorted { $0.lexicographicallyPrecedes($1) }
        let dictionary = TextDictionary.of(ordered)
        let forms = values.map { value in
            if case .string(let bytes) = value.constant, let code = ordered.firstIndex(of: bytes) {
                return constant(.integer(Int128(code)), .smallint)
            }
            return constantNull(.uint8, .smallint)
        }
        let output = makeRegister(
            type, .uint8, lower: 0, upper: Int128(ordered.count - 1), nullable: forms.contains { $0.nullable },
            dictionary: dictionary, trailingBlanks: dictionary.hasTrailingBlanks)
        emit(Select(conditions, forms, output))
        return output
    }
    private func constantNull(_ physical: PhysicalType, _ type: SQLType) -> Register {
        makeRegister(type, physical, lower: 0, upper: 0, nullable: true, trailingBlanks: false, constant: .null)
    }
}

/// Bytes of two masks, NULL counted as 0.
private final class MaskAnd: Step {
    private let a: Int, b: Int, output: Int
    init(_ a: Register, _ b: Register, _ output: Register) {
        self.a = a.index
        self.b = b.index
        self.output = output.index
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }
    override var acceptsMask: Bool { true }
    override func run(_ batch: Batch) throws {
        let x = batch.values(a, UInt8.self), y = batch.values(b, UInt8.self), o = batch.output(output, UInt8.self)
        for i in 0..<batch.count { o[i] = x[i] & y[i] }
    }
}

/// The value of the first condition that holds, else the last value. All values have one form.
private final class Select: Step {
    private let conditions: [Int]
    private let values: [Int]
    private let output: Register
    override var acceptsMask: Bool { true }

    init(_ conditions: [Register], _ values: [Register], _ output: Register) {
        self.conditions = conditions.map(\.index)
        self.values = values.map(\.index)
        self.output = output
        super.init(inputs: self.conditions + self.values, outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        switch output.physical.byteWidth {
        case 1: blend(batch, UInt8.self)
        case 2: blend(batch, UInt16.self)
        case 4: blend(batch, UInt32.self)
        case 8: blend(batch, UInt64.self)
        default: blend(batch, SIMD2<UInt64>.self)
        }
        if values.contains(where: { batch.slots[$0].validity != nil }) { blendValidity(batch) }
    }
    private func blend<T>(_ batch: Batch, _: T.Type) {
        let n = batch.count, o = batch.output(output.index, T.self)
        let last = batch.values(values[values.count - 1], T.self)
        o.update(from: last, count: n)
        for branch in conditions.indices.reversed() {
            let m = batch.values(conditions[branch], UInt8.self), v = batch.values(values[branch], T.self)
            for i in 0..<n { o[i] = m[i] != 0 ? v[i] : o[i] }
        }
    }
    private func blendValidity(_ batch: Batch) {
        let n = batch.count, o = batch.outputValidity(output.index)
        func take(_ register: Int, _ mask: UnsafePointer<UInt8>?) {
            let valid = batch.validity(register)
            for i in 0..<n where mask.map({ $0[i] != 0 }) ?? true { o[i] = valid.map { $0[i] } ?? 1 }
        }
        take(values[values.count - 1], nil)
        for branch in conditions.indices.reversed() {
            take(values[branch], batch.values(conditions[branch], UInt8.self))
        }
    }
}
