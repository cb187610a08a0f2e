import Binder
import Catalog
import ColumnStore
import Platform
import QueryPlan
import SQLTypes

/// Answers functions that ask the catalog, for one statement. Safe from any thread.
final class CatalogFunctionAnswers: Sendable {
    enum Found: Sendable {
        case stored(Relation)
        case system(SystemRelation)
    }
    /// Keys by oid, made at the first question about one.
    private final class Keys: Sendable {
        let byID: [Int: (table: TableDefinition, constraint: TableConstraint)]

        init(_ snapshot: SystemSnapshot) {
            var keys: [Int: (table: TableDefinition, constraint: TableConstraint)] = [:]
            for table in snapshot.tables where !table.constraints.isEmpty {
                for (index, constraint) in table.constraints.enumerated() {
                    keys[table.constraintID(index)] = (table, constraint)
                }
            }
            byID = keys
        }
    }
    private static let systemByID: [Int: SystemRelation] = {
        var result: [Int: SystemRelation] = [:]
        for relation in SystemRelations.all { result[SystemRelations.oids[relation.planName] ?? 0] = relation }
        return result
    }()

    let snapshot: SystemSnapshot
    /// Worked out when a statement asks, which few do.
    private struct Made {
        var keys: Keys?
        var path: [String]?
        var visibility: DefinitionVisibility?
    }
    private let cached = Lock(Made())
    /// What was answered of the session's last statement; looking for it goes through the whole log.
    private let lastFacts = Lock<[String: Datum]>([:])
    private var path: [String] {
        cached.withLock { cached in
            let made = cached.path ?? snapshot.visibleSchemas(withImplicit: true)
            cached.path = made
            return made
        }
    }

    /// The relation, where the user may see what its owner has written about it.
    private func described(_ id: Int) -> Relation? {
        guard let relation = snapshot.relation(id: id) else { return nil }
        let visibility = cached.withLock { cached in
            let made = cached.visibility ?? DefinitionVisibility(snapshot)
            cached.visibility = made
            return made
        }
        return visibility.shows(relation) ? relation : nil
    }

    init(_ snapshot: SystemSnapshot) { self.snapshot = snapshot }

    private func key(_ id: Int) -> (table: TableDefinition, constraint: TableConstraint)? {
        // Oids of keys are apart from those of relations.
        if id < 0x4000_0000 { return nil }
        return cached.withLock { cached in
            let made = cached.keys ?? Keys(snapshot)
            cached.keys = made
            return made.byID[id]
        }
    }

    /// Visible is what its bare name means: no schema earlier in the path has another of that name.
    private func isVisible(_ id: Int) -> Bool {
        if let relation = snapshot.relation(id: id) { return isVisible(relation.name, in: relation.schema) }
        if let system = CatalogFunctionAnswers.systemByID[id] { return isVisible(system.name, in: system.schema) }
        guard let key = key(id) else { return false }
        return isVisible(key.table.name, in: key.table.schema)
    }
    private func isVisible(_ name: String, in schema: String) -> Bool {
        for other in path {
            if other == schema { return true }
            if snapshot.store.catalog.relation(schema: other, name: name) != nil { return false }
            if other == "pg_catalog", SystemRelations.find(name, schema: other) != nil { return false }
        }
        return false
    }

    private static let encodings = [0: "SQL_ASCII", 6: "UTF8", 7: "MULE_INTERNAL", 8: "LATIN1"]

