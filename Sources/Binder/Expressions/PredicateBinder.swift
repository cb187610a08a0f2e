import QueryPlan
import SQLSyntax
import SQLTypes

/// LIKE, BETWEEN, IN (list), IS tests.
extension ExpressionBinder {
    func bindLike(_ node: LikeExpression) throws -> BoundExpression {
        var arguments = [try bind(node.value), try bind(node.pattern)]
        if let escape = node.escape {
            let bound = try bind(escape)
            if case .constant(.string(let bytes), _) = bound,
                String(decoding: bytes, as: UTF8.self).unicodeScalars.count > 1
            {
                throw SQLError(
                    .invalidEscape, "invalid escape string", hint: "Escape string must be empty or one character.",
                    at: escape.position)
            }
            arguments.append(bound)
        }
        var name: String
        switch node.kind {
        case .like: name = "like"
        case .caseInsensitiveLike: name = "ilike"
        case .similarTo: name = "similar_to"
        }
        if !arguments.contains(where: { $0.type == .semistructured }),
            Collations(session).isInsensitive(arguments[0], arguments[1])
        {
            if node.escape != nil && node.kind == .like {
                // The escape may be a letter.
                name = "ilike"
            } else {
                arguments = try arguments.map { Collations(session).folded(try coercion.resolved($0)) }
            }
        }
        guard let call = try SignatureCall(session).resolve(name, arguments, at: node.position) else {
            let symbol = node.kind == .caseInsensitiveLike ? "~~*" : "~~"
            throw OperatorError.noOperator(symbol, arguments[0].type, arguments[1].type, at: node.position)
        }
        return node.negated ? .not(call) : call
    }

    /// `x BETWEEN a AND b` is `x >= a AND x <= b`.
    func bindBetween(_ node: BetweenExpression) throws -> BoundExpression {
        if case .row(let row) = node.value, row.elements.count > 1 {
            throw unsupported("BETWEEN over rows", node.position)
        }
        let value = try bind(node.value)
        let low = try bind(node.low)
        let high = try bind(node.high)
        try session.countCopies(of: value, node.symmetric ? 3 : 1)
        var result = try between(value, low, high, at: node.position)
        if node.symmetric { result = .or([result, try between(value, high, low, at: node.position)]) }
        return node.negated ? .not(result) : result
    }

    private func between(
        _ value: BoundExpression, _ low: BoundExpression, _ high: BoundExpression, at position: SourcePosition
    ) throws -> BoundExpression {
        .and([
            try comparison.compare(.greaterOrEqual, value, low, at: position),
            try comparison.compare(.lessOrEqual, value, high, at: position),
        ])
    }

    func bindInList(_ node: InListExpression) throws -> BoundExpression {
        let bound: BoundExpression
        if case .row(let row) = node.value, row.elements.count > 1 {
            let alternatives = try node.list.map {
                try RowComparison(self).bind(.equal, row, $0, at: node.position)
            }
            bound = alternatives.count == 1 ? alternatives[0] : .or(alternatives)
        } else {
            bound = try inList(node)
        }
        return node.negated ? .not(bound) : bound
    }

    private func inList(_ node: InListExpression) throws -> BoundExpression {
        try inList(
            try bind(node.value), try node.list.map { try bind($0) }, places: node.list.map(\.position),
            at: node.position)
    }

    /// - Parameter places: of the members.
    func inList(
        _ value: BoundExpression, _ members: [BoundExpression], places: [SourcePosition], at position: SourcePosition
    ) throws -> BoundExpression {
        if members.count == 1 {
            return try comparison.compare(.equal, value, members[0], at: position)
        }
        try session.countCopies(of: value, members.count)
        if Collations(session).isInsensitive([value] + members) {
            return try castInList(value, members, at: position)
        }
        // When every member can take the value's form the value stays as it is; else both go to the common type.
        var adapted: [BoundExpression] = []
        for member in members {
            let place = places[adapted.count]
            let pair = try comparison.compare(.equal, value, member, at: position, operands: (place, place))
            guard case .comparison(.equal, let same, let other) = pair, same == value else {
                return try castInList(value, members, at: position)
            }
            adapted.append(other)
        }
        return .inList(value, adapted)
    }

    private func castInList(
        _ value: BoundExpression, _ members: [BoundExpression], at position: SourcePosition
    ) throws -> BoundExpression {
        guard let type = CommonType.of([value] + members) else {
            // Each pair has a comparison of its own.
            return .or(try members.map { try comparison.compare(.equal, value, $0, at: position) })
        }
        let keys = try Collations(session).keys(
            ([value] + members).map { try coercion.cast($0, to: type, .implicit, at: position) })
        return .inList(keys[0], Array(keys.dropFirst()))
    }

    func bindIsTest(_ node: IsTestExpression) throws -> BoundExpression {
        let result: BoundExpression
        switch node.test {
        case .null:
            result = .isNull(try coercion.resolved(try bind(node.value)))
        case .unknown:
            result = .isNull(try bindCondition(node.value))
        case .isTrue:
            result = .comparison(.notDistinctFrom, try bindCondition(node.value), .constant(.boolean(true), .boolean))
        case .isFalse:
            result = .comparison(.notDistinctFrom, try bindCondition(node.value), .constant(.boolean(false), .boolean))
        }
        return node.negated ? .not(result) : result
    }

    func bindIsDistinct(_ node: IsDistinctExpression) throws -> BoundExpression {
        let symbol: ComparisonOperator = node.negated ? .notDistinctFrom : .distinctFrom
        return try comparison.compare(symbol, try bind(node.left), try bind(node.right), at: node.position)
    }
}
