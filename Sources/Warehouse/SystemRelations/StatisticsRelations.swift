import Catalog
import ColumnStore
import SQLTypes

/// What ANALYZE knows, in PostgreSQL's catalogs.
enum StatisticsRelations {
    static let all: [SystemRelation] = [
        SystemRelation(
            "pg_stats",
            """
            schemaname name, tablename name, attname name, null_frac real, avg_width int, n_distinct real,
            most_common_vals text, most_common_freqs text, histogram_bounds text, correlation real
            """, rows: statistics),
        SystemRelation(
            "pg_statistic",
            """
            starelid oid, staattnum smallint, stanullfrac real, stawidth int, stadistinct real, stakind1 smallint,
            stakind2 smallint, stakind3 smallint, stakind4 smallint, staop1 oid, staop2 oid, staop3 oid, staop4 oid,
            stanumbers1 real[], stanumbers2 real[], stanumbers3 real[], stanumbers4 real[], stavalues1 text[],
            stavalues2 text[], stavalues3 text[], stavalues4 text[]
            """, rows: slots),
        SystemRelation(
            "pg_statistic_indicator", "stairelid oid, stairows real, staiins real, staidels real", rows: indicators),
    ]

    private struct Facts {
        var table: TableDefinition
        var column: Int
        var nullFraction: Datum
        var width: Datum
        var distinct: Datum
        var analysis: ColumnAnalysis?
        var use: PredicateUse?

        var type: SQLType { table.columns[column].type }
        var commonValues: Datum {
            guard let common = analysis?.mostCommon, !common.isEmpty else { return .null }
            return .string(CatalogArray.text(common.map { $0.value.text(type: type) ?? "" }))
        }
        var commonFractions: Datum {
            guard let common = analysis?.mostCommon, !common.isEmpty else { return .null }
            return .string(CatalogArray.text(common.map { FloatShare.text($0.fraction) }))
        }
        var bounds: Datum {
            guard let histogram = analysis?.histogram, !histogram.isEmpty else { return .null }
            return .string(CatalogArray.text(histogram.map { $0.text(type: type) ?? "" }))
        }
    }

    /// Columns of all tables with rows; the parts know counts even before the first ANALYZE.
    private static func forEachColumn(_ snapshot: SystemSnapshot, _ body: (Facts) throws -> Void) throws {
        for table in snapshot.tables {
            guard let data = snapshot.store.table(table.id), data.rowCount > 0 else { continue }
            let total = Double(data.rowCount)
            let analyzed = snapshot.analyses.analyzed(table.id)?.analysis
            let uses = snapshot.analyses.predicates(table.id)
            for (index, column) in table.columns.enumerated() where index < data.statistics.columns.count {
                let facts = data.statistics.columns[index]
                let distinct = facts.distinctCount > total * 0.1 ? -facts.distinctCount / total : facts.distinctCount
                try body(
                    Facts(
                        table: table, column: index, nullFraction: single(Double(facts.nullCount) / total),
                        width: .number(Int(min(max(facts.averageWidth, 0), 65_535))), distinct: single(distinct),
                        analysis: analyzed?.columns[column.id], use: uses[column.id]))
            }
        }
    }

    private static func single(_ value: Double) -> Datum { .double(Double(Float(value))) }

    private static func statistics(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEachColumn(snapshot) { facts in
            try sink.add([
                .text(facts.table.schema), .text(facts.table.name), .text(facts.table.columns[facts.column].name),
                facts.nullFraction, facts.width, facts.distinct, facts.commonValues, facts.commonFractions,
                facts.bounds, .null,
            ])
        }
    }

    /// Kind 1: common values, 2: histogram, 10002: when the column was first used in a predicate and last analyzed.
    private static func slots(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        try forEachColumn(snapshot) { facts in
            if facts.analysis == nil && facts.use == nil { return }
            // 2000-01-01 stands for "never", as in Redshift.
            let never: Int64 = 946_684_800_000_000
            let moments = [facts.use?.firstMicroseconds ?? never, facts.analysis?.analyzedMicroseconds ?? never]
            let times = moments.map { moment in
                Datum.integer(Int128(moment)).text(type: .timestamp) ?? ""
            }
            let common = facts.commonValues, bounds = facts.bounds
            try sink.add([
                .wide(facts.table.id.raw), .number(facts.column + 1), facts.nullFraction, facts.width, facts.distinct,
                .number(common.isNull ? 0 : 1), .number(bounds.isNull ? 0 : 2), .zero, .number(10_002), .zero, .zero,
                .zero, .zero, facts.commonFractions, .null, .null, .null, common, bounds, .null,
                .string(CatalogArray.text(times)),
            ])
        }
    }

    private static func indicators(_ snapshot: SystemSnapshot, _ sink: SystemRows) throws {
        for table in snapshot.tables {
            guard let analyzed = snapshot.analyses.analyzed(table.id),
                let changed = snapshot.analyses.changed(table.id)
            else { continue }
            try sink.add([
                .wide(table.id.raw), .double(Double(analyzed.analysis.rowCount)), .double(Double(changed.inserted)),
                .double(Double(changed.deleted)),
            ])
        }
    }
}

/// Shares as REAL values show them.
private enum FloatShare {
    static func text(_ share: Double) -> String { Datum.double(Double(Float(share))).text(type: .real) ?? "" }
}