    /// nil for functions that do not ask the catalog.
    func answer(_ function: ScalarFunction, _ arguments: [Datum]) throws -> Datum? {
        // Some answers go through all relations or accounts, and a batch asks thousands of times.
        try snapshot.cancellation.check()
        switch function {
        case .userByID:
            let id = number(arguments, 0)
            return .text(snapshot.userName(id ?? 0))
        case .currentUserID: return .number(snapshot.account.id)
        case .formatType:
            guard let id = number(arguments, 0) ?? text(arguments, 0).flatMap({ Int($0) }) else { return Datum.null }
            return .text(TypeCatalog.title(id, modifier: number(arguments, 1)))
        case .isVisible:
            let id = number(arguments, 0) ?? 0
            let isBuiltIn = TypeCatalog.byID[id] != nil || (10_500..<100_000).contains(id)
            return .boolean(isBuiltIn || isVisible(id))
        case .currentSchemas:
            return .string(CatalogArray.text(snapshot.visibleSchemas(withImplicit: arguments[0] == .yes)))
        case .encodingName:
            return .text(
                arguments.isEmpty ? "UTF8" : CatalogFunctionAnswers.encodings[number(arguments, 0) ?? -1] ?? "")
        case .encodingNumber:
            let name = (text(arguments, 0) ?? "").uppercased()
            return .number(CatalogFunctionAnswers.encodings.first { $0.value == name }?.key ?? -1)
        case .clusterNamespace: return .text(snapshot.namespace())
        // There is no AWS behind this server, and no role that COPY takes by itself.
        case .awsAccount, .defaultRole: return .null
        case .databaseCollation: return .text(snapshot.store.catalog.database.collation.rawValue)
        case .setSetting:
            let name = text(arguments, 0) ?? ""
            return .text(try snapshot.setParameter(name, text(arguments, 1) ?? "", arguments[2] == .yes))
        case .columnEncodingName: return .optional(number(arguments, 0).flatMap { EncodingNumbers.name($0) })
        case .cancelBackend:
            return try end(number(arguments, 0) ?? 0) {
                snapshot.sessions.cancel($0, by: snapshot.account.id)
            }
        case .terminateBackend:
            return try end(number(arguments, 0) ?? 0) {
                snapshot.sessions.terminate($0, by: snapshot.account.id)
            }
        case .changeQueryPriority, .changeSessionPriority, .changeUserPriority:
            let target = number(arguments, 0).map { String($0) } ?? text(arguments, 0) ?? ""
            return try changePriority(function, target, text(arguments, 1) ?? "")
        case .lastQueryFact: return lastQuery(text(arguments, 0) ?? "")
        case .hasTablePrivilege, .hasSchemaPrivilege, .hasDatabasePrivilege, .hasColumnPrivilege,
            .hasFunctionPrivilege, .hasLanguagePrivilege, .hasAssumeRolePrivilege, .hasRole, .isMemberOf,
            .roleIsMemberOf:
            return try PrivilegeFunctionAnswers(self).answer(
                function, arguments.indices.compactMap { text(arguments, $0) })
        default: return try definition(function, arguments)
        }
    }

    private func definition(_ function: ScalarFunction, _ arguments: [Datum]) throws -> Datum? {
        switch function {
        case .viewDefinition: return try viewText(arguments)
        case .constraintDefinition:
            guard let key = key(number(arguments, 0) ?? 0) else { return .null }
            return .text(
                ConstraintRelations.definition(key.constraint, of: key.table, snapshot.store.catalog) {
                    relationName(Int($0.id.raw))
                })
        case .indexDefinition:
            guard let key = key(number(arguments, 0) ?? 0) else { return .null }
            let column = number(arguments, 1) ?? 0
            if column == 0 { return .text(NamedRelations.indexText(key.constraint, of: key.table)) }
            guard key.constraint.columns.indices.contains(column - 1) else { return .blank }
            return .text(key.table.columns[key.constraint.columns[column - 1]].name)
        case .relationSize:
            let id = ObjectID(Int64(number(arguments, 0) ?? 0))
            return .number(snapshot.store.table(id)?.byteCount ?? 0)
        case .formatText:
            return .text(CatalogFunctionAnswers.format(arguments.indices.compactMap { text(arguments, $0) }))
        case .databaseSize: return .number(size(ofDatabase: text(arguments, 0) ?? ""))
        case .prettySize: return .text(CatalogFunctionAnswers.pretty(number(arguments, 0) ?? 0))
        case .objectDescription:
            let id = number(arguments, 0) ?? 0
            return .optional(described(id)?.comment ?? otherComment(ObjectID(Int64(id))))
        case .columnDescription:
            guard let column = number(arguments, 1) else { return .null }
            let comments = described(number(arguments, 0) ?? 0)?.columnComments ?? []
            return .optional(comments.first { $0.0 == column - 1 }?.1)
        default: return try names(function, arguments)
        }
    }

    /// Of a database, a schema or a constraint.
    private func otherComment(_ id: ObjectID) -> String? {
        let catalog = snapshot.store.catalog
        if let database = catalog.databases[id] { return database.comment }
        if let schema = catalog.schemas.values.first(where: { $0.id == id }) { return schema.comment }
        for table in snapshot.tables {
            let constraint = table.constraints.indices.first { table.constraintID($0) == Int(id.raw) }
            if let constraint { return table.constraints[constraint].comment }
        }
        return nil
    }

