import SQLTypes

/// The text of a procedure in PL/pgSQL as a tree: names of variables are numbers of places, and embedded SQL has `$1`,
/// `$2`, ... where it names variables, so that binder and engine see ordinary statements with parameters.
package struct ProcedureBody: Sendable {
    package let block: ProcedureBlock
    /// All variables of all blocks, the arguments first.
    package let variables: [ProcedureVariable]
    /// How many ``ProcedureSQL`` and ``ProcedureExpression`` there are, whose ids count from 0.
    package let textCount: Int
    package let places: Places

    /// Variables that every body has.
    package struct Places: Sendable {
        package let found: Int
        package let errorState: Int
        package let errorMessage: Int
    }
}

/// `[<<label>>] [DECLARE ...] BEGIN ... [EXCEPTION WHEN OTHERS THEN ...] END`.
package struct ProcedureBlock: Sendable {
    /// Variables that begin with the block, in their order.
    package let declared: [Int]
    package let statements: [ProcedureStatement]
    /// nil without EXCEPTION.
    package let handler: [ProcedureStatement]?
    /// What EXIT names.
    package let label: Int?
    package let line: Int
}

package struct ProcedureVariable: Sendable {
    package indirect enum Kind: Sendable {
        case scalar(ParsedTypeName)
        /// `table.column%TYPE`
        case column(ObjectName)
        /// `other%TYPE`
        case same(Int)
        /// `table%ROWTYPE`
        case row(ObjectName)
        case record
        /// A REFCURSOR, or a cursor with its query.
        case cursor(ProcedureSQL?, arguments: [Int])
    }
    package let name: String
    package let kind: Kind
    package let isConstant: Bool
    package let isNotNull: Bool
    package let initial: ProcedureExpression?
    package let line: Int
}

/// A variable, or a field of a record.
package struct ProcedureReference: Sendable, Hashable {
    package let variable: Int
    package let field: String?

    package init(variable: Int, field: String?) {
        self.variable = variable
        self.field = field
    }
}

/// A statement in SQL. `$n` in it is the n-th of ``references``.
package struct ProcedureSQL: Sendable {
    package let id: Int
    package let parsed: ParsedStatement
    package let references: [ProcedureReference]
    /// As it was written.
    package let source: String
    /// Of its first character in the body.
    package let position: SourcePosition
}

/// An expression: what stands between the words of PL/pgSQL. It is computed without a query where it names nothing but
/// variables; otherwise as the query that selects it.
package struct ProcedureExpression: Sendable {
    package let id: Int
    /// nil for texts that only a query can be, such as `count(*) FROM t`.
    package let expression: Expression?
    package let query: ProcedureSQL
    package let line: Int
}

package enum ProcedureRaiseLevel: String, Sendable {
    case debug = "DEBUG", log = "LOG", info = "INFO", notice = "NOTICE", warning = "WARNING", exception = "EXCEPTION"
}

package struct ProcedureStatement: Sendable {
    package struct Branch: Sendable {
        package let condition: ProcedureExpression
        package let statements: [ProcedureStatement]
    }
    package struct IntegerLoop: Sendable {
        package let variable: Int
        package let isReverse: Bool
        package let from: ProcedureExpression
        package let to: ProcedureExpression
        package let step: ProcedureExpression?
    }
    package enum RowSource: Sendable {
        case query(ProcedureSQL)
        case dynamic(ProcedureExpression)
        /// A bound cursor with its arguments.
        case cursor(Int, [ProcedureExpression])
    }
    package struct Fetch: Sendable {
        package let cursor: Int
        package let direction: FetchStatement.Direction
        package let amount: FetchStatement.Amount
        package let targets: [ProcedureReference]
        package let isMove: Bool
    }
    package indirect enum Kind: Sendable {
        case null
        case block(ProcedureBlock)
        case assignment(ProcedureReference, ProcedureExpression)
        /// The last one without a condition; nil: an error when none is true (CASE).
        case branches([Branch], otherwise: [ProcedureStatement]?)
        case loop([ProcedureStatement], label: Int)
        case whileLoop(ProcedureExpression, [ProcedureStatement], label: Int)
        case integerLoop(IntegerLoop, [ProcedureStatement], label: Int)
        case rowLoop([ProcedureReference], RowSource, [ProcedureStatement], label: Int)
        /// EXIT and CONTINUE of the loop or block with the label.
        case leave(label: Int, isContinue: Bool, when: ProcedureExpression?)
        case returning
        case sql(ProcedureSQL, into: [ProcedureReference])
        case perform(ProcedureSQL)
        case execute(ProcedureExpression, into: [ProcedureReference], using: [ProcedureExpression])
        case call(ProcedureSQL)
        case open(Int, query: RowSource)
        case fetch(Fetch)
        case close(Int)
        case diagnostics([ProcedureReference])
        case raise(ProcedureRaiseLevel, format: String, [ProcedureExpression])
        /// RAISE alone: the error at hand again.
        case raiseAgain
        case commit
        case rollback
    }
    package let kind: Kind
    package let line: Int
}

/// Limits of a body; each raises an error.
package enum ProcedureLimits {
    package static let variables = 1_024
    /// Blocks, loops and branches inside of each other.
    static let nesting = 200
}
