/// One parsed statement. What nobody executes yet is ``generic(_:)`` with its command tag.
public indirect enum Statement: Sendable, Hashable {
    /// Also `SELECT ... INTO`, see ``SelectBody/into``.
    case query(Query)
    case insert(InsertStatement)
    case update(UpdateStatement)
    case delete(DeleteStatement)
    case merge(MergeStatement)
    case truncate(TruncateStatement)
    case copy(CopyStatement)
    case copyOut(CopyOutStatement)
    case unload(UnloadStatement)
    case createTable(CreateTableStatement)
    case createTableAs(CreateTableAsStatement)
    case alterTable(AlterTableStatement)
    case createView(CreateViewStatement)
    case createMaterializedView(CreateMaterializedViewStatement)
    case refreshMaterializedView(RefreshMaterializedViewStatement)
    case alterMaterializedView(AlterMaterializedViewStatement)
    case createSchema(CreateSchemaStatement)
    case alterSchema(AlterSchemaStatement)
    case createDatabase(CreateDatabaseStatement)
    case alterDatabase(AlterDatabaseStatement)
    case drop(DropStatement)
    case comment(CommentStatement)
    case analyze(AnalyzeStatement)
    case vacuum(VacuumStatement)
    case explain(ExplainStatement)
    case set(SetStatement)
    case reset(ResetStatement)
    case show(ShowStatement)
    case transaction(TransactionStatement)
    case lock(LockStatement)
    case prepare(PrepareStatement)
    case execute(ExecuteStatement)
    case deallocate(DeallocateStatement)
    case declareCursor(DeclareCursorStatement)
    case fetch(FetchStatement)
    case closeCursor(CloseCursorStatement)
    case grant(GrantStatement)
    case grantRole(GrantRoleStatement)
    case createUser(UserStatement)
    case alterUser(UserStatement)
    case createGroup(CreateGroupStatement)
    case alterGroup(AlterGroupStatement)
    case createRole(RoleStatement)
    case alterRole(RoleStatement)
    case call(CallStatement)
    case createRoutine(CreateRoutineStatement)
    case createExternalSchema(CreateExternalSchemaStatement)
    case createExternalTable(CreateExternalTableStatement)
    case use(UseStatement)
    case cancel(CancelStatement)
    case snapshot(SnapshotStatement)
    case resize(ResizeStatement)
    case generic(GenericStatement)
}

/// A statement and the part of the text that it came from.
public struct ParsedStatement: Sendable, Hashable {
    public let statement: Statement
    /// Byte range in the text given to the parser, without the `;` and surrounding blanks and comments.
    public let byteRange: Range<Int>
    /// The highest `$n` in it, 0 if none.
    public let parameterCount: Int
}

/// A statement that is only recognized: RLS and masking policies, datashares, models, libraries, ...
public struct GenericStatement: Sendable, Hashable {
    /// `CREATE MODEL`, `ATTACH RLS POLICY`: the words that name the command.
    public let commandTag: String
    /// The statement as written.
    public let text: String
    public let position: SourcePosition
}

/// An option of COPY, UNLOAD, CREATE USER and the like: a name and what follows it, in the order written.
public struct StatementOption: Sendable, Hashable {
    /// Upper-case words, one blank between them, noise words (AS, WITH) left out: `DELIMITER`, `IAM_ROLE`, `IN GROUP`.
    public let name: String
    public let values: [OptionValue]
    public let position: SourcePosition
}

public enum OptionValue: Sendable, Hashable {
    case string(String, SourcePosition)
    case number(String, SourcePosition)
    /// A bare word, lower case: `default`, `on`, `preset`, `mb`.
    case word(String, SourcePosition)
    case names([Identifier])

    /// The text of a string, number or word.
    public var text: String? {
        switch self {
        case .string(let text, _), .number(let text, _), .word(let text, _): text
        case .names: nil
        }
    }
    public var position: SourcePosition {
        switch self {
        case .string(_, let position), .number(_, let position), .word(_, let position): position
        case .names(let names): names.first?.position ?? .unknown
        }
    }
}
