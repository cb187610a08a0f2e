import QueryPlan
import SQLSyntax

/// Whether an expression as written calls an aggregate of its own query: decides what GROUP BY ALL groups by.
enum AggregateSearch {
    static func contains(_ expression: Expression) -> Bool {
        switch expression {
        case .function(let call):
            if call.over != nil { return true }
            return FunctionTable.aggregate(named: call.name.name) != nil || call.arguments.contains(where: contains)
        case .unary(let node): return contains(node.operand)
        case .binary(let node): return contains(node.left) || contains(node.right)
        case .and(let node), .or(let node): return node.terms.contains(where: contains)
        case .like(let node): return contains(node.value) || contains(node.pattern)
        case .between(let node): return contains(node.value) || contains(node.low) || contains(node.high)
        case .inList(let node): return contains(node.value) || node.list.contains(where: contains)
        case .isTest(let node): return contains(node.value)
        case .isDistinctFrom(let node): return contains(node.left) || contains(node.right)
        case .caseWhen(let node):
            let parts =
                [node.operand, node.otherwise].compactMap { $0 }
                + node.branches.flatMap { [$0.condition, $0.result] }
            return parts.contains(where: contains)
        case .cast(let node): return contains(node.value)
        case .extract(let node): return contains(node.source)
        case .row(let node), .array(let node): return node.elements.contains(where: contains)
        case .atTimeZone(let node): return contains(node.value)
        default: return false
        }
    }
}
