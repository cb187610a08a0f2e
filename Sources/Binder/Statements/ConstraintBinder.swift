import Catalog
import QueryPlan
import SQLSyntax
import SQLTypes

/// PRIMARY KEY, UNIQUE, FOREIGN KEY.
struct ConstraintBinder {
    let session: BindingSession

    init(_ session: BindingSession) { self.session = session }

    func bind(_ node: SQLSyntax.TableConstraint, of table: TableDefinition) throws -> Catalog.TableConstraint {
        switch node.kind {
        case .unique(let names):
            return try make(.unique, try columns(names, of: table), node.name, of: table, at: node.position)
        case .primaryKey(let names):
            return try make(.primaryKey, try columns(names, of: table), node.name, of: table, at: node.position)
        case .foreignKey(let names, let target, let targetColumns):
            let own = try columns(names, of: table)
            let kind = try foreignKey(target, targetColumns, of: table, count: own.count)
            return try make(kind, own, node.name, of: table, at: node.position)
        }
    }

    func make(
        _ kind: Catalog.TableConstraint.Kind, _ columns: [Int], _ name: Identifier?, of table: TableDefinition,
        at position: SourcePosition
    ) throws -> Catalog.TableConstraint {
        if kind == .primaryKey, table.constraints.contains(where: { $0.kind == .primaryKey }) {
            throw SQLError(
                .invalidTableDefinition, "multiple primary keys for table \"\(table.name)\" are not allowed",
                at: position)
        }
        let chosen = name?.text ?? generatedName(kind, columns, table)
        if name != nil, table.constraints.contains(where: { $0.name == chosen }) {
            throw SQLError(
                .duplicateObject, "constraint \"\(chosen)\" for relation \"\(table.name)\" already exists",
                at: position)
        }
        return Catalog.TableConstraint(name: chosen, kind: kind, columns: columns)
    }

    private func generatedName(
        _ kind: Catalog.TableConstraint.Kind, _ columns: [Int], _ table: TableDefinition
    ) -> String {
        let names = columns.map { table.columns[$0].name }.joined(separator: "_")
        let base: String
        switch kind {
        case .primaryKey: base = "\(table.name)_pkey"
        case .unique: base = "\(table.name)_\(names)_key"
        case .foreignKey: base = "\(table.name)_\(names)_fkey"
        }
        var name = base
        var number = 1
        while table.constraints.contains(where: { $0.name == name }) {
            name = "\(base)\(number)"
            number += 1
        }
        return name
    }

    private func columns(_ names: [Identifier], of table: TableDefinition) throws -> [Int] {
        try names.map { name in
            guard let index = table.columnIndex(name.text) else {
                throw SQLError(
                    .undefinedColumn, "column \"\(name)\" named in key does not exist", at: name.position)
            }
            return index
        }
    }

    /// Without a column list the target's primary key is meant. A table may refer to itself: id 0 while it is made.
    func foreignKey(
        _ name: ObjectName, _ names: [Identifier], of table: TableDefinition, count: Int
    ) throws -> Catalog.TableConstraint.Kind {
        let isSelf = name.name == table.name && (name.schema == nil || name.schema == table.schema)
        let target = isSelf ? table : try session.requireTable(name, for: "reference")
        var indexes = try names.map { try target.requireColumn($0) }
        if indexes.isEmpty {
            indexes = target.constraints.first { $0.kind == .primaryKey }?.columns ?? []
        }
        guard indexes.count == count else {
            throw SQLError(
                .invalidTableDefinition, "number of referencing and referenced columns for foreign key disagree",
                at: name.position)
        }
        return .foreignKey(table: target.id, columns: indexes)
    }
}
