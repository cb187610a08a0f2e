import Catalog
import ColumnVectors
import Platform
import SQLTypes

/// What a load needs to know of its table, worked out once.
struct WritePlan: Sendable {
    enum Placement: Sendable {
        case even
        case all
        case key(Int)
    }
    let definition: TableDefinition
    let types: [SQLType]
    let physicals: [PhysicalType]
    /// CHAR is stored without its trailing blanks.
    let isTrimmed: [Bool]
    /// TIMETZ is stored in UTC.
    let zonedColumns: [Int]
    /// Columns whose values may become codes of a dictionary. Its order is that of texts, not of bytes.
    let isCoded: [Bool]
    let placement: Placement
    /// AUTO: the rows go to one slice until there are too many for ALL.
    let isAuto: Bool
    let autoAllRows: Int
    let sliceCount: Int
    let bufferLimit: Int
    let largestChunk: Int
    /// A lane that has less does not write it early, also where memory is short.
    let smallestEarlyPart: Int
    /// Up to so many rows go to the log.
    let logRows: Int
    /// Chunks hold integers in fewer bits while they fit.
    let narrows: Bool

    init(
        _ definition: TableDefinition, slices: Int, presentRows: Int, presentIsAll: Bool, _ store: Store,
        logRows: Int = 0, narrows: Bool = true
    ) {
        self.narrows = narrows
        // Positions among them fit 16 bits.
        self.logRows = min(logRows, 65_535)
        self.definition = definition
        types = definition.columns.map(\.type)
        physicals = types.map(\.physical)
        isCoded = types.map { $0.physical == .string && !$0.family.isBinaryString }
        isTrimmed = types.map { if case .char = $0 { true } else { false } }
        zonedColumns = types.indices.filter { [types] in types[$0] == .timetz }
        sliceCount = slices
        autoAllRows = presentIsAll ? max(store.options.autoAllRows - presentRows, 0) : 0
        isAuto = definition.distribution == .auto
        switch definition.distribution {
        case .auto, .even: placement = .even
        case .all: placement = .all
        case .key(let column): placement = .key(column)
        }
        let quarter = store.cache.budget.limit / 4
        bufferLimit = max(store.options.writeBufferBytes ?? min(quarter, 4 << 30), 1 << 20)
        smallestEarlyPart = min(max(store.cache.budget.limit / 256, 1 << 20), 4 << 20, bufferLimit / 4)
        // Two lanes or more, each with a chunk per slice, must stay well below the limit.
        let rowBytes = max(RowChunk.rowBytes(physicals), 1)
        largestChunk = min(max(bufferLimit / (rowBytes * slices * 16), 1_024), StorageLimits.rowGroupRows)
    }

    /// Times with zones at the offset of UTC, in place.
    func putInUTC(_ rows: ColumnBatch) {
        for index in zonedColumns {
            let times = rows.columns[index].values(as: Int64.self)
            for row in 0..<rows.columns[index].count {
                let time = TimeWithZone(packed: times[row])
                // The end of the day, 24:00, is only shifted with its offset.
                if time.offsetMinutes == 0 { continue }
                let utc = Calendar.timeOfDay(time.utc)
                times[row] = TimeWithZone(local: utc, offsetMinutes: 0).packed
            }
        }
    }

    var storedPlacement: PartPlacement {
        switch placement {
        case .even: .even
        case .all: .all
        case .key(let column): .key(definition.columns[column].id)
        }
    }
}
