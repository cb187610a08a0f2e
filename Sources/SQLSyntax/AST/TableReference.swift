/// One entry of FROM.
package indirect enum TableReference: Sendable, Hashable {
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

package struct TableAlias: Sendable, Hashable {
    package let name: Identifier
    package let columns: [Identifier]
    /// `AS v AT k`: position or attribute name of SUPER unnesting.
    package let at: Identifier?
}

package struct NamedTable: Sendable, Hashable {
    package let name: ObjectName
    package let alias: TableAlias?
    package var position: SourcePosition { name.position }
    package init(name: ObjectName, alias: TableAlias?) {
        self.name = name
        self.alias = alias
    }
}

package struct DerivedTable: Sendable, Hashable {
    package let query: Query
    package let isLateral: Bool
    package let alias: TableAlias?
    package let position: SourcePosition
}

package struct TableFunction: Sendable, Hashable {
    package let call: FunctionCall
    package let alias: TableAlias?
    /// `AS f(a int, b varchar)`; otherwise empty.
    package let columnTypes: [ParsedTypeName]
    package var position: SourcePosition { call.position }
}

package struct NavigationTable: Sendable, Hashable {
    package let path: Expression
    package let alias: TableAlias?
    package var position: SourcePosition { path.position }
}

package struct Join: Sendable, Hashable {
    package enum Kind: String, Sendable, Hashable {
        case inner = "INNER", left = "LEFT", right = "RIGHT", full = "FULL", cross = "CROSS"
    }
    package enum Constraint: Sendable, Hashable {
        /// CROSS only.
        case none
        case natural
        case using([Identifier])
        case on(Expression)
    }
    package let kind: Kind
    package let left: TableReference
    package let right: TableReference
    package let constraint: Constraint
    /// Of the join words.
    package let position: SourcePosition
}

/// `t PIVOT (sum(x) [AS s] FOR c IN (1 AS one, 2))`.
package struct PivotTable: Sendable, Hashable {
    package struct Value: Sendable, Hashable {
        package let expression: Expression
        package let alias: Identifier?
    }
    package let source: TableReference
    package let aggregates: [Value]
    package let column: Expression
    package let values: [Value]
    package let alias: TableAlias?
    package let position: SourcePosition
}

/// `t UNPIVOT [INCLUDE NULLS] (v FOR n IN (a AS x, b))`.
package struct UnpivotTable: Sendable, Hashable {
    package struct Column: Sendable, Hashable {
        package let name: Identifier
        package let label: Expression?
    }
    package let source: TableReference
    package let includesNulls: Bool
    package let valueName: Identifier
    package let labelName: Identifier
    package let columns: [Column]
    package let alias: TableAlias?
    package let position: SourcePosition
}
