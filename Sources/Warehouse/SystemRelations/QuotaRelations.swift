import Catalog
import ColumnStore
import SQLTypes

/// Schemas with a quota, and what was refused for one.
enum QuotaRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "svv_schema_quota_state",
            """
            schema_id int, schema_name char(128), schema_owner int, quota int, disk_usage int, disk_usage_pct double
            """, rows: states),
        SystemRelation(
            "stl_schema_quota_violations",
            """
            ownerid int, xid bigint, pid int, userid int, schema_id int, schema_name char(128), quota int,
            disk_usage int, disk_usage_pct double, timestamp ts
            """,
            rows: { snapshot, sink in
                for violation in snapshot.transactions.quotaViolations {
                    try sink.add([
                        .number(violation.schema.owner), .wide(violation.transaction), .number(violation.session),
                        .number(violation.user), .wide(violation.schema.id.raw), .text(violation.schema.name),
                        .wide(violation.quotaMegabytes), .wide(violation.usedMegabytes),
                        share(violation.usedMegabytes, of: violation.quotaMegabytes), .wide(violation.microseconds),
                    ])
                }
            }),
        SystemRelation(
            "sys_schema_quota_violations",
            """
            owner_id int, user_id int, transaction_id bigint, session_id int, schema_id int, schema_name char(128),
            quota int, disk_usage int, record_time ts
            """,
            rows: { snapshot, sink in
                for violation in snapshot.transactions.quotaViolations {
                    try sink.add([
                        .number(violation.schema.owner), .number(violation.user), .wide(violation.transaction),
                        .number(violation.session), .wide(violation.schema.id.raw), .text(violation.schema.name),
                        .wide(violation.quotaMegabytes), .wide(violation.usedMegabytes),
                        .wide(violation.microseconds),
                    ])
                }
            }),
    ]

    /// Everybody sees the schemas that they may use.
    private static func states(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        let catalog = snapshot.store.catalog, rights = snapshot.rights
        for schema in catalog.schemas.values.sorted(by: { $0.id < $1.id }) {
            guard let quota = schema.quotaMegabytes,
                rights.isSuperuser || rights.privileges(on: schema, in: catalog).contains(.usage)
            else { continue }
            let tables = SchemaQuotas.permanentTables(schema, catalog)
            let used = SchemaQuotas.megabytes(tables.reduce(0) { $0 + (snapshot.store.table($1)?.byteCount ?? 0) })
            try sink.add([
                .wide(schema.id.raw), .text(schema.name), .number(schema.owner), .wide(quota), .wide(used),
                share(used, of: quota),
            ])
        }
    }

    private static func share(_ used: Int64, of quota: Int64) -> Datum {
        quota == 0 ? .null : .double((Double(used) / Double(quota) * 10_000).rounded() / 100)
    }
}
