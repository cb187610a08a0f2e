import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// Finding objects of any kind by the kind's words and a name.
extension BindingSession {
    /// - Parameter arguments: of routines; nil where the statement leaves them out.
    /// - Returns: what has the name, which may be of another kind in the same space of names.
    func findObject(_ kind: ObjectKind, _ name: ObjectName, arguments: [ParsedTypeName]?) throws -> CatalogObject? {
        switch kind {
        case .table, .view, .materializedView: try findRelation(name).map { .relation($0) }
        case .function: try findFunction(name, arguments).map { .function($0) }
        case .procedure: try findProcedure(name, arguments).map { .procedure($0) }
        case .copyJob: catalog.copyJobs[name.name].map { .copyJob($0) }
        }
    }

    func unknownObject(_ kind: ObjectKind, _ name: ObjectName, arguments: [ParsedTypeName]?) -> SQLError {
        switch kind {
        case .table, .view, .materializedView:
            return SQLError(.undefinedTable, "\(kind.noun) \"\(name)\" does not exist", at: name.position)
        case .copyJob:
            return SQLError(.undefinedObject, "\(kind.noun) \"\(name)\" does not exist", at: name.position)
        case .function, .procedure:
            let types = arguments.map { "(" + $0.map(\.name).joined(separator: ", ") + ")" } ?? ""
            return SQLError(.undefinedFunction, "\(kind.noun) \(name)\(types) does not exist", at: name.position)
        }
    }

    private func findFunction(_ name: ObjectName, _ arguments: [ParsedTypeName]?) throws -> FunctionDefinition? {
        let found = try functions(named: name)
        guard let arguments else {
            if found.count > 1 {
                throw SQLError(
                    "42725", "function name \"\(name)\" is not unique",
                    hint: "Specify the argument list to select the function unambiguously.", at: name.position)
            }
            return found.first
        }
        let signature = FunctionDefinition.signature(name.name, try arguments.map { try $0.resolve() })
        return found.first { $0.signature == signature }
    }

    private func findProcedure(_ name: ObjectName, _ arguments: [ParsedTypeName]?) throws -> ProcedureDefinition? {
        let found = try procedures(named: name)
        guard let arguments else {
            if found.count > 1 {
                throw SQLError(
                    "42725", "procedure name \"\(name)\" is not unique",
                    hint: "Specify the argument list to select the procedure unambiguously.", at: name.position)
            }
            return found.first
        }
        let words = try arguments.map { $0.isCursor ? "refcursor" : try $0.resolve().nameWithoutModifiers }
        let signature = ProcedureDefinition.signature(name.name, words)
        return found.first { $0.signature == signature }
    }

    /// All procedures of the name in the schema, or in the first schema of the search path that has any.
    func procedures(named name: ObjectName) throws -> [ProcedureDefinition] {
        try routines(name, areNone: catalog.procedures.isEmpty) { catalog.procedures(schema: $0, name: name.name) }
    }

    /// The same for functions.
    func functions(named name: ObjectName) throws -> [FunctionDefinition] {
        try routines(name, areNone: catalog.functions.isEmpty) { catalog.functions(schema: $0, name: name.name) }
    }

    private func routines<Routine>(
        _ name: ObjectName, areNone: Bool, in schema: (String) -> [Routine]
    ) throws -> [Routine] {
        try checkDatabase(name)
        if areNone { return [] }
        if let given = name.schema {
            try checkUsage(of: given, at: name.position)
            return schema(given)
        }
        let found = searched { place -> [Routine]? in
            let routines = schema(place)
            return routines.isEmpty ? nil : routines
        }
        return found ?? []
    }
}
