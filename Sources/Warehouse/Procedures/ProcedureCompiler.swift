import SQLSyntax
import SQLTypes

/// Makes steps of a body's statements.
struct ProcedureCompiler {
    private let body: ProcedureBody
    private let forms: [ProcedureForm]

    init(_ body: ProcedureBody, _ forms: [ProcedureForm]) {
        self.body = body
        self.forms = forms
    }

    func block(_ block: ProcedureBlock) -> BlockStep {
        BlockStep(
            block.line, block.declared.map { declaration($0) }, steps(block.statements),
            handler: block.handler.map { steps($0) }, label: Int32(truncatingIfNeeded: block.label ?? 0))
    }

    private func declaration(_ place: Int) -> BlockStep.Declaration {
        let variable = body.variables[place], form = forms[place]
        var cursorName: String?
        if case .cursor(_?, _) = variable.kind { cursorName = variable.name }
        return BlockStep.Declaration(
            place: place, line: variable.line,
            value: form.isRecord ? nil : variable.initial.map { ProcedureValue($0, as: form.type) },
            isRecord: form.isRecord, cursorName: cursorName)
    }

    private func steps(_ statements: [ProcedureStatement]) -> ProcedureSteps {
        ProcedureSteps(statements.map { step($0) })
    }

    private func step(_ statement: ProcedureStatement) -> ProcedureStep {
        let line = statement.line
        switch statement.kind {
        case .null: return NullStep(line, "null")
        case .block(let inner): return block(inner)
        case .assignment(let target, let value):
            let isPlain = target.field == nil && !forms[target.variable].isRecord
            return AssignmentStep(
                line, target, ProcedureValue(value, as: isPlain ? forms[target.variable].type : nil),
                isPlain: isPlain)
        case .branches(let branches, let otherwise):
            return BranchStep(
                line,
                branches.map {
                    BranchStep.Branch(
                        condition: ProcedureValue($0.condition, as: .boolean), steps: steps($0.statements))
                }, otherwise: otherwise.map { steps($0) })
        case .leave(let label, let isContinue, let condition):
            return LeaveStep(
                line, ProcedureFlow(kind: isContinue ? .again : .leave, label: Int32(truncatingIfNeeded: label)),
                when: condition.map { ProcedureValue($0, as: .boolean) })
        case .returning: return ReturnStep(line, "return")
        case .loop, .whileLoop, .integerLoop, .rowLoop: return loop(statement)
        case .open, .fetch, .close: return cursor(statement)
        default: return other(statement)
        }
    }

    private func loop(_ statement: ProcedureStatement) -> ProcedureStep {
        let line = statement.line
        switch statement.kind {
        case .whileLoop(let condition, let statements, let label):
            return WhileStep(
                line, ProcedureValue(condition, as: .boolean), steps(statements),
                label: Int32(truncatingIfNeeded: label))
        case .integerLoop(let loop, let statements, let label):
            return IntegerLoopStep(
                line, loop.variable, isReverse: loop.isReverse, from: ProcedureValue(loop.from, as: .integer),
                to: ProcedureValue(loop.to, as: .integer), step: loop.step.map { ProcedureValue($0, as: .integer) },
                steps(statements), label: Int32(truncatingIfNeeded: label))
        case .rowLoop(let targets, let source, let statements, let label):
            return RowLoopStep(
                line, targets, rows(source), steps(statements), label: Int32(truncatingIfNeeded: label))
        case .loop(let statements, let label):
            return EndlessLoopStep(line, "loop", steps(statements), label: Int32(truncatingIfNeeded: label))
        default: return NullStep(line, "null")
        }
    }

    private func rows(_ source: ProcedureStatement.RowSource) -> RowSourceStep {
        switch source {
        case .query(let sql): return RowSourceStep(source: .query(sql))
        case .dynamic(let text): return RowSourceStep(source: .dynamic(ProcedureValue(text)))
        case .cursor(let place, let values):
            guard case .cursor(let sql?, let arguments) = body.variables[place].kind else {
                return RowSourceStep(source: .unbound(body.variables[place].name))
            }
            let pairs = zip(arguments, values).map { argument, value in
                (place: argument, value: ProcedureValue(value, as: forms[argument].type))
            }
            return RowSourceStep(source: .cursor(sql, arguments: pairs))
        }
    }

    private func cursor(_ statement: ProcedureStatement) -> ProcedureStep {
        switch statement.kind {
        case .open(let place, let source): return OpenStep(statement.line, place, rows(source))
        case .fetch(let fetch): return FetchStep(statement.line, fetch)
        case .close(let place): return CloseStep(statement.line, place)
        default: return NullStep(statement.line, "null")
        }
    }

    private func other(_ statement: ProcedureStatement) -> ProcedureStep {
        let line = statement.line
        switch statement.kind {
        case .sql(let sql, let targets): return SQLStep(line, sql, into: targets)
        case .perform(let sql): return SQLStep(line, sql, into: [], isDiscarded: true)
        case .execute(let text, let targets, let values):
            return ExecuteStep(line, ProcedureValue(text), into: targets, using: values.map { ProcedureValue($0) })
        case .call(let sql): return CallStep(line, sql)
        case .diagnostics(let targets): return DiagnosticsStep(line, targets)
        case .raise(let level, let format, let values):
            return RaiseStep(line, level, format: format, values.map { ProcedureValue($0) })
        case .raiseAgain: return RaiseAgainStep(line, "raise")
        case .commit: return TransactionStep(line, isCommit: true)
        case .rollback: return TransactionStep(line, isCommit: false)
        default: return NullStep(line, "null")
        }
    }
}
