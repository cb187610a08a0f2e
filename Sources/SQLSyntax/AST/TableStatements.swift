public struct CreateTableStatement: Sendable, Hashable {
    public let name: ObjectName
    /// TEMP was written or the name begins with `#`.
    public let isTemporary: Bool
    public let ifNotExists: Bool
    public let elements: [TableElement]
    public let attributes: TableAttributes
    public let position: SourcePosition
}

public struct CreateTableAsStatement: Sendable, Hashable {
    public let name: ObjectName
    public let isTemporary: Bool
    public let ifNotExists: Bool
    public let columns: [Identifier]
    public let attributes: TableAttributes
    public let query: Query
    public let position: SourcePosition
}

public enum TableElement: Sendable, Hashable {
    case column(ColumnDefinition)
    case constraint(TableConstraint)
    case like(LikeTable)
}

public struct LikeTable: Sendable, Hashable {
    public let name: ObjectName
    public let includesDefaults: Bool
}

public struct ColumnDefinition: Sendable, Hashable {
    public let name: Identifier
    public let type: ParsedTypeName
    /// In the order written.
    public let attributes: [ColumnAttribute]
}

public struct ColumnAttribute: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
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
    public let kind: Kind
    public let position: SourcePosition
}

public struct TableConstraint: Sendable, Hashable {
    public enum Kind: Sendable, Hashable {
        case unique([Identifier])
        case primaryKey([Identifier])
        case foreignKey([Identifier], references: ObjectName, [Identifier])
    }
    public let name: Identifier?
    public let kind: Kind
    public let position: SourcePosition
}

public enum DistributionStyle: String, Sendable, Hashable {
    case auto = "AUTO", even = "EVEN", key = "KEY", all = "ALL"
}

public enum SortKeyClause: Sendable, Hashable {
    case auto
    /// ALTER TABLE only.
    case none
    case compound([Identifier])
    case interleaved([Identifier])
}

/// What may follow the column list, nil or false when not written.
public struct TableAttributes: Sendable, Hashable {
    public var backup: Bool?
    public var distributionStyle: DistributionStyle?
    /// A name; CTAS also allows an ordinal, which is kept as its digits.
    public var distributionKey: Identifier?
    public var sortKey: SortKeyClause?
    public var encodeAuto = false
    /// Where the first attribute begins.
    public var position = SourcePosition.unknown

    public init() {}
}

public struct AlterTableStatement: Sendable, Hashable {
    public let name: ObjectName
    /// Usually one; DISTKEY/DISTSTYLE with SORTKEY and several ALTER COLUMN ... ENCODE may stand together.
    public let actions: [AlterTableAction]
    public let position: SourcePosition
}

public enum AlterTableAction: Sendable, Hashable {
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
