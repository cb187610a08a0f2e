package struct CreateViewStatement: Sendable, Hashable {
    package let name: ObjectName
    package let orReplace: Bool
    package let isTemporary: Bool
    package let columns: [Identifier]
    package let query: Query
    /// The query as written, for the catalog.
    package let queryText: String
    /// WITH NO SCHEMA BINDING.
    package let isLateBinding: Bool
    package let position: SourcePosition
}

package struct CreateMaterializedViewStatement: Sendable, Hashable {
    package let name: ObjectName
    package let columns: [Identifier]
    package let attributes: TableAttributes
    package let autoRefresh: Bool?
    package let query: Query
    package let queryText: String
    package let position: SourcePosition
}

package struct RefreshMaterializedViewStatement: Sendable, Hashable {
    package let name: ObjectName
    package let cascade: Bool
    package let position: SourcePosition
}

package struct AlterMaterializedViewStatement: Sendable, Hashable {
    package let name: ObjectName
    /// nil: another form.
    package let autoRefresh: Bool?
    package let position: SourcePosition
}
