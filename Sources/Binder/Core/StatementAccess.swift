import Catalog
import QueryPlan

/// What a bound statement uses, and in whose name: checked against the rights of whoever runs it, so that a plan made
/// for one user serves others. Immutable once the statement is bound.
package struct StatementAccess: Sendable {
    package struct Use: Sendable {
        package var relation: Relation
        /// SELECT for what FROM names; nothing for the target of a change, whose columns need SELECT only when they are
        /// read.
        package var needed: PrivilegeSet
        /// Ids of the relation's columns in the plan, in the relation's order.
        package var columns: [ColumnID]
        /// Views read with the rights of their owners; nil: with those of whoever runs the statement.
        package var owner: Int?
    }
    package struct SystemUse: Sendable {
        package var name: String
        package var owner: Int?
    }
    package struct FunctionUse: Sendable {
        package var function: FunctionDefinition
        package var owner: Int?
    }
    /// A schema that was looked into, or passed over because its use is not allowed.
    package struct SchemaUse: Sendable, Hashable {
        package var database: ObjectID
        package var schema: String
        package var owner: Int?
        package var isAllowed: Bool
    }

    package internal(set) var uses: [Use] = []
    package internal(set) var systemUses: [SystemUse] = []
    package internal(set) var functionUses: [FunctionUse] = []
    package internal(set) var schemaUses: Set<SchemaUse> = []
    /// The search path's `$user` decided over a name: a user's own schema would have come first.
    package internal(set) var searchesUserSchema = false

    package init() {}
}
