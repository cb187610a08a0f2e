package struct CreateTableStatement: Sendable, Hashable {
    package let name: ObjectName
    /// TEMP was written or the name begins with `#`.
    package let isTemporary: Bool
    package let ifNotExists: Bool
    package let elements: [TableElement]
    package let attributes: TableAttributes
    package let position: SourcePosition
}

package struct CreateTableAsStatement: Sendable, Hashable {
    package let name: ObjectName
    package let isTemporary: Bool
    package let ifNotExists: Bool
    package let columns: [Identifier]
    package let attributes: TableAttributes
    package let query: Query
    package let position: SourcePosition
}

package enum TableElement: Sendable, Hashable {
    case column(ColumnDefinition)
    case constraint(TableConstraint)
    case like(LikeTable)
}

package struct LikeTable: Sendable, Hashable {
    package let name: ObjectName
    package let includesDefaults: Bool
}

package struct ColumnDefinition: Sendable, Hashable {
    package let name: Identifier
    package let type: ParsedTypeName
    /// In the order written.
    package let attributes: [ColumnAttribute]
}

package struct ColumnAttribute: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case defaultValue(Expression)
        case identity(seed: Int64, step: Int64, byDefault: Bool)
        /// Lower case.
        case encode(String)
        case distributionKey
        case sortKey
        /// True: CASE_INSENSITIVE.
        case collate(caseInsensitive: Bool)
        case notNull
        case null
        case unique
        case primaryKey
        case references(ObjectName, [Identifier])
    }
    package let kind: Kind
    package let position: SourcePosition
}

package struct TableConstraint: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case unique([Identifier])
        case primaryKey([Identifier])
        case foreignKey([Identifier], references: ObjectName, [Identifier])
    }
    package let name: Identifier?
    package let kind: Kind
    package let position: SourcePosition
}

package enum DistributionStyle: String, Sendable, Hashable {
    case auto = "AUTO", even = "EVEN", key = "KEY", all = "ALL"
}

package enum SortKeyClause: Sendable, Hashable {
    case auto
    /// ALTER TABLE only.
    case none
    case compound([Identifier])
    case interleaved([Identifier])
}

/// What may follow the column list, nil or false when not written.
package struct TableAttributes: Sendable, Hashable {
    package var backup: Bool?
    package var distributionStyle: DistributionStyle?
    /// A name; CTAS also allows an ordinal, which is kept as its digits.
    package var distributionKey: Identifier?
    package var sortKey: SortKeyClause?
    package var encodeAuto = false
    /// Where the first attribute begins.
    package var position = SourcePosition.unknown

    package init() {}
}

package struct AlterTableStatement: Sendable, Hashable {
    package let name: ObjectName
    /// Usually one; DISTKEY/DISTSTYLE with SORTKEY and several ALTER COLUMN ... ENCODE may stand together.
    package let actions: [AlterTableAction]
    package let position: SourcePosition
}

package enum AlterTableAction: Sendable, Hashable {
    case addColumn(ColumnDefinition)
    case dropColumn(Identifier, cascade: Bool)
    case renameTable(Identifier)
    case renameColumn(Identifier, to: Identifier)
    case ownerTo(Identifier)
    case alterColumnType(Identifier, ParsedTypeName)
    case alterColumnEncode(Identifier, String)
    case alterColumnDefault(Identifier, Expression?)
    case alterColumnNullability(Identifier, isNullable: Bool)
    case distributionStyle(DistributionStyle, key: Identifier?)
    case sortKey(SortKeyClause)
    case encodeAuto
    case addConstraint(TableConstraint)
    case dropConstraint(Identifier, cascade: Bool)
    case append(from: ObjectName, ignoreExtra: Bool, fillTarget: Bool)
    case rowLevelSecurity(enabled: Bool)
    case setSchema(Identifier)
    /// Forms of external tables and others that nobody executes: the words as written.
    case other(String)
}
