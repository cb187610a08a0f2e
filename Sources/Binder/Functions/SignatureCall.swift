import QueryPlan
import SQLSyntax
import SQLTypes

/// A call by the function table: picks the overload, casts the arguments, fills in defaults, types the result.
struct SignatureCall {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    private var coercion: Coercion { Coercion(session) }

    /// nil when no overload takes such arguments.
    func resolve(
        _ name: String, _ arguments: [BoundExpression], at position: SourcePosition,
        among filter: ((FunctionSignature) -> Bool)? = nil
    ) throws -> BoundExpression? {
        guard let signature = FunctionTable.resolve(name, arguments.map(\.type), where: filter) else { return nil }
        return try call(signature, arguments, at: position)
    }

    func call(
        _ signature: FunctionSignature, _ arguments: [BoundExpression], at position: SourcePosition
    ) throws -> BoundExpression {
        let bound = try casted(arguments, to: signature.parameters, parameter: signature.parameter, at: position)
        let type = signature.result.type(for: bound.map(\.type))
        return ConstantFolding.folded(signature.function, bound, type)
    }

    /// Arguments as the parameters want them, with defaults for those left out.
    func casted(
        _ arguments: [BoundExpression], to parameters: [Parameter], parameter: (Int) -> Parameter,
        at position: SourcePosition
    ) throws -> [BoundExpression] {
        var common: SQLType?
        if parameters.contains(where: { $0.accepts == .common }) {
            let members = arguments.indices.filter { parameter($0).accepts == .common }.map { arguments[$0] }
            guard let type = CommonType.of(members) else {
                throw OperatorError.noOperator("=", members[0].type, members[members.count - 1].type, at: position)
            }
            common = type
        }
        var result: [BoundExpression] = []
        for (index, argument) in arguments.enumerated() {
            result.append(try cast(argument, parameter(index).accepts, common: common, at: position))
        }
        for parameter in parameters.dropFirst(arguments.count) {
            guard let value = parameter.defaultValue else { continue }
            result.append(.constant(value, Self.type(of: value, for: parameter.accepts)))
        }
        return result
    }

    private func cast(
        _ argument: BoundExpression, _ wanted: ArgumentClass, common: SQLType?, at position: SourcePosition
    ) throws -> BoundExpression {
        let type = argument.type
        switch wanted {
        case .exactly(let target): return try coercion.converted(argument, to: target, at: position)
        case .common: return try coercion.cast(argument, to: common ?? type, .implicit, at: position)
        case .anyInteger:
            return type == .unknown ? try coercion.cast(argument, to: .integer, .implicit, at: position) : argument
        case .decimal:
            if type == .unknown {
                return try coercion.cast(
                    argument, to: .decimal(precision: 38, scale: 10), .implicit, at: position)
            }
            guard type.isInteger, let shape = DecimalRules.shape(of: type) else { return argument }
            return try coercion.cast(argument, to: shape.type, .implicit, at: position)
        case .any: return try coercion.resolved(argument)
        case .string:
            if type.isString || type == .unknown { return try coercion.resolved(argument) }
            return try coercion.cast(argument, to: .varchar(type.textLength), .implicit, at: position)
        case .bytes:
            guard type == .unknown else { return argument }
            let resolved = try coercion.resolved(argument)
            return try coercion.cast(
                resolved, to: .varbyte(max(resolved.type.textLength, 1)), .explicit, at: position)
        case .text:
            let resolved = try coercion.resolved(argument)
            if resolved.type.isString { return resolved }
            return try coercion.cast(resolved, to: .varchar(resolved.type.textLength), .explicit, at: position)
        case .semistructured: return argument
        case .superValue:
            return try coercion.cast(argument, to: .semistructured, .implicit, at: position)
        case .datePart: return argument
        }
    }

    private static func type(of datum: Datum, for wanted: ArgumentClass) -> SQLType {
        switch (wanted, datum) {
        case (.exactly(let type), _): type
        case (_, .string(let bytes)): .varchar(max(1, bytes.count))
        default: .integer
        }
    }
}
