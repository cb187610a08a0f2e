import ColumnStore
import QueryPlan
import SQLTypes

/// Registers that a sort-like operator collects, each once: the columns that leave it and its keys.
struct SortInput {
    private(set) var registers: [Register] = []
    /// Index in `registers` of each output column and each further expression.
    private(set) var outputs: [Int] = []
    private(set) var expressions: [Int] = []
    private var places: [Int: Int] = [:]

    mutating func add(output register: Register) { outputs.append(place(register)) }
    mutating func add(expression register: Register) { expressions.append(place(register)) }

    private mutating func place(_ register: Register) -> Int {
        if let known = places[register.index] { return known }
        places[register.index] = registers.count
        registers.append(register)
        return registers.count - 1
    }
}

extension Pipeline {
    /// A key whose order and equality are SQL's. Dictionary codes are, unless entries differ in trailing blanks only.
    func sortKey(_ expression: BoundExpression) throws -> Register {
        let register = comparable(try compile(expression))
        if let dictionary = register.dictionary, dictionary.hasTrailingBlanks, register.trailingBlanks {
            return try canonical(register)
        }
        return register
    }
}

extension QueryExecutor {
    /// Runs the plan and keeps the columns and the values of the expressions.
    func collect(
        _ pipeline: Pipeline, columns: [OutputColumn], expressions: [BoundExpression], inOrder: Bool = false
    ) throws -> (input: SortInput, rows: RowSet) {
        var input = SortInput()
        for expression in expressions { input.add(expression: try pipeline.sortKey(expression)) }
        for column in columns { input.add(output: try pipeline.value(of: column.id)) }
        let collector = RowCollector(input.registers, context: context)
        pipeline.emit(collector)
        try pipeline.run(inOrder: inOrder)
        return (input, try collector.rows())
    }
}
