import SQLTypes

/// CREATE TABLE, in both forms.
extension Parser {
    mutating func createTable(_ start: Int, isTemporary: Bool) throws -> Statement {
        let place = position(of: start)
        try expect(.table)
        let ifNotExists = try ifNotExists()
        let name = try objectName()
        let temporary = isTemporary || name.name.hasPrefix("#")
        if atColumnNames || !at(.leftParenthesis) {
            let columns = try optionalNameList()
            if at(.using), matches(peek(), "iceberg") {
                return .generic(try generic(from: start, tag: "CREATE ICEBERG TABLE"))
            }
            let attributes = try tableAttributes()
            try expect(.as)
            let query = try query()
            try skipWithData()
            return .createTableAs(
                CreateTableAsStatement(
                    name: name, isTemporary: temporary, ifNotExists: ifNotExists, columns: columns,
                    attributes: attributes, query: query, position: place))
        }
        let elements = try parenthesizedList { try $0.tableElement() }
        if at(.using), matches(peek(), "iceberg") {
            return .generic(try generic(from: start, tag: "CREATE ICEBERG TABLE"))
        }
        let attributes = try tableAttributes()
        if at(.as) { throw syntaxError() }
        return .createTable(
            CreateTableStatement(
                name: name, isTemporary: temporary, ifNotExists: ifNotExists, elements: elements,
                attributes: attributes, position: place))
    }

    /// `WITH [NO] DATA` behind CTAS: WITH DATA is the only behaviour.
    private mutating func skipWithData() throws {
        guard at(.with), peek().keyword == .data else { return }
        index += 2
    }

    /// `(a, b)` of CTAS: every name is followed by a comma or the parenthesis.
    private var atColumnNames: Bool {
        guard at(.leftParenthesis), isName(peek()) else { return false }
        let next = peek(2).kind
        return next == .comma || next == .rightParenthesis
    }

    private mutating func tableElement() throws -> TableElement {
        if take(.like) {
            let name = try objectName()
            var includes = false
            if take(.including) {
                try expect(.defaults)
                includes = true
            } else if take(.excluding) {
                try expect(.defaults)
            }
            return .like(LikeTable(name: name, includesDefaults: includes))
        }
        if atTableConstraint { return .constraint(try tableConstraint()) }
        return .column(try columnDefinition())
    }

    var atTableConstraint: Bool {
        at(.constraint) || at(.unique) || at(.primary, .key) || at(.foreign, .key) || at(.check)
    }

    mutating func tableConstraint() throws -> TableConstraint {
        let place = position
        let name = take(.constraint) ? try self.name() : nil
        let kind: TableConstraint.Kind
        if take(.unique) {
            kind = .unique(try nameList())
        } else if take(.primary, .key) {
            kind = .primaryKey(try nameList())
        } else if take(.foreign, .key) {
            let columns = try nameList()
            try expect(.references)
            kind = .foreignKey(columns, references: try objectName(), try optionalNameList())
        } else if at(.check) {
            throw error("CHECK constraints are not supported", state: .featureNotSupported)
        } else {
            throw syntaxError()
        }
        return TableConstraint(name: name, kind: kind, position: place)
    }

    mutating func columnDefinition() throws -> ColumnDefinition {
        let name = try name()
        let type = try typeName()
        var attributes: [ColumnAttribute] = []
        while !at(.comma), !at(.rightParenthesis), !at(.semicolon), !at(.endOfInput) {
            let place = position
            attributes.append(ColumnAttribute(kind: try columnAttribute(), position: place))
        }
        return ColumnDefinition(name: name, type: type, attributes: attributes)
    }

    private mutating func columnAttribute() throws -> ColumnAttribute.Kind {
        if take(.constraint) { _ = try name() }
        switch token.keyword {
        case .default:
            advance()
            return .defaultValue(try expression(Precedence.other))
        case .identity:
            advance()
            return try identity(byDefault: false)
        case .generated: return try generatedIdentity()
        case .encode:
            advance()
            return .encode(try label().text)
        case .collate:
            advance()
            return .collate(caseInsensitive: try caseInsensitiveCollation())
        default: return try columnConstraint()
        }
    }

