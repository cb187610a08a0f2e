/// The one error that reaches a client. Everything a user can cause is thrown as this; traps are for our own bugs only.
public struct SQLError: Error, Sendable, Hashable {
    public var state: SQLState
    public var message: String
    public var detail: String?
    public var hint: String?
    /// One-based character offset into the statement's text, as PostgreSQL's `P` field.
    public var position: Int?
    /// Where in a procedure: the innermost statement first, a line each. PostgreSQL's `W` field.
    public var context: String?
    /// The statement within a procedure whose text the error is about, and the place in it: `q` and `p`.
    public var internalQuery: String?
    public var internalPosition: Int?

    public init(_ state: SQLState, _ message: String, detail: String? = nil, hint: String? = nil, position: Int? = nil)
    {
        self.state = state
        self.message = message
        self.detail = detail
        self.hint = hint
        self.position = position
    }

    /// The same error at a place in the statement, unless it has one already.
    public func at(_ position: Int?) -> SQLError {
        var copy = self
        if copy.position == nil { copy.position = position }
        return copy
    }
}

/// A five-character SQLSTATE. Codes follow PostgreSQL 8.0 and Redshift where they differ from the standard.
public struct SQLState: Hashable, Sendable, ExpressibleByStringLiteral, CustomStringConvertible {
    public let code: String
    public init(_ code: String) { self.code = code }
    public init(stringLiteral value: String) { code = value }
    public var description: String { code }

    public static let featureNotSupported: SQLState = "0A000"
    public static let dataException: SQLState = "22000"
    public static let stringTooLong: SQLState = "22001"
    public static let numericOutOfRange: SQLState = "22003"
    public static let invalidDatetimeFormat: SQLState = "22007"
    public static let datetimeOverflow: SQLState = "22008"
    public static let divisionByZero: SQLState = "22012"
    public static let invalidParameterValue: SQLState = "22023"
    public static let invalidEscape: SQLState = "22025"
    public static let invalidText: SQLState = "22P02"
    public static let characterNotInRepertoire: SQLState = "22021"
    public static let cardinalityViolation: SQLState = "21000"
    public static let notNullViolation: SQLState = "23502"
    public static let activeTransaction: SQLState = "25001"
    public static let noActiveTransaction: SQLState = "25P01"
    public static let failedTransaction: SQLState = "25P02"
    public static let syntaxError: SQLState = "42601"
    public static let insufficientResources: SQLState = "53000"
    public static let insufficientPrivilege: SQLState = "42501"
    public static let cannotCoerce: SQLState = "42846"
    public static let groupingError: SQLState = "42803"
    public static let windowingError: SQLState = "42P20"
    public static let wrongObjectType: SQLState = "42809"
    public static let datatypeMismatch: SQLState = "42804"
    public static let undefinedColumn: SQLState = "42703"
    public static let undefinedFunction: SQLState = "42883"
    public static let undefinedTable: SQLState = "42P01"
    public static let undefinedParameter: SQLState = "42P02"
    public static let undefinedObject: SQLState = "42704"
    public static let duplicateColumn: SQLState = "42701"
    public static let duplicateTable: SQLState = "42P07"
    public static let duplicateSchema: SQLState = "42P06"
    public static let duplicateAlias: SQLState = "42712"
    public static let duplicateObject: SQLState = "42710"
    public static let ambiguousColumn: SQLState = "42702"
    public static let ambiguousFunction: SQLState = "42725"
    public static let invalidColumnReference: SQLState = "42P10"
    public static let invalidRecursion: SQLState = "42P19"
    public static let invalidTableDefinition: SQLState = "42P16"
    public static let invalidSchemaName: SQLState = "3F000"
    public static let dependentObjects: SQLState = "2BP01"
    public static let outOfMemory: SQLState = "53200"
    public static let diskFull: SQLState = "53100"
    public static let limitExceeded: SQLState = "54000"
    public static let statementTooComplex: SQLState = "54001"
    public static let tooManyColumns: SQLState = "54011"
    public static let queryCanceled: SQLState = "57014"
    public static let objectInUse: SQLState = "55006"
    public static let objectNotInState: SQLState = "55000"
    public static let ioError: SQLState = "58030"
    public static let undefinedFile: SQLState = "58P01"
    public static let dataCorrupted: SQLState = "XX001"
    public static let internalError: SQLState = "XX000"
}