    /// Of the session's database for names that none has, such as those of tablespaces.
    private func size(ofDatabase name: String) -> Int {
        let found = snapshot.store.catalog.database(named: name).flatMap { snapshot.within($0.id) } ?? snapshot
        return found.tables.reduce(0) { $0 + (found.store.table($1.id)?.byteCount ?? 0) }
    }

    // MARK: Oids and names

    private func names(_ function: ScalarFunction, _ arguments: [Datum]) throws -> Datum? {
        switch function {
        case .relationID: return .number(try relationID(text(arguments, 0) ?? ""))
        case .relationName: return .text(relationName(number(arguments, 0) ?? 0))
        case .typeID:
            let name = text(arguments, 0) ?? ""
            if let id = Int(name) { return .number(id) }
            guard let id = TypeCatalog.id(named: name) else {
                throw SQLError(.undefinedObject, "type \"\(name)\" does not exist")
            }
            return .number(id)
        case .typeNameOfID:
            let ids = (text(arguments, 0) ?? "").split(separator: " ").compactMap { Int($0) }
            return .text(ids.map { TypeCatalog.title($0, modifier: nil) }.joined(separator: ", "))
        case .namespaceID:
            let name = CatalogArray.nameParts(text(arguments, 0) ?? "").last ?? ""
            guard let id = snapshot.namespaceIDs[name] else {
                throw SQLError(.invalidSchemaName, "schema \"\(name)\" does not exist")
            }
            return .number(id)
        case .namespaceName:
            let id = number(arguments, 0) ?? 0
            return .text(snapshot.namespaces.first { $0.id == id }?.name ?? String(id))
        case .procedureName: return .null
        case .procedureSignature: return .text(procedure(number(arguments, 0) ?? 0))
        case .makeAccessItem:
            let (user, group) = (number(arguments, 0) ?? 0, number(arguments, 1) ?? 0)
            return .text(
                try AccessItem.text(
                    user: user, group: group, grantor: number(arguments, 2) ?? 0,
                    privilege: text(arguments, 3) ?? "", grantable: arguments[4] == .yes, snapshot.accounts))
        case .containsAccessItem:
            return .boolean(AccessItem.contains(arguments[0], text(arguments, 1) ?? ""))
        default: return nil
        }
    }

    /// `f(integer, date)`, with its schema where the bare name means another one; numbers that are nobody's stay
    /// numbers.
    private func procedure(_ id: Int) -> String {
        guard let function = snapshot.store.catalog.allFunctions.first(where: { Int($0.id.raw) == id }) else {
            return id == 0 ? "-" : String(id)
        }
        let name = CatalogArray.quoted(function.name)
        let parameters = function.parameters.map(\.nameWithoutModifiers).joined(separator: ", ")
        let owner = path.first { snapshot.store.catalog.functions[$0]?[function.signature] != nil }
        let prefix = owner == function.schema ? "" : CatalogArray.quoted(function.schema) + "."
        return "\(prefix)\(name)(\(parameters))"
    }

    private func relationID(_ name: String) throws -> Int {
        if let id = Int(name) { return id }
        switch try relation(named: name) {
        case .stored(let relation): return Int(relation.id.raw)
        case .system(let relation): return SystemRelations.oids[relation.planName] ?? 0
        case nil: throw SQLError(.undefinedTable, "relation \"\(name)\" does not exist")
        }
    }

    func relation(id: Int) -> Found? {
        snapshot.relation(id: id).map { .stored($0) } ?? CatalogFunctionAnswers.systemByID[id].map { .system($0) }
    }

    func relation(named name: String) throws -> Found? {
        let parts = CatalogArray.nameParts(name)
        guard let last = parts.last, parts.count <= 3 else { return nil }
        var catalog = snapshot.store.catalog
        if parts.count > 2 {
            guard let seen = catalog.database(named: parts[0]).flatMap({ catalog.within($0.id) }) else { return nil }
            catalog = seen
        }
        if parts.count > 1 {
            let schema = parts[parts.count - 2]
            if let relation = catalog.relation(schema: schema, name: last) { return .stored(relation) }
            return SystemRelations.find(last, schema: schema).map { .system($0) }
        }
        for schema in [snapshot.temporarySchema] + snapshot.visibleSchemas(withImplicit: false) {
            if let relation = catalog.relation(schema: schema, name: last) { return .stored(relation) }
        }
        return SystemRelations.find(last, schema: nil).map { .system($0) }
    }

