import QueryPlan
import SQLSyntax
import SQLTypes

/// Arguments of functions in FROM: their types, and constant values of them, also where the catalog must be asked:
/// `generate_series(1, array_upper(...))`.
struct TableFunctionArgument {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    /// The arguments as one of the function's signatures has them; nil: none takes such ones. Whole numbers of any size
    /// are BIGINT, and what has no type yet becomes what is wanted.
    func typed(
        _ arguments: [BoundExpression], for signatures: [[SQLType]], at position: SourcePosition
    ) throws -> [BoundExpression]? {
        func fits(_ argument: BoundExpression, _ wanted: SQLType) -> Bool {
            argument.type == .unknown || argument.type.isInteger && wanted.isInteger
                || argument.type.isString && wanted.isString
        }
        let signature = signatures.first { signature in
            signature.count == arguments.count && zip(arguments, signature).allSatisfy(fits)
        }
        return try signature.map { signature in
            try zip(arguments, signature).map { argument, type in
                type.isString
                    ? try session.coercion.resolved(argument)
                    : try session.coercion.cast(argument, to: type, .implicit, at: position)
            }
        }
    }

    /// The values when all are constants.
    func values(_ arguments: [BoundExpression]) throws -> [Datum]? {
        var values: [Datum] = []
        for argument in arguments {
            guard let value = try value(argument) else { return nil }
            values.append(value)
        }
        return values
    }

    /// nil: not a constant.
    func value(_ expression: BoundExpression) throws -> Datum? {
        switch expression {
        case .constant(let datum, _): return datum
        // Only to describe the statement: each execution binds with its own values.
        case .parameter(_, let type) where session.settings.parameterValues == nil:
            session.noteDependence()
            return type.isInteger ? .integer(1) : type.isString ? .text("") : nil
        case .cast(let inner, let type, let behavior):
            guard let datum = try value(inner) else { return nil }
            return try datum.cast(from: inner.type, to: type, explicit: behavior == .explicit)
        case .call(let function, let arguments, _):
            var values: [Datum] = []
            for argument in arguments {
                guard let datum = try value(argument) else { return nil }
                values.append(datum)
            }
            session.noteDependence()
            return try session.systemRelations.value(of: function, values)
        default: return nil
        }
    }
}
