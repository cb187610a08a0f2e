import Binder
import Catalog
import ColumnStore
import ColumnVectors
import SQLTypes

/// CALL: in the client's block, or in transactions of the procedure's own.
extension BoundCall: StatementProgram {
    /// The statements of the procedure have rules of their own.
    var kind: StatementKind { StatementKind("CALL", .ownRule) }
    var effects: StatementEffects { .session }

    func check(_ rights: StatementRights) throws {
        if rights.session.privileges(on: .procedure(procedure), in: rights.catalog).contains(.execute) { return }
        throw rights.denied("procedure \(procedure.name)")
    }

    /// What comes back, as a row.
    var columns: [ResultColumn] {
        procedure.parameters.enumerated().filter { $0.element.returnsValue }.map { index, parameter in
            ResultColumn(
                name: parameter.name ?? "column\(index + 1)",
                type: parameter.isCursor ? parameter.type : ProcedureForm.argument(parameter.type))
        }
    }

    func run(_ execution: StatementExecution, _ snapshot: StoreSnapshot) throws {
        let values = try arguments.map { try execution.constant($0, snapshot) }
        execution.endOwnTransaction()
        if let outer = execution.session.procedure {
            try outer.logged(self, execution) {
                try answer(try outer.call(procedure, values), execution)
            }
        } else {
            let context = ProcedureContext(execution)
            defer { execution.lastTransaction = context.lastTransaction }
            try context.logged(self, execution) {
                try answer(try outermost(context, values, execution.session), execution)
            }
        }
    }

    private func outermost(_ context: ProcedureContext, _ values: [Datum], _ session: Session) throws -> [Datum] {
        session.procedure = context
        defer { session.procedure = nil }
        do {
            let outputs = try context.call(procedure, values)
            if context.ownsTransaction { try session.commitTransaction() }
            return outputs
        } catch {
            if context.ownsTransaction { session.rollBackTransaction() }
            throw error
        }
    }

    private func answer(_ outputs: [Datum], _ execution: StatementExecution) throws {
        let handler = execution.handler
        if !outputs.isEmpty {
            let columns = self.columns
            try execution.begin(columns) { try handler.begin(columns: $0) }
            let batch = ColumnBatch(types: columns.map(\.type))
            try batch.append(outputs)
            try handler.rows(batch)
            if let outcome = handler as? StatementOutcome { outcome.outputs = pairs(outputs, columns) }
        }
        try handler.end(tag: kind.name)
    }

    /// For the procedure that has called: values by the place of the argument.
    private func pairs(
        _ outputs: [Datum], _ columns: [ResultColumn]
    ) -> [(argument: Int, value: Datum, type: SQLType)] {
        let returning = procedure.parameters.indices.filter { procedure.parameters[$0].returnsValue }
        return zip(returning, zip(outputs, columns)).compactMap { place, output in
            parameters.firstIndex(of: place).map { ($0, output.0, output.1.type) }
        }
    }
}