    private mutating func generatedIdentity() throws -> ColumnAttribute.Kind {
        try expect(.generated)
        guard take(.by, .default) else {
            throw error("GENERATED ALWAYS is not supported; use GENERATED BY DEFAULT AS IDENTITY")
        }
        try expect(.as, .identity)
        return try identity(byDefault: true)
    }

    private mutating func identity(byDefault: Bool) throws -> ColumnAttribute.Kind {
        guard take(.leftParenthesis) else { return .identity(seed: 1, step: 1, byDefault: byDefault) }
        let seed = try integer()
        try expect(.comma)
        let step = try integer()
        try expect(.rightParenthesis)
        return .identity(seed: seed, step: step, byDefault: byDefault)
    }

    private mutating func caseInsensitiveCollation() throws -> Bool {
        let place = index
        switch try label().text {
        case "case_insensitive", "ci": return true
        case "case_sensitive", "cs": return false
        default:
            index = place
            throw syntaxError()
        }
    }

    private mutating func columnConstraint() throws -> ColumnAttribute.Kind {
        if take(.distkey) { return .distributionKey }
        if take(.sortkey) { return .sortKey }
        if take(.not, .null) { return .notNull }
        if take(.null) { return .null }
        if take(.unique) { return .unique }
        if take(.primary, .key) { return .primaryKey }
        if take(.references) { return .references(try objectName(), try optionalNameList()) }
        if at(.check) { throw error("CHECK constraints are not supported", state: .featureNotSupported) }
        throw syntaxError()
    }

    /// BACKUP, DISTSTYLE, DISTKEY, SORTKEY, ENCODE AUTO in any order.
    mutating func tableAttributes() throws -> TableAttributes {
        var attributes = TableAttributes()
        attributes.position = position
        while try tableAttribute(&attributes) {}
        return attributes
    }

    mutating func tableAttribute(_ attributes: inout TableAttributes) throws -> Bool {
        switch token.keyword {
        case .backup:
            advance()
            if take(word: "yes") {
                attributes.backup = true
            } else {
                try expect(.no)
                attributes.backup = false
            }
        case .diststyle:
            advance()
            attributes.distributionStyle = try distributionStyle()
        case .distkey:
            advance()
            try expect(.leftParenthesis)
            attributes.distributionKey = try keyColumn()
            try expect(.rightParenthesis)
        case .compound, .interleaved, .sortkey: attributes.sortKey = try sortKeyClause()
        case .encode:
            advance()
            try expect(.auto)
            attributes.encodeAuto = true
        case .on where matches(peek(), "commit"):
            // ON COMMIT PRESERVE ROWS, which drivers write, is what a temporary table does anyway.
            index += 2
            guard take(word: "preserve"), take(.rows) else { throw syntaxError() }
        default: return false
        }
        return true
    }

    /// A column name or, in CTAS, its ordinal.
    private mutating func keyColumn() throws -> Identifier {
        guard at(.integer) else { return try name() }
        let result = Identifier(TokenText.raw(bytes, token), position: position)
        advance()
        return result
    }

    mutating func distributionStyle() throws -> DistributionStyle {
        if take(.auto) { return .auto }
        if take(.even) { return .even }
        if take(.key) { return .key }
        try expect(.all)
        return .all
    }

    mutating func sortKeyClause() throws -> SortKeyClause {
        let isInterleaved = take(.interleaved)
        if !isInterleaved { _ = take(.compound) }
        try expect(.sortkey)
        if !isInterleaved, take(.auto) { return .auto }
        if !isInterleaved, take(.nothing) { return .none }
        let columns = try parenthesizedList { try $0.keyColumn() }
        return isInterleaved ? .interleaved(columns) : .compound(columns)
    }
}
