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

    package init(name: ObjectName, cascade: Bool, position: SourcePosition) {
        self.name = name
        self.cascade = cascade
        self.position = position
    }
}

package struct AlterMaterializedViewStatement: Sendable, Hashable {
    package let name: ObjectName
    /// nil: `actions` are meant.
    package let autoRefresh: Bool?
    package let actions: [AlterTableAction]
    package let position: SourcePosition

    /// What the same actions would be of a table.
    package var ofTable: AlterTableStatement {
        AlterTableStatement(name: name, actions: actions, position: position)
    }
}
