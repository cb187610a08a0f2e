/// Equality and hashing by hand: chains of operators are as tall as ``SyntaxLimits/treeHeight``, so their level must be
/// cheap on the stack, which the synthesized functions, with room for every case at once, are not.
extension Expression {
    package static func == (left: Expression, right: Expression) -> Bool {
        guard case .binary(let first) = left else { return isEqual(left, right) }
        guard case .binary(let second) = right else { return false }
        return first.symbol == second.symbol && first.right == second.right && first.left == second.left
    }

    private static func isEqual(_ left: Expression, _ right: Expression) -> Bool {
        switch (left, right) {
        case (.literal(let first), .literal(let second)): first == second
        case (.typedLiteral(let first), .typedLiteral(let second)): first == second
        case (.interval(let first), .interval(let second)): first == second
        case (.name(let first), .name(let second)): first == second
        case (.parameter(let first), .parameter(let second)): first == second
        case (.unary(let first), .unary(let second)): first == second
        case (.and(let first), .and(let second)): first == second
        case (.or(let first), .or(let second)): first == second
        case (.like(let first), .like(let second)): first == second
        case (.between(let first), .between(let second)): first == second
        case (.inList(let first), .inList(let second)): first == second
        case (.inQuery(let first), .inQuery(let second)): first == second
        case (.exists(let first), .exists(let second)): first == second
        default: isEqualRest(left, right)
        }
    }

    private static func isEqualRest(_ left: Expression, _ right: Expression) -> Bool {
        switch (left, right) {
        case (.quantified(let first), .quantified(let second)): first == second
        case (.isTest(let first), .isTest(let second)): first == second
        case (.isDistinctFrom(let first), .isDistinctFrom(let second)): first == second
        case (.caseWhen(let first), .caseWhen(let second)): first == second
        case (.cast(let first), .cast(let second)): first == second
        case (.extract(let first), .extract(let second)): first == second
        case (.function(let first), .function(let second)): first == second
        case (.row(let first), .row(let second)): first == second
        case (.array(let first), .array(let second)): first == second
        case (.subquery(let first), .subquery(let second)): first == second
        case (.atTimeZone(let first), .atTimeZone(let second)): first == second
        case (.navigation(let first), .navigation(let second)): first == second
        case (.namedArgument(let first), .namedArgument(let second)): first == second
        case (.outerJoinMark(let first), .outerJoinMark(let second)): first == second
        case (.defaultKeyword, .defaultKeyword): true
        default: false
        }
    }

    package func hash(into hasher: inout Hasher) {
        guard case .binary(let node) = self else { return hashNode(into: &hasher) }
        hasher.combine(node.symbol)
        node.right.hash(into: &hasher)
        node.left.hash(into: &hasher)
    }

    private func hashNode(into hasher: inout Hasher) {
        switch self {
        case .literal(let node): Self.combine(0, node, &hasher)
        case .typedLiteral(let node): Self.combine(1, node, &hasher)
        case .interval(let node): Self.combine(2, node, &hasher)
        case .name(let node): Self.combine(3, node, &hasher)
        case .parameter(let node): Self.combine(4, node, &hasher)
        case .unary(let node): Self.combine(5, node, &hasher)
        case .and(let node): Self.combine(7, node, &hasher)
        case .or(let node): Self.combine(8, node, &hasher)
        case .like(let node): Self.combine(9, node, &hasher)
        case .between(let node): Self.combine(10, node, &hasher)
        case .inList(let node): Self.combine(11, node, &hasher)
        case .inQuery(let node): Self.combine(12, node, &hasher)
        case .exists(let node): Self.combine(13, node, &hasher)
        default: hashRest(into: &hasher)
        }
    }

    private func hashRest(into hasher: inout Hasher) {
        switch self {
        case .quantified(let node): Self.combine(14, node, &hasher)
        case .isTest(let node): Self.combine(15, node, &hasher)
        case .isDistinctFrom(let node): Self.combine(16, node, &hasher)
        case .caseWhen(let node): Self.combine(17, node, &hasher)
        case .cast(let node): Self.combine(18, node, &hasher)
        case .extract(let node): Self.combine(19, node, &hasher)
        case .function(let node): Self.combine(20, node, &hasher)
        case .row(let node): Self.combine(21, node, &hasher)
        case .array(let node): Self.combine(22, node, &hasher)
        case .subquery(let node): Self.combine(23, node, &hasher)
        case .atTimeZone(let node): Self.combine(24, node, &hasher)
        case .navigation(let node): Self.combine(25, node, &hasher)
        case .namedArgument(let node): Self.combine(26, node, &hasher)
        case .outerJoinMark(let node): Self.combine(27, node, &hasher)
        default: hasher.combine(99)
        }
    }

    private static func combine(_ kind: Int, _ node: some Hashable, _ hasher: inout Hasher) {
        hasher.combine(kind)
        node.hash(into: &hasher)
    }
}
