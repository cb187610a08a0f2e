import Catalog
import QueryPlan

/// What a bound statement uses, and in whose name: checked against the rights of whoever runs it, so that a plan made
/// for one user serves others. Immutable once the statement is bound.
public struct StatementAccess: Sendable {
    public struct Use: Sendable {
        public var relation: Relation
        /// SELECT for what FROM names; nothing for the target of a change, whose columns need SELECT only when they are
        /// read.
        public var needed: PrivilegeSet
        /// Ids of the relation's columns in the plan, in the relation's order.
        public var columns: [ColumnID]
        /// Views read with the rights of their owners; nil: with those of whoever runs the statement.
        public var owner: Int?
    }
    public struct SystemUse: Sendable {
        public var name: String
        public var owner: Int?
    }
    /// A schema that was looked into, or passed over because its use is not allowed.
    public struct SchemaUse: Sendable, Hashable {
        public var schema: String
        public var owner: Int?
        public var isAllowed: Bool
    }

    public internal(set) var uses: [Use] = []
    public internal(set) var systemUses: [SystemUse] = []
    public internal(set) var schemaUses: Set<SchemaUse> = []
    /// The search path's `$user` decided over a name: a user's own schema would have come first.
    public internal(set) var searchesUserSchema = false

    public init() {}
}
