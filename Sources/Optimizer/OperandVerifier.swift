import QueryPlan
import SQLTypes

/// Checks that every operation of a plan gets operands of the types it is made for. The engine reads the memory of a
/// value as its type says, so a wrong type would show other memory or end the process: plans are checked here, in every
/// build, instead of trusting that binder and passes are right. Linear in the size of the plan.
struct OperandVerifier {
    /// The first operation with a wrong operand, in words; nil when all is well.
    func problem(_ expression: BoundExpression) -> String? {
        switch expression {
        case .column, .parameter, .subquery: return nil
        case .constant(let datum, let type): return Self.holds(datum, type) ? nil : "a constant is not \(type)"
        case .call(let function, let arguments, let type):
            return arguments.lazy.compactMap(problem).first ?? CallTypes(function).problem(arguments.map(\.type), type)
        case .cast(let inner, let type, _):
            if let found = problem(inner) { return found }
            let allowed = CastRules.canCast(from: inner.type, to: type, context: .explicit)
            return allowed ? nil : "a cast of \(inner.type) to \(type)"
        case .comparison(_, let left, let right):
            return problem(left) ?? problem(right) ?? alike([left, right], "a comparison")
        case .and(let parts), .or(let parts):
            return parts.lazy.compactMap(problem).first ?? parts.lazy.compactMap(condition).first
        case .not(let inner): return problem(inner) ?? condition(inner)
        case .isNull(let inner): return problem(inner)
        case .caseWhen(let branches, let otherwise, let type): return choice(branches, otherwise, type)
        case .inList(let value, let members):
            return problem(value) ?? members.lazy.compactMap(problem).first ?? alike([value] + members, "an IN list")
        }
    }

    /// A condition must be a BOOLEAN: its bytes are taken for a mask.
    func condition(_ expression: BoundExpression) -> String? {
        expression.type == .boolean ? nil : "a condition of type \(expression.type)"
    }

    private func choice(
        _ branches: [BoundExpression.CaseBranch], _ otherwise: BoundExpression, _ type: SQLType
    ) -> String? {
        for branch in branches {
            if let found = problem(branch.condition) ?? condition(branch.condition) ?? problem(branch.result) {
                return found
            }
        }
        if let found = problem(otherwise) { return found }
        let results = branches.map(\.result) + [otherwise]
        let wrong = results.first { ValueClass($0.type) != ValueClass(type) && $0.asConstant != .null }
        return wrong.map { "CASE of \(type) with a result of \($0.type)" }
    }

    private func alike(_ expressions: [BoundExpression], _ what: String) -> String? {
        guard let first = expressions.first else { return nil }
        let wanted = ValueClass(first.type)
        let wrong = expressions.first { ValueClass($0.type) != wanted && $0.asConstant != .null }
        return first.asConstant == .null ? nil : wrong.map { "\(what) of \(first.type) with \($0.type)" }
    }

    private static func holds(_ datum: Datum, _ type: SQLType) -> Bool {
        switch datum {
        case .null: true
        case .integer: type.physical.isInteger && type != .interval
        case .double: type.physical == .float64
        case .string: type.physical == .string
        case .interval: type == .interval
        }
    }
}

/// What a function's signatures say of a call.
private struct CallTypes {
    private let function: ScalarFunction
    init(_ function: ScalarFunction) { self.function = function }

    func problem(_ arguments: [SQLType], _ result: SQLType) -> String? {
        let signatures = FunctionTable.signatures(of: function)
        if isArithmetic(arguments, result) { return nil }
        // Their templates and further arguments say which decimal.
        if [.toNumber, .zonedTextToDecimal].contains(function), result.isDecimal,
            signatures.contains(where: { $0.takes(arguments) })
        {
            return nil
        }
        if signatures.contains(where: { $0.takes(arguments) && $0.gives(result, for: arguments) }) { return nil }
        return "\(function.rawValue)(\(arguments.map { "\($0)" }.joined(separator: ", "))) as \(result)"
    }

    /// The numeric operators take decimals of any scales, and integers beside them.
    private func isArithmetic(_ arguments: [SQLType], _ result: SQLType) -> Bool {
        switch function {
        case .add, .subtract, .multiply, .divide, .modulo, .negate:
            if arguments.allSatisfy(\.isFloat) { return result.isFloat }
            return result.isNumeric && !result.isFloat && arguments.allSatisfy { $0.isNumeric && !$0.isFloat }
        default: return false
        }
    }
}

extension FunctionSignature {
    /// The arguments, casts and defaults included, are what the kernel reads.
    func takes(_ arguments: [SQLType]) -> Bool {
        let count = arguments.count
        guard count >= parameters.count(where: { !$0.isOptional || $0.defaultValue != nil }),
            isVariadic || count <= parameters.count
        else { return false }
        var common: ValueClass?
        for (index, type) in arguments.enumerated() {
            let wanted = parameter(at: index).accepts
            guard wanted.reads(type) else { return false }
            if wanted == .common {
                if let common, common != ValueClass(type) { return false }
                common = ValueClass(type)
            }
        }
        return true
    }

    func gives(_ type: SQLType, for arguments: [SQLType]) -> Bool {
        // EXTRACT and DATE_PART give fractions of seconds; the kernel writes either.
        if function == .datePart { return type.isInteger || type == .double }
        return givesByRule(type, for: arguments)
    }

    private func givesByRule(_ type: SQLType, for arguments: [SQLType]) -> Bool {
        ValueClass(result.type(for: arguments)) == ValueClass(type)
            && result.type(for: arguments).physical.isInteger == type.physical.isInteger
    }
}

extension ArgumentClass {
    /// A kernel that asks for this class may read values of the type as they are.
    func reads(_ type: SQLType) -> Bool {
        switch self {
        case .exactly(let wanted): ValueClass(wanted) == ValueClass(type) && wanted.physical == type.physical
        case .anyInteger: type.isInteger
        case .decimal: type.isDecimal
        case .string, .text, .datePart: type.physical == .string && !type.family.isBinaryString
        case .bytes: type.family == .bytes
        case .semistructured, .superValue: type == .semistructured
        case .any, .common: true
        }
    }
}
