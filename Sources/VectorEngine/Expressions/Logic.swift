import QueryPlan
import SQLTypes

extension Pipeline {
    /// AND or OR of any number of conditions, in three-valued logic.
    func combine(_ parts: [BoundExpression], conjunction: Bool) throws -> Register {
        if let long = try longCondition(parts, conjunction: conjunction) { return long }
        var result: Register?
        for part in parts {
            // In long lists no part comes again, and to look for each takes as long as to compile it.
            let next =
                try parts.count < Self.longList ? compile(part) : ExpressionCompiler(pipeline: self).compile(part)
            // A deciding constant ends it, a neutral one does not count.
            if next.constant == .boolean(conjunction) { continue }
            if next.constant == .boolean(!conjunction) { return next }
            guard let left = result else {
                result = next
                continue
            }
            let output = makeRegister(
                .boolean, .uint8, lower: 0, upper: 1, nullable: left.nullable || next.nullable)
            emit(Connective(left, next, output, conjunction: conjunction))
            result = output
        }
        return result ?? constant(.boolean(conjunction), .boolean)
    }

    private static var longList: Int { 64 }

    /// A BOOLEAN whose NULL rows hold 0, as every step that takes it for a condition expects. Expressions give such
    /// registers; what blocks, build sides and materialised rows hold behind NULL is open.
    func falseNulls(_ register: Register) -> Register {
        guard register.type == .boolean, register.nullable, !register.isConstant else { return register }
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: true)
        emit(FalseNulls(register, output))
        return output
    }

    func not(_ register: Register) -> Register {
        if case .integer(let value) = register.constant { return constant(.integer(1 - value), .boolean) }
        if register.constant == .null { return register }
        let output = makeRegister(.boolean, .uint8, lower: 0, upper: 1, nullable: register.nullable)
        emit(Not(register, output))
        return output
    }
}

/// Kleene's AND and OR: NULL unless the other side decides.
private final class Connective: Step {
    private let a: Int, b: Int, output: Int
    private let conjunction: Bool
    override var acceptsMask: Bool { true }

    init(_ a: Register, _ b: Register, _ output: Register, conjunction: Bool) {
        self.a = a.index
        self.b = b.index
        self.output = output.index
        self.conjunction = conjunction
        super.init(inputs: [a.index, b.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(a, UInt8.self), y = batch.values(b, UInt8.self), n = batch.count
        let vx = batch.validity(a), vy = batch.validity(b)
        let o = batch.output(output, UInt8.self)
        if vx == nil && vy == nil {
            if conjunction {
                for i in 0..<n { o[i] = x[i] & y[i] }
            } else {
                for i in 0..<n { o[i] = x[i] | y[i] }
            }
            return
        }
        let v = batch.outputValidity(output)
        // What NULL rows hold is open: a column's block may be one constant for all its rows.
        for i in 0..<n {
            let left = vx.map { $0[i] } ?? 1, right = vy.map { $0[i] } ?? 1
            // Known when both are, or when a known side decides: false for AND, true for OR.
            let known = left & right
            if conjunction {
                let decides = (left & (x[i] ^ 1)) | (right & (y[i] ^ 1))
                o[i] = known & x[i] & y[i]
                v[i] = known | decides
            } else {
                let decides = (left & x[i]) | (right & y[i])
                o[i] = decides
                v[i] = known | decides
            }
        }
    }
}

private final class FalseNulls: Step {
    private let input: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(input, UInt8.self), o = batch.output(output, UInt8.self), n = batch.count
        guard let valid = batch.validity(input) else {
            o.update(from: x, count: n)
            return
        }
        for i in 0..<n { o[i] = x[i] & valid[i] }
        batch.outputValidity(output).update(from: valid, count: n)
    }
}

private final class Not: Step {
    private let input: Int, output: Int
    override var acceptsMask: Bool { true }
    init(_ input: Register, _ output: Register) {
        self.input = input.index
        self.output = output.index
        super.init(inputs: [input.index], outputs: [output.index])
    }
    override func run(_ batch: Batch) throws {
        let x = batch.values(input, UInt8.self), o = batch.output(output, UInt8.self), n = batch.count
        for i in 0..<n { o[i] = x[i] ^ 1 }
        batch.combineValidity(output, inputs)
        zeroNulls(batch, output)
    }
}
