import SQLTypes

/// Function calls, SQL's keyword forms of them, and windows.
extension Parser {
    /// Calls with a grammar of their own; the current token is the word, a parenthesis follows. nil: an ordinary call.
    mutating func specialCall() throws -> Expression? {
        let place = position
        switch token.keyword {
        case .cast: return try cast(place, nullOnFailure: false)
        case .try_cast: return try cast(place, nullOnFailure: true)
        case .convert: return try convert(place)
        case .extract: return try extract(place)
        case .substring: return try substring(place)
        case .position: return try positionCall(place)
        case .trim: return try trim(place)
        case .overlay: return try overlay(place)
        case .exists:
            index += 2
            let query = try query()
            try expect(.rightParenthesis)
            return .exists(ExistsExpression(query: query, position: place))
        case .row:
            index += 2
            let elements = at(.rightParenthesis) ? [] : try list { try $0.expression() }
            try expect(.rightParenthesis)
            try grow()
            return .row(ElementList(elements: elements, position: place))
        default: return nil
        }
    }

    private mutating func cast(_ place: SourcePosition, nullOnFailure: Bool) throws -> Expression {
        index += 2
        let value = try expression()
        try expect(.as)
        let type = try typeName()
        try expect(.rightParenthesis)
        try grow()
        return .cast(CastExpression(value: value, type: type, nullOnFailure: nullOnFailure, position: place))
    }

    private mutating func convert(_ place: SourcePosition) throws -> Expression {
        index += 2
        let type = try typeName()
        try expect(.comma)
        let value = try expression()
        try expect(.rightParenthesis)
        try grow()
        return .cast(CastExpression(value: value, type: type, nullOnFailure: false, position: place))
    }

    private mutating func extract(_ place: SourcePosition) throws -> Expression {
        index += 2
        let field: Identifier
        if token.kind.isString {
            let fieldPlace = position
            let text = try stringLiteral()
            field = Identifier(TokenText.lowered(text), original: text, position: fieldPlace)
        } else {
            field = try label()
        }
        try expect(.from)
        let source = try expression()
        try expect(.rightParenthesis)
        try grow()
        return .extract(ExtractExpression(field: field, source: source, position: place))
    }

    private func call(_ name: String, _ arguments: [Expression], _ place: SourcePosition) -> FunctionCall {
        FunctionCall(
            name: ObjectName(Identifier(name, position: place)), arguments: arguments, position: place)
    }

    private mutating func substring(_ place: SourcePosition) throws -> Expression {
        index += 2
        var arguments = [try expression()]
        if take(.comma) {
            arguments += try list { try $0.expression() }
        } else if take(.from) {
            arguments.append(try expression())
            if take(.for) { arguments.append(try expression()) }
        } else if take(.for) {
            let length = try expression()
            arguments.append(.literal(Literal(.integer(1), position: place)))
            if take(.from) { arguments[1] = try expression() }
            arguments.append(length)
        }
        try expect(.rightParenthesis)
        try grow()
        return .function(call("substring", arguments, place))
    }

    /// `POSITION(p IN s)`; the part before IN must not swallow it.
    private mutating func positionCall(_ place: SourcePosition) throws -> Expression? {
        let start = index
        index += 2
        let part = try expression(Precedence.other)
        guard take(.in) else {
            index = start
            return .function(try functionCall(ObjectName(try label()), form: .call, place))
        }
        let text = try expression()
        try expect(.rightParenthesis)
        try grow()
        return .function(
            FunctionCall(
                name: ObjectName(Identifier("position", position: place)), arguments: [text, part], form: .positionIn,
                position: place))
    }

    private mutating func trim(_ place: SourcePosition) throws -> Expression {
        index += 2
        var name = "btrim"
        if take(.leading) { name = "ltrim" } else if take(.trailing) { name = "rtrim" } else { _ = take(.both) }
        var arguments: [Expression]
        if take(.from) {
            arguments = try list { try $0.expression() }
        } else {
            arguments = [try expression()]
            if take(.from) {
                arguments.insert(try expression(), at: 0)
            } else if take(.comma) {
                arguments += try list { try $0.expression() }
            }
        }
        try expect(.rightParenthesis)
        try grow()
        return .function(call(name, arguments, place))
    }

    private mutating func overlay(_ place: SourcePosition) throws -> Expression {
        index += 2
        var arguments = [try expression()]
        if take(.placing) {
            arguments.append(try expression())
            try expect(.from)
            arguments.append(try expression())
            if take(.for) { arguments.append(try expression()) }
        } else {
            while take(.comma) { arguments.append(try expression()) }
        }
        try expect(.rightParenthesis)
        try grow()
        return .function(call("overlay", arguments, place))
    }

