import Catalog
import ColumnStore
import Platform
import SQLSyntax
import SQLTypes

/// What VACUUM did and does.
enum VacuumRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "stl_vacuum",
            """
            userid int, xid bigint, table_id int, status char(30), rows bigint, sortedrows int, blocks int,
            max_merge_partitions int, eventtime ts, reclaimable_rows bigint, reclaimable_space_mb bigint,
            cutoff_xid bigint, is_recluster int
            """, rows: events),
        SystemRelation(
            "svv_vacuum_progress", "table_name text, status text, time_remaining_estimate text", rows: progress),
        SystemRelation(
            "svv_vacuum_summary",
            """
            table_name text, xid bigint, sort_partitions bigint, merge_increments bigint, elapsed_time bigint,
            row_delta bigint, sortedrow_delta bigint, block_delta int, max_merge_partitions int
            """, rows: summaries),
        SystemRelation("svl_vacuum_percentage", "xid bigint, table_id int, percentage bigint", rows: percentages),
        SystemRelation(
            "sys_vacuum_history",
            """
            user_id int, transaction_id bigint, query_id bigint, database_name text, schema_name text, table_name text,
            table_id int, vacuum_type text, is_automatic bool, status text, start_time ts, end_time ts, duration bigint,
            rows_before_vacuum bigint, size_before_vacuum int, reclaimable_rows bigint, reclaimed_rows bigint,
            reclaimed_blocks bigint, sortedrows_before_vacuum bigint, sortedrows_after_vacuum bigint
            """, rows: history),
    ]

    private static func blocks(_ bytes: Int) -> Int {
        (bytes + TableInfoRelation.blockBytes - 1) / TableInfoRelation.blockBytes
    }

    /// Two rows for a VACUUM, one for a skipped one.
    private static func events(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.vacuums.entries {
            let user = Datum.number(entry.user)
            let rowBytes = entry.bytesBefore / max(entry.rowsBefore + entry.deletedRows, 1)
            func row(_ status: String, _ rows: Int, _ sorted: Int, _ bytes: Int, _ time: Int64, _ gone: Int) -> [Datum]
            {
                [
                    user, .wide(entry.transaction), .wide(entry.table.raw),
                    .text((entry.isAutomatic ? "[VacuumBG] " : "") + status), .number(rows), .number(sorted),
                    .number(blocks(bytes)), .number(max(entry.partsRead, 1)), .wide(time), .number(gone),
                    .number(gone * rowBytes >> 20), .wide(entry.transaction),
                    .number(entry.kind == .recluster ? 1 : 0),
                ]
            }
            try sink.add(
                row(
                    entry.startStatus, entry.rowsBefore + entry.deletedRows, entry.sortedRowsBefore,
                    entry.bytesBefore, entry.startMicroseconds, entry.deletedRows))
            if entry.isSkipped { continue }
            try sink.add(
                row("Finished", entry.rowsAfter, entry.sortedRowsAfter, entry.bytesAfter, entry.endMicroseconds, 0))
        }
    }

    private static func progress(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        guard let progress = snapshot.vacuums.progress else { return }
        let isOver = ["Complete", "Skipped", "Failed"].contains(progress.status)
        try sink.add([.text(progress.table), .text(progress.status), isOver ? .null : remaining(progress, snapshot)])
    }

    /// By the share of row groups read so far and the time that they took.
    private static func remaining(_ progress: VacuumLog.Progress, _ snapshot: SystemSnapshot) -> Datum {
        guard progress.fraction > 0 else { return .null }
        let spent = Double(snapshot.time.wallMicroseconds() - progress.startMicroseconds)
        let seconds = Int(spent / progress.fraction * (1 - progress.fraction) / 1_000_000)
        return .text("\(seconds / 60)m \(seconds % 60)s")
    }

    private static func summaries(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.vacuums.entries where !entry.isSkipped {
            try sink.add([
                .text(entry.name), .wide(entry.transaction), .number(entry.partsRead), .number(entry.partsWritten),
                .wide(entry.endMicroseconds - entry.startMicroseconds),
                .number(entry.rowsAfter - entry.rowsBefore - entry.deletedRows),
                .number(entry.sortedRowsAfter - entry.sortedRowsBefore),
                .number(blocks(entry.bytesAfter) - blocks(entry.bytesBefore)), .number(max(entry.partsRead, 1)),
            ])
        }
    }

    /// Share of the table's rows that were written again.
    private static func percentages(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.vacuums.entries where !entry.isSkipped {
            try sink.add([.wide(entry.transaction), .wide(entry.table.raw), .number(entry.rewrittenPercentage)])
        }
    }

    private static func history(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for entry in snapshot.vacuums.entries {
            let schema = snapshot.store.catalog.relation(id: entry.table)?.schema
            let first: [Datum] = [
                .number(entry.user), .wide(entry.transaction), .number(entry.query),
                snapshot.databaseName(ofTable: entry.table), .optional(schema), .text(entry.name),
                .wide(entry.table.raw),
                .text(entry.kind.rawValue.capitalizedWords), .boolean(entry.isAutomatic),
                .text(entry.isSkipped ? "Skipped" : "Finished"), .wide(entry.startMicroseconds),
                .wide(entry.endMicroseconds), .wide(entry.endMicroseconds - entry.startMicroseconds),
            ]
            let gone = entry.isSkipped ? 0 : entry.rowsBefore + entry.deletedRows - entry.rowsAfter
            let after = entry.isSkipped ? entry.sortedRowsBefore : entry.sortedRowsAfter
            try sink.add(
                first + [
                    .number(entry.rowsBefore + entry.deletedRows), .number(blocks(entry.bytesBefore)),
                    .number(entry.deletedRows), .number(gone),
                    .number(entry.isSkipped ? 0 : max(blocks(entry.bytesBefore) - blocks(entry.bytesAfter), 0)),
                    .number(entry.sortedRowsBefore), .number(after),
                ])
        }
    }
}

extension VacuumLog.Entry {
    /// Redshift's words.
    fileprivate var startStatus: String {
        if isSkipped {
            if rowsBefore + deletedRows == 0 { return "Skipped (0 rows)" }
            switch kind {
            case .deleteOnly: return "Skipped (delete only)"
            case .sortOnly: return "Skipped (sort only, sorted>=\(threshold)%)"
            case .full, .reindex, .recluster: return "Skipped (sorted>=\(threshold)%)"
            }
        }
        switch kind {
        case .full: return isDeleteOnly ? "Started Delete Only (Sorted >= \(threshold)%)" : "Started"
        case .deleteOnly: return "Started Delete Only"
        case .sortOnly: return "Started Sort Only"
        case .reindex: return "Started Reindex"
        case .recluster: return "Started"
        }
    }
}

extension String {
    /// `DELETE ONLY` as `Delete Only`.
    fileprivate var capitalizedWords: String {
        split(separator: " ").map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }.joined(separator: " ")
    }
}
