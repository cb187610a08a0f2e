import SQLTypes

/// ALTER TABLE.
extension Parser {
    mutating func alterTable(_ start: Int) throws -> AlterTableStatement {
        try expect(.table)
        _ = try ifExists()
        _ = take(.only)
        let name = try objectName()
        return AlterTableStatement(name: name, actions: try alterActions(name), position: position(of: start))
    }

    mutating func alterActions(_ name: ObjectName) throws -> [AlterTableAction] {
        var actions = [try alterAction(name)]
        while at(.comma) {
            let comma = index
            advance()
            actions.append(try alterAction(name))
            // Everything else is a statement of its own in Redshift.
            if AlterTableAction.mayStandTogether(actions) { continue }
            index = comma
            throw syntaxError()
        }
        return actions
    }

    private mutating func alterAction(_ table: ObjectName) throws -> AlterTableAction {
        switch token.keyword {
        case .add: return try addAction()
        case .drop: return try dropAction()
        case .rename: return try renameAction()
        case .owner:
            advance()
            try expect(.to)
            return .ownerTo(try roleName())
        case .alter: return try alterPart()
        case .append: return try appendAction()
        case .row where matches(peek(), "level"): return try rowLevelSecurity()
        case .set:
            if peek().keyword == .schema {
                index += 2
                return .setSchema(try name())
            }
            return otherAction()
        case .partition, .masking: return otherAction()
        default: throw syntaxError()
        }
    }

    private mutating func otherAction() -> AlterTableAction {
        let start = index
        skipStatement()
        return .other(text(from: start, to: index))
    }

    private mutating func addAction() throws -> AlterTableAction {
        if peek().keyword == .partition || peek().keyword == .if { return otherAction() }
        advance()
        if take(.column) { return .addColumn(try columnDefinition()) }
        if atTableConstraint { return .addConstraint(try tableConstraint()) }
        return .addColumn(try columnDefinition())
    }

    private mutating func dropAction() throws -> AlterTableAction {
        if peek().keyword == .partition { return otherAction() }
        advance()
        if take(.constraint) {
            let name = try name()
            return .dropConstraint(name, cascade: cascade())
        }
        _ = take(.column)
        let name = try name()
        return .dropColumn(name, cascade: cascade())
    }

    private mutating func renameAction() throws -> AlterTableAction {
        try expect(.rename)
        if take(.to) { return .renameTable(try name()) }
        _ = take(.column)
        let old = try name()
        try expect(.to)
        return .renameColumn(old, to: try name())
    }

    private mutating func alterPart() throws -> AlterTableAction {
        try expect(.alter)
        switch token.keyword {
        case .distkey:
            advance()
            return .distributionStyle(.key, key: try name())
        case .diststyle:
            advance()
            let style = try distributionStyle()
            if style == .key { try expect(.distkey) }
            return .distributionStyle(style, key: style == .key ? try name() : nil)
        case .sortkey, .compound, .interleaved: return .sortKey(try sortKeyClause())
        case .encode:
            advance()
            try expect(.auto)
            return .encodeAuto
        default: return try alterColumn()
        }
    }

    private mutating func alterColumn() throws -> AlterTableAction {
        _ = take(.column)
        let column = try name()
        if take(.type) { return .alterColumnType(column, try typeName()) }
        if take(.encode) { return .alterColumnEncode(column, try label().text) }
        let isSet = take(.set)
        if isSet, take(.data, .type) { return .alterColumnType(column, try typeName()) }
        if !isSet { try expect(.drop) }
        if take(.not, .null) { return .alterColumnNullability(column, isNullable: !isSet) }
        try expect(.default)
        return .alterColumnDefault(column, isSet ? try expression() : nil)
    }

    private mutating func appendAction() throws -> AlterTableAction {
        try expect(.append, .from)
        let source = try objectName()
        let ignoreExtra = take(.ignoreextra)
        let fillTarget = take(.filltarget)
        return .append(from: source, ignoreExtra: ignoreExtra, fillTarget: fillTarget)
    }

    private mutating func rowLevelSecurity() throws -> AlterTableAction {
        index += 2
        try expect(.security)
        let enabled = take(.on)
        if !enabled { try expect(.off) }
        skipStatement()
        return .rowLevelSecurity(enabled: enabled)
    }
}

extension AlterTableAction {
    /// Columns' encodings, or one distribution with one sort key.
    fileprivate static func mayStandTogether(_ actions: [AlterTableAction]) -> Bool {
        var (encodings, distributions, sortKeys) = (0, 0, 0)
        for action in actions {
            switch action {
            case .alterColumnEncode: encodings += 1
            case .distributionStyle: distributions += 1
            case .sortKey: sortKeys += 1
            case .addColumn, .dropColumn, .renameTable, .renameColumn, .ownerTo, .setSchema, .alterColumnType,
                .alterColumnDefault, .alterColumnNullability, .encodeAuto, .addConstraint, .dropConstraint, .append,
                .rowLevelSecurity, .other:
                return false
            }
        }
        return encodings == actions.count || (encodings == 0 && distributions <= 1 && sortKeys <= 1)
    }
}
