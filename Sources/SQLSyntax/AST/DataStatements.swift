package struct InsertStatement: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        case defaultValues
        /// VALUES lists are ``QueryBody/values(_:)``.
        case query(Query)
    }
    package let table: ObjectName
    package let columns: [Identifier]
    package let source: Source
    package let position: SourcePosition
}

package struct ColumnAssignment: Sendable, Hashable {
    package let column: Identifier
    /// May be ``Expression/defaultKeyword(_:)``.
    package let value: Expression
}

package struct UpdateStatement: Sendable, Hashable {
    package let with: WithClause?
    package let table: ObjectName
    package let alias: Identifier?
    package let assignments: [ColumnAssignment]
    package let from: [TableReference]
    package let filter: Expression?
    package let position: SourcePosition
}

package struct DeleteStatement: Sendable, Hashable {
    package let with: WithClause?
    package let table: ObjectName
    package let alias: Identifier?
    package let using: [TableReference]
    package let filter: Expression?
    package let position: SourcePosition
}

package struct MergeStatement: Sendable, Hashable {
    package enum MatchedAction: Sendable, Hashable {
        case update([ColumnAssignment])
        case delete
    }
    package struct Insertion: Sendable, Hashable {
        package let columns: [Identifier]
        package let values: [Expression]
    }
    package enum Action: Sendable, Hashable {
        case clauses(matched: MatchedAction?, notMatched: Insertion?)
        case removeDuplicates
    }
    package let target: ObjectName
    package let targetAlias: Identifier?
    package let source: TableReference
    package let condition: Expression
    package let action: Action
    package let position: SourcePosition
}

package struct TruncateStatement: Sendable, Hashable {
    package let table: ObjectName
    package let position: SourcePosition
}

/// `COPY t (cols) FROM 's3://...' options`. Format words stand among the options (`CSV`, `PARQUET`, `JSON`), as does
/// the authorization (`IAM_ROLE`, `CREDENTIALS`, `ACCESS_KEY_ID`, `SECRET_ACCESS_KEY`, `SESSION_TOKEN`).
package struct CopyStatement: Sendable, Hashable {
    package let table: ObjectName
    package let columns: [Identifier]
    /// nil for STDIN: the client sends the rows.
    package let source: String?
    package let sourcePosition: SourcePosition
    package let options: [StatementOption]
    package let position: SourcePosition

    /// The same into another table.
    package func into(_ table: ObjectName) -> CopyStatement {
        CopyStatement(
            table: table, columns: columns, source: source, sourcePosition: sourcePosition, options: options,
            position: position)
    }
}

/// `COPY (query) TO STDOUT`: rows to the client, in PostgreSQL's formats. `COPY table TO STDOUT` is the query that
/// selects its columns.
package struct CopyOutStatement: Sendable, Hashable {
    package let query: Query
    package let options: [StatementOption]
    package let position: SourcePosition
}

package struct UnloadStatement: Sendable, Hashable {
    /// The text inside the quotes.
    package let queryText: String
    /// Where the literal begins, and how it is written: errors inside of the query get places in the statement.
    package let queryPosition: SourcePosition
    package let queryQuoting: LiteralQuoting
    package let target: String
    package let targetPosition: SourcePosition
    package let options: [StatementOption]
    package let position: SourcePosition
}

/// How a literal stands in the source. All are equal: the printer writes its own.
package struct LiteralQuoting: Sendable, Hashable {
    /// Characters before the text itself.
    package let openingCount: Int
    /// Single quotes inside stand twice.
    package let doublesQuotes: Bool

    package static func == (left: LiteralQuoting, right: LiteralQuoting) -> Bool { true }
    package func hash(into hasher: inout Hasher) {}
}

extension UnloadStatement {
    /// The place in the statement of a one-based character in the query.
    package func position(ofQueryCharacter character: Int) -> Int? {
        guard let start = queryPosition.offset else { return nil }
        let before = queryText.unicodeScalars.prefix(max(character - 1, 0))
        let doubled = queryQuoting.doublesQuotes ? before.count { $0 == "'" } : 0
        return start + queryQuoting.openingCount + character - 1 + doubled
    }
}
