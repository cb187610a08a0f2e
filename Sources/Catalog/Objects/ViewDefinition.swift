/// A view: its text is bound again at every use; a late-binding view is not even checked when it is created.
package struct ViewDefinition: ObjectDefinition, Hashable {
    package var id: ObjectID
    package var schema: String
    package var name: String
    package var columnNames: [String]
    /// The SELECT text.
    @ExactText package var query: String
    package var isLateBinding: Bool
    /// What the view reads: DROP of it needs CASCADE. Empty for late-binding views.
    package var references: [ObjectReference]
    package var owner: Int
    @ExactComment package var comment: String?
    /// By column number from 0.
    package var columnComments: [Int: String] = [:]
    package init(
        id: ObjectID, schema: String, name: String, columnNames: [String], query: String, isLateBinding: Bool,
        references: [ObjectReference], owner: Int = UserDefinition.firstID, comment: String? = nil
    ) {
        self.id = id
        self.schema = schema
        self.name = name
        self.columnNames = columnNames
        self.query = query
        self.isLateBinding = isLateBinding
        self.references = references
        self.owner = owner
        self.comment = comment
    }

    package var kind: ObjectKind { .view }
    package var object: CatalogObject { .relation(.view(self)) }
    package var columnIDs: [Int32] { columnNames.indices.map { Int32(truncatingIfNeeded: $0) } }
}
