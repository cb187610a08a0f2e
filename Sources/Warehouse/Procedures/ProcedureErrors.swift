import SQLSyntax
import SQLTypes

/// Errors of procedures: where they are, as PostgreSQL's context lines say.
extension ProcedureRun {
    /// Adds the line of the statement, once a call.
    func located(_ error: any Error, at step: ProcedureStep) -> SQLError {
        var error = SQLError(error)
        if isLocated { return error }
        isLocated = true
        error.position = nil
        let line = "PL/pgSQL function \"\(program.definition.name)\" line \(step.line) at \(step.word)"
        error.context = error.context.map { $0 + "\n" + line } ?? line
        return error
    }

    /// What a handler may see; nil for what ends the whole statement.
    func caught(_ error: any Error) -> SQLError? {
        let error = SQLError(error)
        if error.state == .queryCanceled || error.state == "57P01" || context.budget.isSpent { return nil }
        return error
    }
}

extension SQLError {
    /// Of a statement in a procedure: the place is one in its own text.
    ///
    /// - Parameter start: where the text begins for whoever counted the error's position.
    func inStatement(_ text: String, from start: Int) -> SQLError {
        var error = self
        if context == nil, let position, position >= start {
            error.internalPosition = position - start + 1
            error.internalQuery = text
        }
        error.position = nil
        let line = "SQL statement \"\(text)\""
        error.context = context.map { $0 + "\n" + line } ?? line
        return error
    }
}
