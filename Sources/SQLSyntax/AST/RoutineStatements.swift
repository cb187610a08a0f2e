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
    /// `VOLATILE`, `STABLE`, `IMMUTABLE`, `NONATOMIC`, `SECURITY` definer, `SET` name value.
    package let options: [StatementOption]
    package let position: SourcePosition
}
