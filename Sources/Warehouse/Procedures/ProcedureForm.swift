import Binder
import QueryPlan
import SQLSyntax
import SQLTypes
import VectorEngine

/// A variable as a procedure runs: its type, and where its value is kept.
struct ProcedureForm {
    enum Kind {
        case scalar
        case record
        /// With the columns of a relation.
        case row(names: [String], types: [SQLType])
    }
    let name: String
    let kind: Kind
    let type: SQLType
    let isNotNull: Bool
    /// A word in ``ProcedureRun/words``; a value of its own otherwise.
    let isWord: Bool

    init(_ name: String, _ type: SQLType, isNotNull: Bool = false) {
        self.name = name
        kind = .scalar
        self.type = type
        self.isNotNull = isNotNull
        isWord = WordProgram.keeps(type)
    }

    init(_ name: String, _ kind: Kind) {
        self.name = name
        self.kind = kind
        type = .unknown
        isNotNull = false
        isWord = false
    }

    var isRecord: Bool { if case .scalar = kind { false } else { true } }

    /// Texts of variables and arguments are as long as they are: a length that is not written is none.
    static func resolved(_ name: ParsedTypeName) throws -> SQLType {
        if name.isCursor { return .cursorName }
        return name.isVaryingWithoutLength ? longestText : try name.resolve()
    }
    static let longestText = SQLType.varchar(SQLType.maximumVarcharLength)

    /// Of an argument: lengths of texts say nothing there.
    static func argument(_ type: SQLType) -> SQLType { type.family == .varchar ? longestText : type }
}

/// The value of a RECORD or of a variable with `%ROWTYPE`.
struct ProcedureRecord {
    var names: [String]
    var types: [SQLType]
    var values: [Datum]

    func place(of field: String) -> Int? { names.firstIndex(of: field) }
}

extension ProcedureForm {
    /// Looks up the types that a body names.
    static func all(of body: ProcedureBody, arguments: [SQLType], _ binder: Binder) throws -> [ProcedureForm] {
        var forms: [ProcedureForm] = []
        for (index, variable) in body.variables.enumerated() {
            if index < arguments.count {
                forms.append(ProcedureForm(variable.name, argument(arguments[index])))
            } else {
                forms.append(try form(of: variable, forms, binder))
            }
        }
        return forms
    }

    private static func form(
        of variable: ProcedureVariable, _ known: [ProcedureForm], _ binder: Binder
    ) throws -> ProcedureForm {
        let name = variable.name, isNotNull = variable.isNotNull
        switch variable.kind {
        case .scalar(let type): return ProcedureForm(name, try resolved(type), isNotNull: isNotNull)
        case .cursor: return ProcedureForm(name, .cursorName, isNotNull: isNotNull)
        case .record: return ProcedureForm(name, .record)
        case .same(let other):
            let form = known[other]
            if form.isRecord { return ProcedureForm(name, form.kind) }
            return ProcedureForm(name, form.type, isNotNull: isNotNull)
        case .row(let relation):
            let columns = try binder.columns(of: relation)
            return ProcedureForm(name, .row(names: columns.map(\.name), types: columns.map(\.type)))
        case .column(let column):
            let relation = ObjectName(parts: Array(column.parts.dropLast()))
            guard let found = try binder.columns(of: relation).first(where: { $0.name == column.name }) else {
                throw SQLError(
                    .undefinedColumn, "column \"\(column.name)\" of relation \"\(relation)\" does not exist")
            }
            return ProcedureForm(name, found.type, isNotNull: isNotNull)
        }
    }
}
