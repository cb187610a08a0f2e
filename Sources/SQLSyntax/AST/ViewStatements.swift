public struct CreateViewStatement: Sendable, Hashable {
    public let name: ObjectName
    public let orReplace: Bool
    public let isTemporary: Bool
    public let columns: [Identifier]
    public let query: Query
    /// The query as written, for the catalog.
    public let queryText: String
    /// WITH NO SCHEMA BINDING.
    public let isLateBinding: Bool
    public let position: SourcePosition
}

public struct CreateMaterializedViewStatement: Sendable, Hashable {
    public let name: ObjectName
    public let columns: [Identifier]
    public let attributes: TableAttributes
    public let autoRefresh: Bool?
    public let query: Query
    public let queryText: String
    public let position: SourcePosition
}

public struct RefreshMaterializedViewStatement: Sendable, Hashable {
    public let name: ObjectName
    public let cascade: Bool
    public let position: SourcePosition
}

public struct AlterMaterializedViewStatement: Sendable, Hashable {
    public let name: ObjectName
    /// nil: another form.
    public let autoRefresh: Bool?
    public let position: SourcePosition
}
