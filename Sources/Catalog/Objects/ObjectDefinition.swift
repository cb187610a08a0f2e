import SQLTypes

/// What lives in a schema: a definition with a kind. Immutable values in a ``CatalogSnapshot``, replaced as a whole.
package protocol ObjectDefinition: Sendable {
    var id: ObjectID { get set }
    var kind: ObjectKind { get }
    var schema: String { get set }
    var name: String { get set }
    /// A user's id.
    var owner: Int { get set }
    var comment: String? { get set }
    /// Names that its text contains.
    var references: [ObjectReference] { get }
    /// Columns as privileges count them, in order; empty for what has none.
    var columnIDs: [Int32] { get }
    var object: CatalogObject { get }
}

extension ObjectDefinition {
    /// As messages name it; routines with the types of their arguments.
    package var title: String {
        if case .function(let function) = object { return function.signature }
        if case .procedure(let procedure) = object { return procedure.signature }
        return name
    }
    /// What it is read from or computed by, each once.
    package var dependencies: [ObjectID] {
        var seen: Set<ObjectID> = []
        return references.map(\.object).filter { seen.insert($0).inserted }
    }
    package var secured: SecuredObject { kind.facts.secured(id) }
    package var alreadyExists: SQLError {
        switch object {
        case .relation: SQLError(.duplicateTable, "Relation \"\(name)\" already exists")
        case .copyJob: SQLError("42710", "copy job \"\(name)\" already exists")
        case .function: SQLError("42723", "function \"\(name)\" already exists with same argument types")
        case .procedure: SQLError("42723", "procedure \"\(name)\" already exists with same argument types")
        }
    }
}

/// A definition of any kind.
package enum CatalogObject: Hashable, Sendable {
    case relation(Relation)
    case function(FunctionDefinition)
    case procedure(ProcedureDefinition)
    case copyJob(CopyJobDefinition)

    package var definition: any ObjectDefinition {
        switch self {
        case .relation(let relation): relation.definition
        case .function(let function): function
        case .procedure(let procedure): procedure
        case .copyJob(let job): job
        }
    }

    package var id: ObjectID { definition.id }
    package var kind: ObjectKind { definition.kind }
    package var schema: String { definition.schema }
    package var name: String { definition.name }
    package var title: String { definition.title }
    package var owner: Int { definition.owner }
    package var references: [ObjectReference] { definition.references }
    package var alreadyExists: SQLError { definition.alreadyExists }

    /// The same object, changed.
    package func with(_ change: (inout any ObjectDefinition) throws -> Void) rethrows -> CatalogObject {
        var changed = definition
        try change(&changed)
        return changed.object
    }
}
