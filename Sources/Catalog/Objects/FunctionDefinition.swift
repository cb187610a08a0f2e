import SQLTypes

/// A scalar function whose body is an expression in SQL: calls of it are replaced by the body.
package struct FunctionDefinition: ObjectDefinition, Hashable {
    package enum Volatility: String, Sendable, Hashable, CaseIterable {
        case immutable = "i", stable = "s", volatile = "v"
    }
    package var id: ObjectID
    package var schema: String
    /// Without arguments; see ``signature``.
    package var name: String
    /// `$1`, `$2`, ... in the body.
    package var parameters: [SQLType]
    package var result: SQLType
    package var volatility: Volatility
    /// The SELECT without FROM.
    @ExactText package var body: String
    package var references: [ObjectReference]
    package var owner: Int
    @ExactComment package var comment: String?
    package init(
        id: ObjectID, schema: String, name: String, parameters: [SQLType], result: SQLType, volatility: Volatility,
        body: String, references: [ObjectReference], owner: Int, comment: String? = nil
    ) {
        self.id = id
        self.schema = schema
        self.name = name
        self.parameters = parameters
        self.result = result
        self.volatility = volatility
        self.body = body
        self.references = references
        self.owner = owner
        self.comment = comment
    }

    package var kind: ObjectKind { .function }
    package var object: CatalogObject { .function(self) }
    package var columnIDs: [Int32] { [] }
    /// What tells it from others of its name in the schema: lengths and precisions don't.
    package var signature: String {
        FunctionDefinition.signature(name, parameters)
    }
    package static func signature(_ name: String, _ parameters: [SQLType]) -> String {
        name + "(" + parameters.map(\.nameWithoutModifiers).joined(separator: ",") + ")"
    }
}
