import Catalog
import QueryPlan
import SQLSyntax

/// An object that the text of a statement names.
struct NamedObject {
    var object: CatalogObject
    var name: ObjectName
    /// Ids of its columns in the plan, in the order of ``Relation/columnID(_:)``.
    var columns: [ColumnID]

    /// - Parameter used: columns that the text computes with or returns.
    func reference(used: ColumnSet) -> ObjectReference {
        var reference = ObjectReference(
            object: object.id, schema: object.schema, isQualified: name.schema != nil, name: name.name, columns: [])
        // What a late-binding view has is not known before it is read, and may be another tomorrow.
        if case .relation(let relation) = object, columns.count <= relation.columnCount {
            reference.columns = columns.enumerated().map { index, id in
                ObjectReference.Column(
                    id: relation.columnID(index), name: relation.columnName(index), isUsed: used.contains(id))
            }
        }
        return reference
    }
}

/// A definition whose text is being bound: names in it mean what they meant when it was written, and its owner answers
/// for them.
struct OpenText {
    var id: ObjectID
    var isLateBinding: Bool
    var references: [ObjectReference]

    /// - Parameter presentName: of an object that older versions recorded without its name.
    func reference(to name: ObjectName, presentName: (ObjectID) -> String?) -> ObjectReference? {
        references.first { reference in
            guard reference.isNamed else { return name.schema == nil && presentName(reference.object) == name.name }
            return reference.matches(name)
        }
    }
}

extension BindingSession {
    func note(_ relation: Relation, as name: ObjectName, columns: [ColumnID]) {
        guard namedObjects != nil, openTexts.isEmpty else { return }
        namedObjects?.append(NamedObject(object: .relation(relation), name: name, columns: columns))
    }

    /// What the texts of definitions need to know of the names in them: each name once.
    func references(used: ColumnSet) -> [ObjectReference] {
        var result: [ObjectReference] = []
        for named in namedObjects ?? [] {
            let reference = named.reference(used: used)
            guard let known = result.firstIndex(where: { $0.isSameName(as: reference) }) else {
                result.append(reference)
                continue
            }
            for index in reference.columns.indices where reference.columns[index].isUsed {
                result[known].columns[index].isUsed = true
            }
        }
        return result
    }

    /// Where the text that is being bound was written with this name; nil for what is typed now.
    func recordedReference(to name: ObjectName) -> ObjectReference? {
        openTexts.last?.reference(to: name) { catalog.relation(id: $0)?.name }
    }

    func relation(of reference: ObjectReference) -> Relation? {
        // Seldom has anything been renamed.
        if let found = catalog.relation(schema: reference.schema, name: reference.name), found.id == reference.object {
            return found
        }
        return catalog.relation(id: reference.object)
    }

    func inText<Result>(of text: OpenText, _ body: () throws -> Result) rethrows -> Result {
        openTexts.append(text)
        defer { openTexts.removeLast() }
        return try body()
    }
}

extension ObjectReference {
    func matches(_ other: ObjectName) -> Bool {
        name == other.name && (isQualified ? schema == other.schema : other.schema == nil)
    }
    fileprivate func isSameName(as other: ObjectReference) -> Bool {
        object == other.object && name == other.name && isQualified == other.isQualified
    }
}
