/// What FROM can name.
package enum Relation: Hashable, Sendable {
    case table(TableDefinition)
    case view(ViewDefinition)

    package var definition: any ObjectDefinition {
        switch self {
        case .table(let table): table
        case .view(let view): view
        }
    }

    // Asked for in planning: without the detour.
    package var id: ObjectID {
        switch self {
        case .table(let table): table.id
        case .view(let view): view.id
        }
    }
    package var schema: String {
        switch self {
        case .table(let table): table.schema
        case .view(let view): view.schema
        }
    }
    package var name: String {
        switch self {
        case .table(let table): table.name
        case .view(let view): view.name
        }
    }
    /// A user's id.
    package var owner: Int {
        switch self {
        case .table(let table): table.owner
        case .view(let view): view.owner
        }
    }
    package var kind: ObjectKind {
        switch self {
        case .table(let table): table.kind
        case .view: .view
        }
    }

    package var comment: String? { definition.comment }
    package var columnCount: Int {
        switch self {
        case .table(let table): table.columns.count
        case .view(let view): view.columnNames.count
        }
    }
    /// As ``SecuredObject/column(_:_:)`` counts.
    package func columnID(_ index: Int) -> Int32 {
        switch self {
        case .table(let table): table.columns.indices.contains(index) ? table.columns[index].id : -1
        case .view: Int32(truncatingIfNeeded: index)
        }
    }
    package func columnName(_ index: Int) -> String {
        switch self {
        case .table(let table): table.columns[index].name
        case .view(let view): view.columnNames[index]
        }
    }
    /// By column number from 0.
    package var columnComments: [(Int, String)] {
        switch self {
        case .table(let table):
            table.columns.enumerated().compactMap { index, column in column.comment.map { (index, $0) } }
        case .view(let view): view.columnComments.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        }
    }
    package func commenting(column index: Int, _ text: String?) -> Relation {
        switch self {
        case .table(var table):
            if table.columns.indices.contains(index) { table.columns[index].comment = text }
            return .table(table)
        case .view(var view):
            view.columnComments[index] = text
            return .view(view)
        }
    }
}
