import Catalog
import ColumnStore
import Platform
import SQLTypes

/// A commit that was refused because a schema would have been larger than its quota (STL_SCHEMA_QUOTA_VIOLATIONS).
struct QuotaViolation: Sendable {
    var schema: SchemaDefinition
    var quotaMegabytes: Int64
    var usedMegabytes: Int64
    var user: Int
    var transaction: Int64
    var session: Int
    var microseconds: Int64
}

/// Quotas of schemas against what their permanent tables take. Asked when a transaction commits: until then it may go
/// beyond, and one that only takes rows or tables away, or rewrites them, is never refused.
enum SchemaQuotas {
    /// A schema that a change makes larger than its quota, and the bytes that it would have.
    struct Excess {
        var schema: SchemaDefinition
        var quotaMegabytes: Int64
        var bytes: Int
    }

    /// - Parameter base: the state that the change goes on top of.
    static func excesses(of change: StoreChange, on base: StoreSnapshot) -> [Excess] {
        var growing = Set(change.added.map(\.table)).subtracting(change.removed.keys)
        if change.catalog == nil && growing.isEmpty { return [] }
        if let catalog = change.catalog { growing.formUnion(moved(to: catalog, from: base)) }
        if growing.isEmpty { return [] }
        var result: [Excess] = []
        for catalog in (change.catalog ?? base.catalog).withinEach {
            for schema in catalog.schemas.values.sorted(by: { $0.name < $1.name }) {
                guard let quota = schema.quotaMegabytes else { continue }
                let tables = permanentTables(schema, catalog)
                if tables.isDisjoint(with: growing) { continue }
                let kept = tables.subtracting(change.emptied).reduce(0) { $0 + (base.table($1)?.byteCount ?? 0) }
                let bytes = change.added.reduce(kept) { $0 + (tables.contains($1.table) ? $1.byteCount : 0) }
                if Int64(bytes) > quota.multipliedClamped(by: 1 << 20) {
                    result.append(Excess(schema: schema, quotaMegabytes: quota, bytes: bytes))
                }
            }
        }
        return result
    }

    /// Tables with rows that have come into another schema.
    private static func moved(to catalog: CatalogSnapshot, from base: StoreSnapshot) -> Set<ObjectID> {
        var moved: Set<ObjectID> = []
        let before = Dictionary(
            base.catalog.withinEach.map { ($0.databaseID, $0) }, uniquingKeysWith: { first, _ in first })
        for inside in catalog.withinEach {
            for schema in inside.schemas.values where schema.quotaMegabytes != nil {
                let old = before[inside.databaseID].map { permanentTables(schema, $0) } ?? []
                let came = permanentTables(schema, inside).subtracting(old)
                moved.formUnion(came.filter { (base.table($0)?.byteCount ?? 0) > 0 })
            }
        }
        return moved
    }

    static func permanentTables(_ schema: SchemaDefinition, _ catalog: CatalogSnapshot) -> Set<ObjectID> {
        Set(
            catalog.relations(inSchema: schema.name).compactMap { relation in
                if case .table(let table) = relation, !table.isTemporary { table.id } else { nil }
            })
    }

    static func megabytes(_ bytes: Int) -> Int64 { Int64((bytes + (1 << 20) - 1) >> 20) }
}

extension Int64 {
    fileprivate func multipliedClamped(by factor: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: factor)
        return overflow ? .max : product
    }
}

extension Session {
    /// Ends a transaction that would leave a schema larger than its quota.
    func checkQuotas(_ change: StoreChange, on base: StoreSnapshot, _ transaction: Transaction) throws {
        let excesses = SchemaQuotas.excesses(of: change, on: base)
        if excesses.isEmpty { return }
        for excess in excesses {
            warehouse.transactions.note(
                QuotaViolation(
                    schema: excess.schema, quotaMegabytes: excess.quotaMegabytes,
                    usedMegabytes: SchemaQuotas.megabytes(excess.bytes), user: effectiveUser,
                    transaction: transaction.number, session: number,
                    microseconds: warehouse.time.wallMicroseconds()))
        }
        let list = excesses.map {
            "(Schema: \($0.schema.name), Quota: \($0.quotaMegabytes), "
                + "Current Disk Usage: \(SchemaQuotas.megabytes($0.bytes)))"
        }
        throw SQLError(
            "53100",
            "Transaction \(transaction.number) is aborted due to exceeding the disk space quota in schema(s): "
                + list.joined(separator: ", "),
            hint: "Free up disk space or request increased quota for the schema(s).")
    }
}