    /// With its schema where the bare name means another relation; numbers that are nobody's stay numbers.
    private func relationName(_ id: Int) -> String {
        if let system = CatalogFunctionAnswers.systemByID[id] { return system.planName }
        if let key = key(id) { return CatalogArray.quoted(key.constraint.name) }
        guard let relation = snapshot.relation(id: id) else { return id == 0 ? "-" : String(id) }
        let name = CatalogArray.quoted(relation.name)
        return isVisible(id) ? name : CatalogArray.quoted(relation.schema) + "." + name
    }

    private func viewText(_ arguments: [Datum]) throws -> Datum {
        let found: Relation?
        if let id = number(arguments, 0) {
            found = snapshot.relation(id: id)
        } else if case .stored(let relation)? = try relation(named: text(arguments, 0) ?? "") {
            found = relation
        } else {
            throw SQLError(.undefinedTable, "relation \"\(text(arguments, 0) ?? "")\" does not exist")
        }
        if case .table(let table)? = found, let text = table.materializedShownText { return .text(text) }
        guard case .view(let view)? = found else { return arguments[0].isNumber ? .text("Not a view") : .null }
        return .text(view.shownText)
    }

    // MARK: Queries

    /// Sessions of others are for superusers to end.
    private func end(_ session: Int, _ body: (Int) -> Bool) throws -> Datum {
        guard let owner = snapshot.sessions.user(of: session) else { return .zero }
        guard owner == snapshot.account.id || snapshot.rights.has(system: "CANCEL") else {
            throw SQLError(.insufficientPrivilege, "must be superuser to signal other server processes")
        }
        return body(session) ? .yes : .zero
    }

    private func lastQuery(_ what: String) -> Datum {
        if let known = lastFacts.withLock({ $0[what] }) { return known }
        let found = findLastQuery(what)
        lastFacts.withLock { $0[what] = found }
        return found
    }

    private func findLastQuery(_ what: String) -> Datum {
        let own = snapshot.log.queries.last { query in
            guard query.session == snapshot.sessionNumber, query.errorMessage == nil else { return false }
            switch what {
            case "query": return query.family == .query
            case "unload", "unloaded": return QueryText.kind(query.text).type == "UNLOAD"
            default: return QueryText.kind(query.text).type == "COPY"
            }
        }
        guard let own else { return .number(-1) }
        return .number(what == "rows" || what == "unloaded" ? own.rows : own.id)
    }

    /// `%s`, `%I` and `%L` are the arguments in their order.
    private static func format(_ words: [String]) -> String {
        var arguments = words.dropFirst()
        var result = ""
        var isDirective = false
        for character in words.first ?? "" {
            guard isDirective else {
                if character == "%" { isDirective = true } else { result.append(character) }
                continue
            }
            isDirective = false
            switch character {
            case "s": result += arguments.popFirst() ?? ""
            case "I": result += CatalogArray.quoted(arguments.popFirst() ?? "")
            case "L": result += LiteralText.quoted(arguments.popFirst() ?? "")
            default: result.append(character)
            }
        }
        return result
    }

    /// PostgreSQL's words: the next unit from 10 of it on.
    private static func pretty(_ bytes: Int) -> String {
        var value = bytes.magnitude
        let sign = bytes < 0 ? "-" : ""
        for unit in ["bytes", "kB", "MB", "GB"] {
            if value < 10 * 1024 { return "\(sign)\(value) \(unit)" }
            value = value / 1024 + (value % 1024 >= 512 ? 1 : 0)
        }
        return "\(sign)\(value) TB"
    }

    private func number(_ arguments: [Datum], _ index: Int) -> Int? {
        guard index < arguments.count, case .integer(let value) = arguments[index] else { return nil }
        return Int(exactly: value)
    }
    private func text(_ arguments: [Datum], _ index: Int) -> String? {
        guard index < arguments.count, case .string(let bytes) = arguments[index] else { return nil }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Datum {
    fileprivate var isNumber: Bool { if case .integer = self { true } else { false } }
}
