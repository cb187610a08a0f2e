import SQLTypes

/// All functions by SQL name. The indexes are built once, at first use.
package enum FunctionTable {
    package static let signatures: [FunctionSignature] =
        FunctionSignature.arithmeticOperators + FunctionSignature.dateOperators + FunctionSignature.mathematics
        + FunctionSignature.choices + FunctionSignature.strings + FunctionSignature.binary + FunctionSignature.patterns
        + FunctionSignature.json + FunctionSignature.semistructured
        + FunctionSignature.sketches
        + FunctionSignature.dates + FunctionSignature.formats + FunctionSignature.periods
        + FunctionSignature.clocks + FunctionSignature.session
        + FunctionSignature.catalog + FunctionSignature.arrays

    private static let byName: [String: [FunctionSignature]] = {
        var index: [String: [FunctionSignature]] = [:]
        for signature in signatures {
            for name in signature.names { index[name, default: []].append(signature) }
        }
        return index
    }()

    private static let byFunction: [ScalarFunction: [FunctionSignature]] = Dictionary(
        grouping: signatures, by: \.function)

    private static let aggregatesByName: [String: AggregateSignature] = {
        var index: [String: AggregateSignature] = [:]
        for signature in AggregateSignature.all { for name in signature.names { index[name] = signature } }
        return index
    }()

    private static let windowsByName: [String: WindowSignature] = {
        var index: [String: WindowSignature] = [:]
        for signature in WindowSignature.all { for name in signature.names { index[name] = signature } }
        return index
    }()

    /// Overloads of a scalar function or operator; empty when there is none of this name (lower case).
    package static func scalars(named name: String) -> [FunctionSignature] { byName[name] ?? [] }
    package static func aggregate(named name: String) -> AggregateSignature? { aggregatesByName[name] }
    package static func window(named name: String) -> WindowSignature? { windowsByName[name] }

    package static func volatility(of function: ScalarFunction) -> FunctionSignature.Volatility {
        byFunction[function]?.first?.volatility ?? .immutable
    }
    package static func isStrict(_ function: ScalarFunction) -> Bool { byFunction[function]?.first?.isStrict ?? true }
    /// All overloads that one kernel runs.
    package static func signatures(of function: ScalarFunction) -> [FunctionSignature] { byFunction[function] ?? [] }

    /// The overload that is nearest to the arguments; the first of the table on a tie, nil when none fits.
    package static func resolve(
        _ name: String, _ arguments: [SQLType], where filter: ((FunctionSignature) -> Bool)? = nil
    ) -> FunctionSignature? {
        var best: (signature: FunctionSignature, distance: Int)?
        for signature in scalars(named: name) {
            if let filter, !filter(signature) { continue }
            guard let distance = signature.distance(from: arguments) else { continue }
            if best == nil || distance < best!.distance { best = (signature, distance) }
        }
        return best?.signature
    }
}

extension FunctionSignature {
    /// Sum of the arguments' distances; nil when the count or a type does not fit.
    func distance(from arguments: [SQLType]) -> Int? {
        guard arguments.count >= minimumArguments, arguments.count <= maximumArguments else { return nil }
        var total = 0
        for (index, type) in arguments.enumerated() {
            let accepts = parameter(at: index).accepts
            // What takes anything does not know of SUPER: it would look at the bytes.
            if accepts == .any && type == .semistructured { return nil }
            if type == .hllsketch && accepts != .exactly(.hllsketch) { return nil }
            guard let distance = accepts.distance(from: type) else { return nil }
            total += distance
        }
        return total
    }
}
