import ColumnStore
import ColumnVectors
import QueryPlan
import SQLTypes

extension QueryExecutor {
    /// UNION ALL: the inputs' columns in common forms, streamed.
    func openAppend(_ plan: PhysicalPlan, _ inputs: [[ColumnID]], filters: [RuntimeFilter]) throws -> Pipeline {
        var pipelines: [Pipeline] = []
        var receipts: [[RuntimeFilter]] = []
        for (child, columns) in zip(plan.children, inputs) {
            let below = filters.compactMap { filter -> RuntimeFilter? in
                guard let index = plan.outputs.firstIndex(where: { $0.id == filter.column }) else { return nil }
                // Each input says for itself whether it applies the filter.
                return RuntimeFilter(column: columns[index], test: filter.test)
            }
            receipts.append(below)
            pipelines.append(try open(child, filters: below))
        }
        for (index, filter) in filters.enumerated() where receipts.allSatisfy({ $0.count == filters.count }) {
            if receipts.allSatisfy({ $0[index].receipt.applied }) { filter.receipt.applied = true }
        }
        return try append(pipelines, inputs, outputs: plan.outputs).pipeline
    }

    /// - Parameter tagged: adds a register that holds the number of the input.
    func append(
        _ pipelines: [Pipeline], _ inputs: [[ColumnID]], outputs: [OutputColumn], tagged: Bool = false
    ) throws -> (pipeline: Pipeline, tag: Register?) {
        var registers = try zip(pipelines, inputs).map { pipeline, columns in
            try columns.map { try pipeline.value(of: $0) }
        }
        for index in outputs.indices { try unify(index, pipelines, &registers) }
        if tagged {
            for (number, pipeline) in pipelines.enumerated() {
                registers[number].append(pipeline.constant(.integer(Int128(number & 0xff)), .integer))
            }
        }
        let source = AppendSource(
            zip(pipelines, registers).map { .init(pipeline: $0, registers: $1) }, context: context)
        let outer = Pipeline(context: context, source: source)
        let forms = (0..<outputs.count + (tagged ? 1 : 0)).map { index in
            let parts = registers.map { $0[index] }
            let type = index < outputs.count ? outputs[index].type : SQLType.integer
            return outer.makeRegister(
                type, parts[0].physical, lower: parts.map(\.lower).min(), upper: parts.map(\.upper).max(),
                nullable: parts.contains(where: \.nullable), dictionary: parts[0].dictionary,
                trailingBlanks: parts.contains(where: \.trailingBlanks))
        }
        source.bind(forms, in: outer)
        for (output, form) in zip(outputs, forms) { outer.bind(output.id, form) }
        return (outer, tagged ? forms[outputs.count] : nil)
    }

    /// Brings one column of all inputs into the same form: the widest integer, plain strings unless all share a
    /// dictionary.
    private func unify(_ index: Int, _ pipelines: [Pipeline], _ registers: inout [[Register]]) throws {
        let parts = registers.map { $0[index] }
        guard let first = parts.first else { return }
        let sameDictionary = first.dictionary != nil && parts.allSatisfy { $0.dictionary === first.dictionary }
        let widest = parts.map(\.physical).max { $0.rawValue < $1.rawValue } ?? first.physical
        for (number, pipeline) in pipelines.enumerated() {
            var register = parts[number]
            if register.dictionary != nil && !sameDictionary { register = try pipeline.canonical(register) }
            if register.physical != widest && register.physical.isInteger && widest.isInteger && !sameDictionary {
                register = pipeline.widen(register, to: widest)
            }
            registers[number][index] = register
        }
        guard Set(registers.map { $0[index].physical }).count == 1 else {
            throw SQLError(.internalError, "inputs of a set operation differ in the form of column \(index + 1)")
        }
    }
}
