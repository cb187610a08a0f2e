import Catalog
import SQLTypes

/// The stored form of what ANALYZE knows of one table: `statistics/<table id>`, CRC32C at the end. Advisory: a damaged
/// or missing file costs estimates, never rows.
struct AnalysisFile {
    static let magic: [UInt8] = Array("RBSTATS\n".utf8)
    private static let formatVersion: UInt32 = 1

    var table: ObjectID
    /// nil: only uses of columns are known.
    var analysis: TableAnalysis?
    var changed: ChangedRows
    /// Rows when `changed` was written; what differs at the next start came or went without being counted.
    var liveRows: Int64
    /// By column id.
    var predicates: [Int32: PredicateUse]

    func encoded() -> [UInt8] {
        var writer = BinaryWriter()
        writer.put(raw: AnalysisFile.magic)
        writer.put(AnalysisFile.formatVersion)
        writer.put(table.raw)
        writer.put(changed.inserted)
        writer.put(changed.deleted)
        writer.put(liveRows)
        writer.put(predicates.sorted { $0.key < $1.key }) { writer, entry in
            writer.put(entry.key)
            writer.put(entry.value.firstMicroseconds)
            writer.put(entry.value.lastMicroseconds)
        }
        writer.put(analysis) { writer, analysis in
            writer.put(analysis.rowCount)
            writer.put(analysis.analyzedMicroseconds)
            writer.put(analysis.columns.sorted { $0.key < $1.key }) { writer, entry in
                writer.put(entry.key)
                AnalysisFile.write(entry.value, &writer)
            }
        }
        writer.putChecksum()
        return writer.bytes
    }

    private static func write(_ column: ColumnAnalysis, _ writer: inout BinaryWriter) {
        writer.put(column.nullFraction)
        writer.put(column.distinctCount)
        writer.put(column.averageWidth)
        writer.put(column.analyzedMicroseconds)
        writer.put(column.mostCommon) { writer, common in
            writer.put(common.value)
            writer.put(common.fraction)
        }
        writer.put(column.histogram) { $0.put($1) }
    }

    init(
        table: ObjectID, analysis: TableAnalysis?, changed: ChangedRows, liveRows: Int64,
        predicates: [Int32: PredicateUse]
    ) {
        self.table = table
        self.analysis = analysis
        self.changed = changed
        self.liveRows = liveRows
        self.predicates = predicates
    }

    init(_ bytes: [UInt8], file: String) throws {
        var reader = try BinaryReader.verified(bytes, file: file)
        guard Array(try reader.take(8)) == AnalysisFile.magic, try reader.get(UInt32.self) == AnalysisFile.formatVersion
        else { throw reader.corrupted("these are not statistics of this version") }
        table = ObjectID(try reader.get())
        changed = ChangedRows(inserted: try reader.get(), deleted: try reader.get())
        liveRows = try reader.get()
        predicates = [:]
        for (id, use) in try reader.getList({ reader in
            (
                try reader.get(Int32.self),
                PredicateUse(firstMicroseconds: try reader.get(), lastMicroseconds: try reader.get())
            )
        }) { predicates[id] = use }
        analysis = try reader.getOptional { reader in
            var analysis = TableAnalysis(
                rowCount: try reader.get(), columns: [:], analyzedMicroseconds: try reader.get())
            for (id, column) in try reader.getList({ (try $0.get(Int32.self), try AnalysisFile.readColumn(&$0)) }) {
                analysis.columns[id] = column
            }
            return analysis
        }
        guard reader.isAtEnd, liveRows >= 0, changed.inserted >= 0, changed.deleted >= 0 else {
            throw reader.corrupted("statistics")
        }
    }

    private static func readColumn(_ reader: inout BinaryReader) throws -> ColumnAnalysis {
        var column = ColumnAnalysis(
            nullFraction: try reader.getDouble(), distinctCount: try reader.getDouble(),
            averageWidth: try reader.getDouble(), analyzedMicroseconds: try reader.get())
        column.mostCommon = try reader.getList { reader in
            .init(value: try reader.getDatum(), fraction: try reader.getDouble())
        }
        column.histogram = try reader.getList { try $0.getDatum() }
        let isShare: (Double) -> Bool = { $0 >= 0 && $0 <= 1 }
        guard isShare(column.nullFraction), column.mostCommon.allSatisfy({ isShare($0.fraction) }),
            column.distinctCount >= 0, column.averageWidth >= 0, column.distinctCount.isFinite,
            column.averageWidth.isFinite
        else { throw reader.corrupted("statistics") }
        return column
    }
}
