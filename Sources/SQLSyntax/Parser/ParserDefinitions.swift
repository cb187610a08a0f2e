import SQLTypes

/// Views, schemas, databases, DROP, COMMENT.
extension Parser {
    mutating func createView(_ start: Int, orReplace: Bool, isTemporary: Bool) throws -> CreateViewStatement {
        try expect(.view)
        _ = try ifNotExists()
        let name = try objectName()
        let columns = try optionalNameList()
        try expect(.as)
        let queryStart = index
        let query = try query()
        let queryText = storedText(from: queryStart, to: index)
        var isLateBinding = false
        if take(.with) {
            try expect(.no, .schema)
            guard take(word: "binding") else { throw syntaxError() }
            isLateBinding = true
        }
        return CreateViewStatement(
            name: name, orReplace: orReplace, isTemporary: isTemporary, columns: columns, query: query,
            queryText: queryText, isLateBinding: isLateBinding, position: position(of: start))
    }

    mutating func createMaterializedView(_ start: Int) throws -> CreateMaterializedViewStatement {
        try expect(.materialized, .view)
        let name = try objectName()
        var columns = try optionalNameList()
        var attributes = TableAttributes()
        attributes.position = position
        var autoRefresh: Bool?
        while true {
            if try tableAttribute(&attributes) { continue }
            guard autoRefresh == nil, at(.auto, .refresh) else { break }
            autoRefresh = try autoRefreshFlag()
        }
        if columns.isEmpty { columns = try optionalNameList() }
        try expect(.as)
        let queryStart = index
        let query = try query()
        return CreateMaterializedViewStatement(
            name: name, columns: columns, attributes: attributes, autoRefresh: autoRefresh, query: query,
            queryText: storedText(from: queryStart, to: index), position: position(of: start))
    }

    private mutating func autoRefreshFlag() throws -> Bool {
        try expect(.auto, .refresh)
        if take(word: "yes") { return true }
        try expect(.no)
        return false
    }

    mutating func alterMaterializedView(_ start: Int) throws -> AlterMaterializedViewStatement {
        try expect(.materialized, .view)
        let name = try objectName()
        let autoRefresh = at(.auto) ? try autoRefreshFlag() : nil
        let actions = autoRefresh == nil ? try alterActions(name) : []
        return AlterMaterializedViewStatement(
            name: name, autoRefresh: autoRefresh, actions: actions, position: position(of: start))
    }

    mutating func refresh() throws -> RefreshMaterializedViewStatement {
        let place = position
        try expect(.refresh)
        try expect(.materialized, .view)
        let name = try objectName()
        return RefreshMaterializedViewStatement(name: name, cascade: cascade(), position: place)
    }

    mutating func createSchema(_ start: Int) throws -> CreateSchemaStatement {
        try expect(.schema)
        let ifNotExists = try ifNotExists()
        let name = at(.authorization) ? nil : try objectName()
        let owner = take(.authorization) ? try roleName() : nil
        let quota = take(.quota) ? try schemaQuota() : nil
        var elements: [Statement] = []
        while at(.create) || at(.grant) {
            let place = position
            let element = try statement()
            guard element.isSchemaElement else {
                throw SQLError(
                    .featureNotSupported, "CREATE SCHEMA takes CREATE TABLE, CREATE VIEW and GRANT as elements",
                    at: place)
            }
            elements.append(element)
        }
        return CreateSchemaStatement(
            name: name, ifNotExists: ifNotExists, owner: owner, quota: quota, elements: elements,
            position: position(of: start))
    }

    private mutating func schemaQuota() throws -> SchemaQuota {
        if take(.unlimited) { return .unlimited }
        let place = position
        let amount = try integer()
        var factor: Int64 = 1
        if take(word: "gb") {
            factor = 1 << 10
        } else if take(word: "tb") {
            factor = 1 << 20
        } else {
            _ = take(word: "mb")
        }
        let (megabytes, overflow) = amount.multipliedReportingOverflow(by: factor)
        guard !overflow, megabytes >= 0 else {
            throw SQLError(.numericOutOfRange, "schema quota is out of range", at: place)
        }
        return .megabytes(megabytes)
    }

