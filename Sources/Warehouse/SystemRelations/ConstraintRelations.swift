import Catalog
import ColumnStore
import SQLTypes

/// Keys and dependencies.
enum ConstraintRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_constraint",
            """
            oid oid, conname name, connamespace oid, contype "char", condeferrable bool, condeferred bool, conrelid oid,
            contypid oid, confrelid oid, confupdtype "char", confdeltype "char", confmatchtype "char",
            conkey smallint[], confkey smallint[], conbin text, consrc text, conindid oid, convalidated bool,
            conparentid oid,
            tableoid oid
            """, rows: constraints),
        SystemRelation(
            "pg_index",
            """
            indexrelid oid, indrelid oid, indkey vector, indclass oidvector, indnatts smallint, indisunique bool,
            indisprimary bool, indisclustered bool, indisvalid bool, indexprs text, indpred text, indisreplident bool,
            indimmediate bool
            """, rows: indexes),
        SystemRelation(
            "pg_depend",
            """
            classid oid, objid oid, objsubid int, refclassid oid, refobjid oid, refobjsubid int, deptype "char"
            """, rows: dependencies),
        SystemRelation(
            "pg_rewrite",
            """
            oid oid, rulename name, ev_class oid, ev_attr smallint, ev_type "char", is_instead bool, ev_qual text,
            ev_action text, ev_enabled "char", tableoid oid
            """, rows: rewrites),
        SystemRelation("pg_inherits", "inhrelid oid, inhparent oid, inhseqno int"),
        SystemRelation(
            "pg_trigger",
            """
            oid oid, tgrelid oid, tgname name, tgfoid oid, tgtype smallint, tgenabled bool, tgisconstraint bool,
            tgconstrname name, tgconstrrelid oid, tgdeferrable bool, tginitdeferred bool, tgnargs smallint,
            tgattr vector, tgargs text, tgconstraint oid, tgisinternal bool, tgparentid oid, tableoid oid
            """),
    ]

    static func numbers(_ columns: [Int]) -> [[UInt8]] { columns.map { Array(String($0 + 1).utf8) } }

    private static func constraints(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let namespaces = snapshot.namespaceIDs
        for table in snapshot.tables {
            for (index, constraint) in table.constraints.enumerated() {
                var foreign = 0
                var kind = "p"
                var other: Datum = .null
                switch constraint.kind {
                case .primaryKey: break
                case .unique: kind = "u"
                case .foreignKey(let target, let columns):
                    (kind, foreign) = ("f", Int(target.raw))
                    other = .string(CatalogArray.text(numbers(columns)))
                }
                let action: Datum = kind == "f" ? .text("a") : .blank
                let first: [Datum] = [
                    .number(table.constraintID(index)), .text(constraint.name),
                    .number(namespaces[table.schema] ?? 0), .text(kind), .no, .no, .wide(table.id.raw), .zero,
                    .number(foreign),
                ]
                let second: [Datum] = [
                    action, action, kind == "f" ? .text("u") : .blank,
                    .string(CatalogArray.text(numbers(constraint.columns))), other, .null, .null,
                    .number(indexID(of: index, in: table, snapshot)), .yes, .zero, .number(2606),
                ]
                try sink.add(first + second)
            }
        }
    }

    /// The key that a constraint stands on: its own, or that of the table that a foreign key refers to.
    private static func indexID(of index: Int, in table: TableDefinition, _ snapshot: SystemSnapshot) -> Int {
        guard case .foreignKey(let target, let columns) = table.constraints[index].kind else {
            return table.constraintID(index)
        }
        guard case .table(let other)? = snapshot.relation(id: Int(target.raw)) else { return 0 }
        let keys = other.keys
        let key = keys.first { $0.constraint.columns == columns } ?? keys.first { $0.constraint.kind == .primaryKey }
        return key.map { other.constraintID($0.index) } ?? 0
    }

    private static func indexes(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            for key in table.keys {
                let columns = numbers(key.constraint.columns)
                try sink.add([
                    .number(table.constraintID(key.index)), .wide(table.id.raw),
                    .string(Array(columns.joined(separator: [UInt8(ascii: " ")]))), .blank, .number(columns.count),
                    .yes, .boolean(key.constraint.kind == .primaryKey), .no, .yes, .null, .null, .no,
                    .yes,
                ])
            }
        }
    }

    /// A view hangs on its rule, and the rule on what the view reads: the way by which tools find dependents. A foreign
    /// key hangs on the key that it refers to, and a key's index on its constraint.
    private static func dependencies(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            for (number, constraint) in table.constraints.enumerated() {
                let key = Datum.number(indexID(of: number, in: table, snapshot))
                let own = Datum.number(table.constraintID(number))
                if case .foreignKey = constraint.kind {
                    try sink.add([.number(2606), own, .zero, .number(1259), key, .zero, .text("n")])
                } else {
                    try sink.add([.number(1259), key, .zero, .number(2606), own, .zero, .text("i")])
                }
            }
        }
        for (view, _) in snapshot.shownViews {
            let rule = ruleID(view)
            try sink.add([
                .number(2618), .number(rule), .zero, .number(1259), .wide(view.id.raw), .zero, .text("i"),
            ])
            for reference in view.references {
                for column in columns(reference, snapshot) {
                    try sink.add([
                        .number(2618), .number(rule), .zero, .number(1259), .wide(reference.object.raw),
                        .number(column), .text("n"),
                    ])
                }
            }
        }
    }

    /// Numbers of the columns that are used, from 1; 0, the whole object, where none is or nobody knows.
    private static func columns(_ reference: ObjectReference, _ snapshot: SystemSnapshot) -> [Int] {
        let ids = snapshot.store.catalog.relation(id: reference.object)?.definition.columnIDs ?? []
        let used = reference.columns.filter(\.isUsed).compactMap { column in
            ids.firstIndex(of: column.id).map { $0 + 1 }
        }
        return used.isEmpty ? [0] : used
    }

    private static func ruleID(_ view: ViewDefinition) -> Int { 0x7000_0000 + Int(truncatingIfNeeded: view.id.raw) }

    private static func rewrites(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for (view, _) in snapshot.shownViews {
            try sink.add([
                .number(ruleID(view)), .text("_RETURN"), .wide(view.id.raw), .number(-1), .text("1"), .yes, .null,
                .null, .text("O"), .number(2618),
            ])
        }
    }

    /// The text of `pg_get_constraintdef`.
    ///
    /// - Parameter name: how another table is called there.
    static func definition(
        _ constraint: TableConstraint, of table: TableDefinition, _ catalog: CatalogSnapshot,
        name: (TableDefinition) -> String
    ) -> String {
        let own = list(constraint.columns, of: table)
        switch constraint.kind {
        case .primaryKey: return "PRIMARY KEY \(own)"
        case .unique: return "UNIQUE \(own)"
        case .foreignKey(let target, let columns):
            guard case .table(let other)? = catalog.relation(id: target) else { return "FOREIGN KEY \(own)" }
            return "FOREIGN KEY \(own) REFERENCES \(name(other))\(list(columns, of: other))"
        }
    }

    static func list(_ columns: [Int], of table: TableDefinition) -> String {
        let names = columns.filter { table.columns.indices.contains($0) }.map {
            CatalogArray.quoted(table.columns[$0].name)
        }
        return "(\(names.joined(separator: ", ")))"
    }
}
