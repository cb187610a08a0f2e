import QueryPlan
import SQLSyntax
import SQLTypes

/// CASE, and the calls that mean one (DECODE, NVL2).
extension ExpressionBinder {
    func bindCase(_ node: CaseExpression) throws -> BoundExpression {
        let operand = try node.operand.map { try bind($0) }
        if let operand { try session.countCopies(of: operand, node.branches.count) }
        var conditions: [BoundExpression] = []
        for branch in node.branches {
            if let operand {
                let value = try bind(branch.condition)
                conditions.append(try comparison.compare(.equal, operand, value, at: branch.condition.position))
            } else {
                conditions.append(try bindCondition(branch.condition))
            }
        }
        var results = try node.branches.map { try bind($0.result) }
        results.append(try node.otherwise.map { try bind($0) } ?? .constant(.null, .unknown))
        return try caseWhen(conditions, results, word: "CASE", at: node.position)
    }

    /// `results` has one more member than `conditions`: the ELSE.
    func caseWhen(
        _ conditions: [BoundExpression], _ results: [BoundExpression], word: String, at position: SourcePosition
    ) throws -> BoundExpression {
        let (type, casted) = try unifiedResults(results, word: word, at: position)
        let branches = zip(conditions, casted).map { BoundExpression.CaseBranch(condition: $0, result: $1) }
        return .caseWhen(branches, otherwise: casted[casted.count - 1], type)
    }

    func unifiedResults(
        _ results: [BoundExpression], word: String, at position: SourcePosition
    ) throws -> (SQLType, [BoundExpression]) {
        guard let type = CommonType.of(results) else { throw mismatch(results, word, at: position) }
        return (type, try results.map { try coercion.cast($0, to: type, .implicit, at: position) })
    }

    private func mismatch(_ results: [BoundExpression], _ word: String, at position: SourcePosition) -> SQLError {
        var type = SQLType.unknown
        for result in results {
            guard let common = CommonType.ofResults(type, result.type) else {
                return SQLError(
                    .datatypeMismatch,
                    "\(word) types \(type.nameWithoutModifiers) and \(result.type.nameWithoutModifiers) "
                        + "cannot be matched", at: position)
            }
            type = common
        }
        return SQLError(.datatypeMismatch, "\(word) types cannot be matched", at: position)
    }
}