    mutating func alterSchema(_ start: Int) throws -> AlterSchemaStatement {
        try expect(.schema)
        let name = try objectName()
        let action: AlterSchemaStatement.Action
        if take(.rename, .to) {
            action = .renameTo(try self.name())
        } else if take(.owner, .to) {
            action = .ownerTo(try roleName())
        } else {
            try expect(.quota)
            action = .quota(try schemaQuota())
        }
        return AlterSchemaStatement(name: name, action: action, position: position(of: start))
    }

    mutating func drop() throws -> Statement {
        let start = index
        try expect(.drop)
        if at(.snapshot) { return .snapshot(try dropSnapshot(start)) }
        guard let kind = dropKind() else { return try genericDefinition(start) }
        let ifExists = try ifExists()
        let targets = try list { try $0.dropTarget(kind) }
        let dropsExternalDatabase = kind == .schema && take(.drop, .external)
        if dropsExternalDatabase { try expect(.database) }
        let force = take(.force)
        return .drop(
            DropStatement(
                kind: kind, ifExists: ifExists, targets: targets, cascade: cascade(), force: force,
                dropsExternalDatabase: dropsExternalDatabase, position: position(of: start)))
    }

    private mutating func dropKind() -> ObjectNoun? {
        if take(.materialized, .view) { return .materializedView }
        if take(.external, .table) { return .externalTable }
        let kinds: [(Keyword, ObjectNoun)] = [
            (.table, .table), (.view, .view), (.schema, .schema), (.database, .database), (.user, .user),
            (.group, .group), (.role, .role), (.function, .function), (.procedure, .procedure), (.model, .model),
            (.library, .library), (.datashare, .datashare),
        ]
        for (keyword, kind) in kinds where take(keyword) { return kind }
        return nil
    }

    private mutating func dropTarget(_ kind: ObjectNoun) throws -> DropStatement.Target {
        switch kind {
        case .user, .group, .role: return DropStatement.Target(name: ObjectName(try roleName()), argumentTypes: nil)
        case .function, .procedure:
            return DropStatement.Target(name: try objectName(), argumentTypes: try optionalSignature())
        default: return DropStatement.Target(name: try objectName(), argumentTypes: nil)
        }
    }

    /// `(name type, OUT type)`: the types of what it takes; nil without parentheses.
    mutating func optionalSignature() throws -> [ParsedTypeName]? {
        guard at(.leftParenthesis) else { return nil }
        return try routineParameters().filter { $0.mode != .output }.map(\.type)
    }

    mutating func comment() throws -> CommentStatement {
        let place = position
        try expect(.comment)
        try expect(.on)
        let kind: ObjectNoun
        if take(.materialized, .view) {
            kind = .materializedView
        } else {
            let kinds: [(Keyword, ObjectNoun)] = [
                (.table, .table), (.column, .column), (.constraint, .constraint), (.database, .database),
                (.view, .view),
                (.schema, .schema), (.function, .function), (.procedure, .procedure), (.user, .user), (.role, .role),
            ]
            guard let found = kinds.first(where: { at($0.0) }) else { throw syntaxError() }
            advance()
            kind = found.1
        }
        let name = try objectName()
        let argumentTypes = kind == .function || kind == .procedure ? try optionalSignature() : nil
        let table = kind == .constraint && take(.on) ? try objectName() : nil
        try expect(.is)
        let text = take(.null) ? nil : try stringLiteral()
        return CommentStatement(
            kind: kind, name: name, argumentTypes: argumentTypes, table: table, text: text, position: place)
    }
}

extension Statement {
    fileprivate var isSchemaElement: Bool {
        if case .createTable = self { return true }
        if case .createView = self { return true }
        if case .grant = self { return true }
        return false
    }
}
