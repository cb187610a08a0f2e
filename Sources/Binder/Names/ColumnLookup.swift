import QueryPlan
import SQLSyntax
import SQLTypes

/// A name that was found: a column of this query or of an enclosing one.
struct FoundColumn {
    var column: ScopeColumn
    /// 0: this query, 1: the enclosing one ...
    var level: Int
}

/// Finding columns by name, from the inside out.
enum ColumnLookup {
    /// nil when the name means no column of any level.
    static func find(_ name: ObjectName, from scope: Scope) throws -> FoundColumn? {
        var level = 0
        var current: Scope? = scope
        while let here = current {
            if let column = try findLocal(name, in: here) {
                note(column, level: level, name: name, from: scope)
                return FoundColumn(column: column, level: level)
            }
            // An alias of this query is nearer than a column of an enclosing one.
            if level == 0, name.parts.count == 1, here.aliases?.expression(named: name.name) != nil { return nil }
            current = here.parent
            level += 1
        }
        return nil
    }

    private static func note(_ column: ScopeColumn, level: Int, name: ObjectName, from scope: Scope) {
        var current: Scope? = scope
        let output = OutputColumn(id: column.id, name: column.name, type: column.type)
        for _ in 0..<level {
            current?.addOuterColumn(output)
            current?.outerReferences += 1
            current = current?.parent
        }
        if level == 0 { scope.localReferences += 1 }
    }

    static func findLocal(_ name: ObjectName, in scope: Scope) throws -> ScopeColumn? {
        guard name.parts.count > 1 else { return try findBare(name.last, in: scope) }
        let tables = relations(named: name.parts.dropLast(), in: scope)
        if tables.isEmpty { return nil }
        if tables.count > 1 {
            throw SQLError(
                .ambiguousColumn, "table reference \"\(name.parts[name.parts.count - 2].text)\" is ambiguous",
                at: name.position)
        }
        let matches = tables[0].columns.filter { $0.name == name.name }
        if matches.count > 1 { throw ambiguous(name) }
        return matches.first
    }

    private static func findBare(_ name: Identifier, in scope: Scope) throws -> ScopeColumn? {
        let matches = scope.visibleColumns(named: name.text)
        if matches.count > 1, Set(matches.map(\.id)).count > 1 { throw ambiguous(ObjectName(name)) }
        if matches.isEmpty, name.text == "level", let hierarchy = scope.hierarchy { return hierarchy.levelColumn }
        return matches.first
    }

    private static func ambiguous(_ name: ObjectName) -> SQLError {
        SQLError(.ambiguousColumn, "column reference \"\(name.name)\" is ambiguous", at: name.position)
    }

    /// Relations of FROM that a qualifier (`t`, `schema.t`, `db.schema.t`) names.
    static func relations(named qualifier: ArraySlice<Identifier>, in scope: Scope) -> [RangeTable] {
        guard let alias = qualifier.last?.text else { return [] }
        let schema = qualifier.count > 1 ? qualifier[qualifier.endIndex - 2].text : nil
        let database = qualifier.count > 2 ? qualifier[qualifier.endIndex - 3].text : nil
        return scope.relations.filter {
            $0.alias == alias && (schema == nil || $0.schema == schema)
                && (database == nil || $0.database == nil || $0.database == database)
        }
    }

    /// Why a name was not found, with what the writer may have meant.
    static func unknown(_ name: ObjectName, from scope: Scope) -> SQLError {
        if name.parts.count > 1 {
            let qualifier = name.parts.dropLast()
            var current: Scope? = scope
            while let here = current {
                if let table = relations(named: qualifier, in: here).first {
                    return unknownColumn(name, in: [table])
                }
                current = here.parent
            }
            return unknownQualifier(qualifier, from: scope, at: name.position)
        }
        return unknownColumn(name, in: scope.relations)
    }

    private static func unknownColumn(_ name: ObjectName, in tables: [RangeTable]) -> SQLError {
        let text = name.parts.count > 1 ? "\(name)" : "\"\(name.name)\""
        let candidates = tables.flatMap { $0.columns.map(\.name) }
        var hint: String?
        if let near = EditDistance.nearest(to: name.name, among: candidates),
            let table = tables.first(where: { table in table.columns.contains { $0.name == near } })
        {
            hint = "Perhaps you meant to reference the column \"\(table.alias).\(near)\"."
        }
        let places = tables.isEmpty ? "" : " in " + tables.map(\.shownName).joined(separator: ", ")
        return SQLError(.undefinedColumn, "column \(text) does not exist\(places)", hint: hint, at: name.position)
    }

    static func unknownQualifier(
        _ qualifier: ArraySlice<Identifier>, from scope: Scope, at position: SourcePosition
    ) -> SQLError {
        let alias = qualifier.last?.text ?? ""
        let aliases = scope.relations.map(\.alias)
        let hint = EditDistance.nearest(to: alias, among: aliases).map {
            "Perhaps you meant to reference the table alias \"\($0)\"."
        }
        return SQLError(
            .undefinedTable, "missing FROM-clause entry for table \"\(alias)\"", hint: hint, at: position)
    }
}
