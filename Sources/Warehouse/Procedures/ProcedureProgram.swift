import Binder
import Catalog
import ColumnStore
import SQLSyntax
import SQLTypes
import VectorEngine

/// A procedure that is ready to run: the forms of its variables, and its statements as steps. Its expressions and
/// statements are bound when they are first reached, and kept for the rest of the client's CALL. Confined to the
/// session's thread.
final class ProcedureProgram {
    let definition: ProcedureDefinition
    let body: ProcedureBody
    let forms: [ProcedureForm]
    let root: BlockStep
    private var texts: [ProcedureText?]
    private var computing: (key: String, context: ExecutionContext)?

    init(_ definition: ProcedureDefinition, _ context: ProcedureContext) throws {
        self.definition = definition
        let session = context.session
        do {
            body = try ProcedureBody.parse(
                definition.body, parameters: definition.parameters.map(\.name), options: session.settings.syntax,
                budget: context.budget)
            let binder = context.makeExecution().binder(try session.currentSnapshot)
            forms = try ProcedureForm.all(of: body, arguments: definition.parameters.map(\.type), binder)
        } catch var error as SQLError {
            error.position = nil
            throw error
        }
        texts = Array(repeating: nil, count: body.textCount)
        root = ProcedureCompiler(body, forms).block(body.block)
    }

    func text(_ sql: ProcedureSQL) -> ProcedureText {
        if let known = texts[sql.id] { return known }
        let made = ProcedureText(sql)
        texts[sql.id] = made
        return made
    }

    /// For expressions that are computed without a query.
    func executionContext(_ context: ProcedureContext) throws -> ExecutionContext {
        let key = context.session.settings.planningKey
        if let computing, computing.key == key { return computing.context }
        let made = context.makeExecution().context(try context.session.currentSnapshot, asksLeader: false)
        computing = (key, made)
        return made
    }
}

/// A statement of a procedure as the sessions' plans know it.
final class ProcedureText {
    let parsed: ParsedStatement
    let text: String
    /// For which types of its variables it was described.
    private var types: [SQLType] = []
    private var prepared: PreparedStatement?

    convenience init(_ sql: ProcedureSQL) { self.init(sql.parsed.statement, sql.references.count) }

    init(_ statement: Statement, _ parameters: Int) {
        text = SQLPrinter.print(statement)
        parsed = ParsedStatement(statement: statement, byteRange: 0..<text.utf8.count, parameterCount: parameters)
    }

    func prepare(_ session: Session, _ wanted: [SQLType]) throws -> PreparedStatement {
        if let prepared, types == wanted { return prepared }
        let made: PreparedStatement
        if case .query = parsed.statement {
            made = try session.describe(parsed, text: text, parameterTypes: wanted)
        } else {
            made = PreparedStatement(
                text: text, parsed: parsed, givenTypes: wanted, parameterTypes: wanted, columns: nil,
                isReusable: false)
        }
        (types, prepared) = (wanted, made)
        return made
    }
}