    /// The current token is the opening parenthesis.
    mutating func functionCall(
        _ name: ObjectName, form: FunctionCall.Form, _ place: SourcePosition
    ) throws -> FunctionCall {
        try expect(.leftParenthesis)
        var arguments: [Expression] = []
        var isStar = false, isDistinct = false
        var orderBy: [OrderItem] = []
        if at(.star), peek().kind == .rightParenthesis {
            advance()
            isStar = true
        } else if !at(.rightParenthesis) {
            isDistinct = take(.distinct)
            if !isDistinct { _ = take(.all) }
            arguments = try list { try $0.argument() }
            if name.name == "object_transform", arguments.count == 1 { arguments += try transformation() }
            orderBy = try optionalOrderBy()
        }
        var treatment = try nullTreatment()
        try expect(.rightParenthesis)
        let end = index
        let outside = try nullTreatment()
        var withinGroup = try withinGroup()
        var filter = try filterClause()
        treatment = try outside ?? nullTreatment() ?? treatment
        let over = try overClause()
        if over == nil, index > end {
            // Without OVER a treatment is not this call's, but of one around it: last_value(nvl(a, b) IGNORE NULLS).
            index = end
            (withinGroup, treatment) = (try self.withinGroup(), nil)
            filter = try filterClause()
        }
        try grow()
        return FunctionCall(
            name: name, arguments: arguments, form: form, isStar: isStar, isDistinct: isDistinct, orderBy: orderBy,
            withinGroup: withinGroup, filter: filter, nullTreatment: treatment, over: over, position: place)
    }

    /// `KEEP path, ... SET path, value, ...` of OBJECT_TRANSFORM, as two arrays; NULL where one is missing.
    private mutating func transformation() throws -> [Expression] {
        guard at(word: "keep") || at(.set) else { return [] }
        return [try transformationList(take(word: "keep")), try transformationList(take(.set))]
    }

    private mutating func transformationList(_ isWritten: Bool) throws -> Expression {
        let place = position
        guard isWritten else { return .literal(Literal(.null, position: place)) }
        let elements = try list { try $0.expression() }
        try grow()
        return .array(ElementList(elements: elements, position: place))
    }

    private mutating func argument() throws -> Expression {
        guard peek().kind == .arrow || peek().kind == .assign, at(.word) || at(.quotedName) else {
            return try expression()
        }
        let name = try label()
        advance()
        let value = try expression()
        try grow()
        return .namedArgument(NamedArgument(name: name, value: value))
    }

    private mutating func nullTreatment() throws -> FunctionCall.NullTreatment? {
        if take(.ignore, .nulls) { return .ignore }
        return take(.respect, .nulls) ? .respect : nil
    }

    private mutating func withinGroup() throws -> [OrderItem] {
        guard take(.within, .group) else { return [] }
        try expect(.leftParenthesis)
        try expect(.order, .by)
        let items = try list { try $0.orderItem() }
        try expect(.rightParenthesis)
        return items
    }

    private mutating func filterClause() throws -> Expression? {
        guard at(.filter), peek().kind == .leftParenthesis else { return nil }
        index += 2
        try expect(.where)
        let condition = try expression()
        try expect(.rightParenthesis)
        return condition
    }

    private mutating func overClause() throws -> OverClause? {
        guard take(.over) else { return nil }
        if at(.leftParenthesis) { return .specification(try windowSpecification()) }
        return .named(try name())
    }

    mutating func windowSpecification() throws -> WindowSpecification {
        let place = position
        try expect(.leftParenthesis)
        var base: Identifier?
        if atName, !(at(anyOf: .range, .rows, .groups)) { base = try name() }
        let partitionBy = take(.partition, .by) ? try list { try $0.expression() } : []
        let orderBy = try optionalOrderBy()
        let frame = try windowFrame()
        try expect(.rightParenthesis)
        return WindowSpecification(
            base: base, partitionBy: partitionBy, orderBy: orderBy, frame: frame, position: place)
    }

    private mutating func windowFrame() throws -> WindowFrame? {
        let place = position
        let unit: WindowFrame.Unit
        switch token.keyword {
        case .rows: unit = .rows
        case .range: unit = .range
        case .groups: unit = .groups
        default: return nil
        }
        advance()
        var start = WindowFrame.Bound.currentRow, end = WindowFrame.Bound.currentRow
        if take(.between) {
            start = try frameBound()
            try expect(.and)
            end = try frameBound()
        } else {
            start = try frameBound()
        }
        return WindowFrame(unit: unit, start: start, end: end, exclusion: try frameExclusion(), position: place)
    }

    private mutating func frameBound() throws -> WindowFrame.Bound {
        if take(.current, .row) { return .currentRow }
        if take(.unbounded) {
            if take(.preceding) { return .unboundedPreceding }
            try expect(.following)
            return .unboundedFollowing
        }
        let amount = try expression(Precedence.other)
        if take(.preceding) { return .preceding(amount) }
        try expect(.following)
        return .following(amount)
    }

    private mutating func frameExclusion() throws -> WindowFrame.Exclusion? {
        guard take(.exclude) else { return nil }
        if take(.current, .row) { return .currentRow }
        if take(.group) { return .group }
        if take(.ties) { return .ties }
        try expect(.no, .others)
        return .noOthers
    }

    mutating func optionalOrderBy() throws -> [OrderItem] {
        take(.order, .by) ? try list { try $0.orderItem() } : []
    }

    mutating func orderItem() throws -> OrderItem {
        let value = try expression()
        let descending = take(.desc)
        if !descending { _ = take(.asc) }
        var nullsFirst: Bool?
        if take(.nulls) {
            nullsFirst = take(.first)
            if nullsFirst == false { try expect(.last) }
        }
        return OrderItem(expression: value, descending: descending, nullsFirst: nullsFirst)
    }
}
