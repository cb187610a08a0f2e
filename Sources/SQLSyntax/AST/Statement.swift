/// One parsed statement. What nobody executes yet is ``generic(_:)`` with its command tag.
package indirect enum Statement: Sendable, Hashable {
    /// Also `SELECT ... INTO`, see ``SelectBody/into``.
    case query(Query)
    case insert(InsertStatement)
    case update(UpdateStatement)
    case delete(DeleteStatement)
    case merge(MergeStatement)
    case truncate(TruncateStatement)
    case copy(CopyStatement)
    case copyOut(CopyOutStatement)
    case copyJob(CopyJobStatement)
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
    case alterProcedure(AlterProcedureStatement)
    case createRoutine(CreateRoutineStatement)
    case createExternalSchema(CreateExternalSchemaStatement)
    case createExternalTable(CreateExternalTableStatement)
    case use(UseStatement)
    case alterSystem(AlterSystemStatement)
    case cancel(CancelStatement)
    case snapshot(SnapshotStatement)
    case resize(ResizeStatement)
    case generic(GenericStatement)
}

/// A statement and the part of the text that it came from.
package struct ParsedStatement: Sendable, Hashable {
    package let statement: Statement
    /// Byte range in the text given to the parser, without the `;` and surrounding blanks and comments.
    package let byteRange: Range<Int>
    /// The highest `$n` in it, 0 if none.
    package let parameterCount: Int

    package init(statement: Statement, byteRange: Range<Int>, parameterCount: Int) {
        self.statement = statement
        self.byteRange = byteRange
        self.parameterCount = parameterCount
    }
}

/// A statement that is only recognized: RLS and masking policies, datashares, models, libraries, ...
package struct GenericStatement: Sendable, Hashable {
    /// `CREATE MODEL`, `ATTACH RLS POLICY`: the words that name the command.
    package let commandTag: String
    /// The statement as written.
    package let text: String
    package let position: SourcePosition
}

/// An option of COPY, UNLOAD, CREATE USER and the like: a name and what follows it, in the order written.
package struct StatementOption: Sendable, Hashable {
    /// Upper-case words, one blank between them, noise words (AS, WITH) left out: `DELIMITER`, `IAM_ROLE`, `IN GROUP`.
    package let name: String
    package let values: [OptionValue]
    package let position: SourcePosition
}

package enum OptionValue: Sendable, Hashable {
    case string(String, SourcePosition)
    case number(String, SourcePosition)
    /// A bare word, lower case: `default`, `on`, `preset`, `mb`.
    case word(String, SourcePosition)
    case names([Identifier])

    /// The text of a string, number or word.
    package var text: String? {
        switch self {
        case .string(let text, _), .number(let text, _), .word(let text, _): text
        case .names: nil
        }
    }
    package var position: SourcePosition {
        switch self {
        case .string(_, let position), .number(_, let position), .word(_, let position): position
        case .names(let names): names.first?.position ?? .unknown
        }
    }
}
