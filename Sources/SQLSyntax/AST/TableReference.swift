/// One entry of FROM.
public indirect enum TableReference: Sendable, Hashable {
    /// A table, view or common table; also `t.items` that unnests a SUPER column of an earlier table `t`.
    case table(NamedTable)
    case subquery(DerivedTable)
    case function(TableFunction)
    case join(Join)
    case pivot(PivotTable)
    case unpivot(UnpivotTable)
    /// `t.items[0].x AS i`: a SUPER path with subscripts.
    case navigation(NavigationTable)
    /// `UNPIVOT t.object AS v AT k`.
    case objectUnpivot(NavigationTable)
}

public struct TableAlias: Sendable, Hashable {
    public let name: Identifier
    public let columns: [Identifier]
    /// `AS v AT k`: position or attribute name of SUPER unnesting.
    public let at: Identifier?
}

public struct NamedTable: Sendable, Hashable {
    public let name: ObjectName
    public let alias: TableAlias?
    public var position: SourcePosition { name.position }
}

public struct DerivedTable: Sendable, Hashable {
    public let query: Query
    public let isLateral: Bool
    public let alias: TableAlias?
    public let position: SourcePosition
}

public struct TableFunction: Sendable, Hashable {
    public let call: FunctionCall
    public let alias: TableAlias?
    /// `AS f(a int, b varchar)`; otherwise empty.
    public let columnTypes: [ParsedTypeName]
    public var position: SourcePosition { call.position }
}

public struct NavigationTable: Sendable, Hashable {
    public let path: Expression
    public let alias: TableAlias?
    public var position: SourcePosition { path.position }
}

public struct Join: Sendable, Hashable {
    public enum Kind: String, Sendable, Hashable {
        case inner = "INNER", left = "LEFT", right = "RIGHT", full = "FULL", cross = "CROSS"
    }
    public enum Constraint: Sendable, Hashable {
        /// CROSS only.
        case none
        case natural
        case using([Identifier])
        case on(Expression)
    }
    public let kind: Kind
    public let left: TableReference
    public let right: TableReference
    public let constraint: Constraint
    /// Of the join words.
    public let position: SourcePosition
}

/// `t PIVOT (sum(x) [AS s] FOR c IN (1 AS one, 2))`.
public struct PivotTable: Sendable, Hashable {
    public struct Value: Sendable, Hashable {
        public let expression: Expression
        public let alias: Identifier?
    }
    public let source: TableReference
    public let aggregates: [Value]
    public let column: Expression
    public let values: [Value]
    public let alias: TableAlias?
    public let position: SourcePosition
}

/// `t UNPIVOT [INCLUDE NULLS] (v FOR n IN (a AS x, b))`.
public struct UnpivotTable: Sendable, Hashable {
    public struct Column: Sendable, Hashable {
        public let name: Identifier
        public let label: Expression?
    }
    public let source: TableReference
    public let includesNulls: Bool
    public let valueName: Identifier
    public let labelName: Identifier
    public let columns: [Column]
    public let alias: TableAlias?
    public let position: SourcePosition
}
