import Catalog
import SQLSyntax
import SQLTypes
import VectorEngine

/// One call of a procedure: the values of its variables. Confined to the session's thread.
final class ProcedureRun {
    let context: ProcedureContext
    let program: ProcedureProgram
    /// Values of variables that are words, and scratch behind them.
    let words: UnsafeMutablePointer<Int64>
    let nulls: UnsafeMutablePointer<Bool>
    private let wordCount: Int
    private var datums: [Datum]
    private var records: [Int: ProcedureRecord] = [:]
    var rowCount = 0
    /// The error at hand tells already where it is in this call.
    var isLocated = false
    /// Of the handler that runs.
    var handled: SQLError?

    init(_ context: ProcedureContext, _ program: ProcedureProgram) {
        self.context = context
        self.program = program
        wordCount = program.forms.count + WordProgram.scratchCount
        words = .allocate(capacity: wordCount)
        words.initialize(repeating: 0, count: wordCount)
        nulls = .allocate(capacity: wordCount)
        nulls.initialize(repeating: true, count: wordCount)
        datums = Array(repeating: .null, count: program.forms.count)
    }

    deinit {
        words.deallocate()
        nulls.deallocate()
    }

    /// - Parameter values: of the parameters that take one, in their order.
    func execute(_ values: [Datum]) throws -> [Datum] {
        var rest = values[...]
        for (place, parameter) in program.definition.parameters.enumerated() where parameter.takesValue {
            if let value = rest.popFirst() { try set(place, value) }
        }
        try set(program.body.places.found, .boolean(false))
        do {
            _ = try program.root.run(self)
        } catch {
            throw located(error, at: program.root)
        }
        return try program.definition.parameters.indices.filter { program.definition.parameters[$0].returnsValue }
            .map { place in
                let parameter = program.definition.parameters[place]
                return try get(place).cast(
                    from: program.forms[place].type,
                    to: parameter.type.family == .varchar
                        ? program.forms[place].type : parameter.type, explicit: false)
            }
    }

    // MARK: Variables

    func get(_ place: Int) -> Datum {
        let form = program.forms[place]
        return form.isWord ? datum(ofWord: place, form.type) : datums[place]
    }

    func datum(ofWord place: Int, _ type: SQLType) -> Datum {
        if nulls[place] { return .null }
        return type == .double
            ? .double(Double(bitPattern: UInt64(bitPattern: words[place]))) : .integer(Int128(words[place]))
    }

    /// - Parameter value: of the variable's type.
    func set(_ place: Int, _ value: Datum) throws {
        let form = program.forms[place]
        if form.isNotNull && value.isNull { throw ProcedureRun.isNull(form.name) }
        guard form.isWord else {
            datums[place] = value
            return
        }
        nulls[place] = false
        switch value {
        case .integer(let number): words[place] = Int64(truncatingIfNeeded: number)
        case .double(let number): words[place] = Int64(bitPattern: number.bitPattern)
        case .null, .string, .interval:
            nulls[place] = true
            words[place] = 0
        }
    }

    static func isNull(_ name: String) -> SQLError {
        SQLError("22004", "NULL cannot be assigned to variable \"\(name)\" declared NOT NULL")
    }

    func setFound(_ isFound: Bool) {
        let place = program.body.places.found
        words[place] = isFound ? 1 : 0
        nulls[place] = false
    }

    /// - Parameter value: of any type, which is converted to the variable's.
    func assign(_ target: ProcedureReference, _ value: Datum, _ type: SQLType) throws {
        if let field = target.field {
            return try assign(field, of: target.variable, value, type)
        }
        let form = program.forms[target.variable]
        if form.isRecord {
            throw SQLError(.datatypeMismatch, "cannot assign a single value to the record \"\(form.name)\"")
        }
        try set(target.variable, try converted(value, type, form.type))
    }

    private func assign(_ field: String, of place: Int, _ value: Datum, _ type: SQLType) throws {
        var record = try record(place)
        guard let index = record.place(of: field) else { throw unknownField(field, place) }
        record.values[index] = try converted(value, type, record.types[index])
        records[place] = record
    }

    private func converted(_ value: Datum, _ from: SQLType, _ to: SQLType) throws -> Datum {
        if value.isNull || from == to { return value }
        let isAllowed = CastRules.canCast(from: from, to: to, context: .assignment)
        let session = context.session
        return try value.cast(from: from, to: to, explicit: !isAllowed, context: session.datetime)
    }

    // MARK: Records

    /// Takes a row: of a list of variables each the value of its column, of a record all. Missing ones are NULL.
    func assign(_ targets: [ProcedureReference], _ row: [Datum]?, _ names: [String], _ types: [SQLType]) throws {
        if let target = targets.first, targets.count == 1, target.field == nil,
            program.forms[target.variable].isRecord
        {
            return try assignRecord(target.variable, row, names, types)
        }
        for (index, target) in targets.enumerated() {
            let hasValue = row != nil && types.indices.contains(index)
            try assign(target, hasValue ? row?[index] ?? .null : .null, hasValue ? types[index] : .unknown)
        }
    }

    private func assignRecord(_ place: Int, _ row: [Datum]?, _ names: [String], _ types: [SQLType]) throws {
        if case .row(let ownNames, let ownTypes) = program.forms[place].kind {
            var values: [Datum] = []
            for (index, type) in ownTypes.enumerated() {
                let hasValue = row != nil && types.indices.contains(index)
                values.append(hasValue ? try converted(row?[index] ?? .null, types[index], type) : .null)
            }
            records[place] = ProcedureRecord(names: ownNames, types: ownTypes, values: values)
        } else {
            records[place] = ProcedureRecord(
                names: names, types: types, values: row ?? Array(repeating: .null, count: types.count))
        }
    }

    func clear(_ place: Int) throws {
        if case .row(let names, let types) = program.forms[place].kind {
            records[place] = ProcedureRecord(
                names: names, types: types, values: Array(repeating: .null, count: names.count))
        } else {
            records[place] = nil
        }
    }

    private func record(_ place: Int) throws -> ProcedureRecord {
        if let record = records[place] { return record }
        if case .row(let names, let types) = program.forms[place].kind {
            return ProcedureRecord(names: names, types: types, values: Array(repeating: .null, count: names.count))
        }
        throw SQLError(
            .objectNotInState, "record \"\(program.forms[place].name)\" is not assigned yet",
            detail: "The tuple structure of a not-yet-assigned record is indeterminate.")
    }

    private func unknownField(_ field: String, _ place: Int) -> SQLError {
        SQLError(.undefinedColumn, "record \"\(program.forms[place].name)\" has no field \"\(field)\"")
    }

    // MARK: Parameters of SQL

    func parameter(_ reference: ProcedureReference) throws -> StatementParameter {
        guard let field = reference.field else {
            let form = program.forms[reference.variable]
            if form.isRecord {
                throw SQLError(
                    .featureNotSupported, "record \"\(form.name)\" cannot be used as a single value",
                    hint: "Name its fields.")
            }
            return StatementParameter(type: form.type, value: get(reference.variable))
        }
        let record = try record(reference.variable)
        guard let index = record.place(of: field) else { throw unknownField(field, reference.variable) }
        let type = record.types[index]
        return StatementParameter(
            type: type == .unknown ? ProcedureForm.longestText : type, value: record.values[index])
    }

    func parameters(_ references: [ProcedureReference]) throws -> [StatementParameter] {
        try references.map { try parameter($0) }
    }
}
