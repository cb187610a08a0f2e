public struct CallStatement: Sendable, Hashable {
    public let name: ObjectName
    public let arguments: [Expression]
    public let position: SourcePosition
}

public struct RoutineParameter: Sendable, Hashable {
    public enum Mode: String, Sendable, Hashable { case input = "IN", output = "OUT", inputOutput = "INOUT" }
    public let name: Identifier?
    public let mode: Mode
    public let type: ParsedTypeName
}

/// CREATE FUNCTION and CREATE PROCEDURE.
public struct CreateRoutineStatement: Sendable, Hashable {
    /// ``ObjectKind/function`` or ``ObjectKind/procedure``.
    public let kind: ObjectKind
    public let name: ObjectName
    public let orReplace: Bool
    public let parameters: [RoutineParameter]
    /// Functions only.
    public let returns: ParsedTypeName?
    /// Lower case: sql, plpgsql, plpythonu.
    public let language: String
    public let body: String
    public let bodyPosition: SourcePosition
    /// `VOLATILE`, `STABLE`, `IMMUTABLE`, `NONATOMIC`, `SECURITY` definer, `SET` name value.
    public let options: [StatementOption]
    public let position: SourcePosition
}
