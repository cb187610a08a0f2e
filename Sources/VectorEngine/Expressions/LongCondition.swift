import ColumnVectors
import Platform
import QueryPlan
import SQLTypes

extension Pipeline {
    /// AND or OR of very many conditions; nil for the usual ones, and for those that only this pipeline can compute.
    func longCondition(_ parts: [BoundExpression], conjunction: Bool) throws -> Register? {
        guard parts.count > LongCondition.longestChain else { return nil }
        var columns = Set<ColumnID>()
        for part in parts where !part.collectColumns(&columns, limit: LongCondition.mostColumns) { return nil }
        let inputs = try columns.sorted().map { (column: $0, register: try value(of: $0)) }
        let taken = guardRegister.map { use($0) }
        var sections: [LongCondition.Section] = []
        for start in stride(from: 0, to: parts.count, by: LongCondition.longestChain) {
            try context.cancellation.check()
            let section = parts[start..<min(start + LongCondition.longestChain, parts.count)]
            sections.append(try self.section(Array(section), conjunction, inputs, taken))
        }
        let output = makeRegister(
            .boolean, .uint8, lower: 0, upper: 1, nullable: sections.contains { $0.result.nullable })
        emit(LongCondition(sections, output, conjunction: conjunction, context))
        return output
    }

    private func section(
        _ parts: [BoundExpression], _ conjunction: Bool, _ inputs: [(column: ColumnID, register: Register)],
        _ taken: Register?
    ) throws -> LongCondition.Section {
        let inner = Pipeline(context: context.withoutProfile, source: PipelineSource())
        inner.evaluatesDomains = false
        // A comparison, a value and a constant of each.
        inner.reserve(expressions: parts.count * 3)
        inner.rowBound = rowBound
        var pairs: [(outer: Int, inner: Int)] = []
        for (column, register) in inputs {
            if let constant = register.constant {
                inner.bind(column, inner.constant(constant, register.type))
            } else {
                let own = inner.makeRegister(like: register)
                pairs.append((register.index, own.index))
                inner.bind(column, own)
            }
        }
        if let taken {
            let own = inner.makeRegister(like: taken)
            pairs.append((taken.index, own.index))
            inner.guardRegister = own.index
        }
        let result = try inner.combine(parts, conjunction: conjunction)
        return LongCondition.Section(
            steps: inner.steps, registers: inner.registers, inputs: pairs, result: result)
    }
}

/// AND or OR of very many conditions: computed section by section over one register file after the other, where a
/// register for each condition would take gigabytes.
final class LongCondition: Step {
    static let longestChain = 512
    static let mostColumns = 64

    struct Section {
        var steps: [Step]
        var registers: [Register]
        var inputs: [(outer: Int, inner: Int)]
        var result: Register
    }
    private let sections: [Section]
    private let output: Register
    private let conjunction: Bool
    private let context: ExecutionContext

    init(_ sections: [Section], _ output: Register, conjunction: Bool, _ context: ExecutionContext) {
        self.sections = sections
        self.output = output
        self.conjunction = conjunction
        self.context = context
        let inputs = Set(sections.flatMap { $0.inputs.map(\.outer) }).sorted()
        super.init(inputs: inputs, outputs: [output.index])
    }

    /// The conjuncts, those beyond the first few hundred as one.
    static func joined(_ conjuncts: [BoundExpression]) -> [BoundExpression] {
        guard conjuncts.count > 2 * longestChain else { return conjuncts }
        return Array(conjuncts[..<longestChain]) + [.and(Array(conjuncts[longestChain...]))]
    }

    override func prepare(workers: Int) throws {
        for section in sections { for step in section.steps { try step.prepare(workers: workers) } }
    }

    override func run(_ batch: Batch) throws {
        let values = batch.output(output.index, UInt8.self)
        let validity = output.nullable ? batch.outputValidity(output.index) : nil
        for row in 0..<batch.count { values[row] = conjunction ? 1 : 0 }
        if let validity { for row in 0..<batch.count { validity[row] = 1 } }
        // Constants are written for all rows that there may be: of a small batch for few.
        let capacity = min(batch.capacity, (batch.count + 127) & ~127)
        for section in sections {
            try context.cancellation.check()
            let inner = try Batch(
                worker: batch.worker, capacity: capacity, registers: section.registers, grant: context.grant)
            inner.count = batch.count
            for pair in section.inputs {
                inner.slots[pair.inner].data = batch.slots[pair.outer].data
                inner.slots[pair.inner].validity = batch.slots[pair.outer].validity
            }
            try drive(section.steps, from: 0, inner)
            let next = inner.values(section.result.index, UInt8.self)
            combine(values, validity, next, inner.validity(section.result.index), batch.count)
        }
    }

    /// Kleene's AND and OR: NULL unless the other side decides.
    private func combine(
        _ values: UnsafeMutablePointer<UInt8>, _ validity: UnsafeMutablePointer<UInt8>?, _ next: UnsafePointer<UInt8>,
        _ nextValidity: UnsafePointer<UInt8>?, _ count: Int
    ) {
        guard let validity else {
            if conjunction {
                for row in 0..<count { values[row] &= next[row] }
            } else {
                for row in 0..<count { values[row] |= next[row] }
            }
            return
        }
        for row in 0..<count {
            let left = validity[row], right = nextValidity.map { $0[row] } ?? 1
            let known = left & right
            if conjunction {
                let decides = (left & (values[row] ^ 1)) | (right & (next[row] ^ 1))
                values[row] = known & values[row] & next[row]
                validity[row] = known | decides
            } else {
                let decides = (left & values[row]) | (right & next[row])
                values[row] = decides
                validity[row] = known | decides
            }
        }
    }
}
