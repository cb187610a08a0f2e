package struct CallStatement: Sendable, Hashable {
    package let name: ObjectName
    package let arguments: [Expression]
    package let position: SourcePosition
}

package struct RoutineParameter: Sendable, Hashable {
    package enum Mode: String, Sendable, Hashable { case input = "IN", output = "OUT", inputOutput = "INOUT" }
    package let name: Identifier?
    package let mode: Mode
    package let type: ParsedTypeName
}

/// ALTER PROCEDURE.
package struct AlterProcedureStatement: Sendable, Hashable {
    package enum Action: Sendable, Hashable {
        case renameTo(Identifier)
        case ownerTo(Identifier)
    }
    package let name: ObjectName
    /// nil: the only one of the name.
    package let argumentTypes: [ParsedTypeName]?
    package let action: Action
    package let position: SourcePosition
}

/// CREATE FUNCTION and CREATE PROCEDURE.
package struct CreateRoutineStatement: Sendable, Hashable {
    /// ``ObjectNoun/function`` or ``ObjectNoun/procedure``.
    package let kind: ObjectNoun
    package let name: ObjectName
    package let orReplace: Bool
    package let parameters: [RoutineParameter]
    /// Functions only.
    package let returns: ParsedTypeName?
    /// Lower case: sql, plpgsql, plpythonu.
    package let language: String
    package let body: String
    package let bodyPosition: SourcePosition
    /// Where the body's first character is; unknown where quotes are doubled or escaped in it.
    package let textPosition: SourcePosition
    /// `VOLATILE`, `STABLE`, `IMMUTABLE`, `NONATOMIC`, `SECURITY` definer, `SET` name value.
    package let options: [StatementOption]
    package let position: SourcePosition
}
