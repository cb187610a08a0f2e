import QueryPlan
import SQLTypes

/// Constant values of arguments, also where the catalog must be asked: `generate_series(1, array_upper(...))`.
struct TableFunctionArgument {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    /// nil: not a constant.
    func value(_ expression: BoundExpression) throws -> Datum? {
        switch expression {
        case .constant(let datum, _): return datum
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
