import Catalog
import ColumnVectors
import SQLTypes

/// Names a part for ever within a warehouse.
package struct PartID: Hashable, Sendable, Comparable {
    package let raw: UInt64
    package init(_ raw: UInt64) { self.raw = raw }
    package static func < (a: PartID, b: PartID) -> Bool { a.raw < b.raw }
}

/// Immutable rows of one slice, seen through one table definition: `column` is an index into its columns. A column
/// that was added after the part was written answers as constant NULL or its default. Safe from any thread.
package final class Part: @unchecked Sendable {  // raw memory is freed only in deinit
    package let id: PartID
    package let slice: Int
    package let rowCount: Int
    package let rowGroupCount: Int
    /// True when the rows are in the order of the definition's compound sort key.
    package let isSorted: Bool
    /// Bytes on disk.
    package let byteCount: Int

    /// Rows that this version of the part still has.
    package var liveRowCount: Int { rowCount - (deleted?.count ?? 0) }
    package var deletedRowCount: Int { deleted?.count ?? 0 }

    /// Where the rows of a part in memory are in their delta.
    struct Origin {
        var delta: PartID
        /// The first row's ordinal.
        var firstRow: Int
    }

    let file: PartFile
    let deleted: DeletedRows?
    /// nil: the part is a file.
    let origin: Origin?
    /// False: the rows are in the log, and in memory until a checkpoint writes them.
    package var isOnDisk: Bool { origin == nil }
    private let slots: BlockSlots
    private let storedColumns: Int
    /// Definition's column -> column of the file, or -1.
    private let places: UnsafeMutablePointer<Int32>
    private let columnCount: Int
    let groupRows: [Int]
    private let constants: [ConstantColumn?]

    /// - Parameter defaults: values of columns that the file does not have, by column id.
    init(
        _ version: PartVersion, definition: TableDefinition, defaults: [Int32: Datum], origin: Origin? = nil
    ) throws {
        let file = version.file
        self.origin = origin
        let footer = file.footer
        self.file = file
        deleted = version.deleted
        id = footer.id
        slice = footer.slice
        rowCount = file.rowCount
        rowGroupCount = footer.groupRows.count
        byteCount = file.byteCount
        slots = file.slots
        storedColumns = file.columnCount
        groupRows = footer.groupRows
        columnCount = definition.columns.count
        if case .compound(let columns) = definition.sortKey, !columns.isEmpty {
            isSorted = footer.sortedBy == columns.map { definition.columns[$0].id }
        } else {
            isSorted = false
        }
        var places: [Int32] = []
        var constants: [ConstantColumn?] = []
        for column in definition.columns {
            let place = footer.columns.firstIndex { $0.id == column.id }
            if let place, footer.columns[place].family != ColumnFamily(column.type) {
                throw PartReader.damaged(file.path, column: column.id, "the stored type is not the column's type")
            }
            places.append(Int32(place ?? -1))
            constants.append(
                place != nil ? nil : ConstantColumn(defaults[column.id] ?? .null, column.type, groups: groupRows))
        }
        self.constants = constants
        self.places = .allocate(capacity: max(places.count, 1))
        self.places.initialize(from: places, count: places.count)
    }

    deinit { places.deallocate() }

    package func rows(inGroup group: Int) -> Int { groupRows[group] }

    /// What is known of a block without reading it.
    package func zone(column: Int, group: Int) -> ZoneMap {
        let place = Int(places[column])
        if place >= 0 { return file.zones[group &* storedColumns &+ place] }
        return constants[column].map { $0.zone(group) }
            ?? ZoneMap(
                rowCount: Int32(groupRows[group]), nullCount: 0, minimum: 0, maximum: 0, form: .integer, width: 0,
                hasTrailingBlanks: false)
    }

    /// The ordered dictionary of a string column whose blocks are all dictionary coded.
    package func dictionary(column: Int) -> TextDictionary? {
        let place = Int(places[column])
        return place >= 0 ? file.dictionaries[place] : constants[column]?.dictionary
    }

    /// Name of the encoding in use, with AUTO resolved.
    package func encodingName(_ column: Int) -> String {
        let place = Int(places[column])
        return place >= 0 ? file.footer.columns[place].encoding : "runlength"
    }

    /// Bytes of the column on disk.
    package func byteCount(column: Int) -> Int {
        let place = Int(places[column])
        guard place >= 0 else { return 0 }
        let stored = file.footer.columns[place]
        return stored.blocks.reduce(stored.dictionary?.storedLength ?? 0) { $0 + $1.storedLength }
    }

    /// The block, loaded when needed; it stays in place until ``unpin(column:group:)``.
    package func pin(column: Int, group: Int) throws -> UnsafePointer<Block> {
        let place = Int(places[column])
        guard place >= 0 else {
            guard let constant = constants[column] else { throw SQLError(.internalError, "column without values") }
            return UnsafePointer(constant.blocks + group)
        }
        let slot = group &* storedColumns &+ place
        if let block = slots.tryPin(slot) { return block }
        return try file.load(slot: slot)
    }

    package func unpin(column: Int, group: Int) {
        let place = Int(places[column])
        if place >= 0 { slots.unpin(group &* storedColumns &+ place) }
    }

    /// One byte a row, 1 = deleted; nil = none.
    package func deletedRows(group: Int) -> UnsafePointer<UInt8>? { deleted?.bytes(group: group) }
    package func deletedRowCount(inGroup group: Int) -> Int { deleted?.groupCounts[group] ?? 0 }
    var version: PartVersion { PartVersion(file: file, deleted: deleted) }

    /// What the statistics of a snapshot are merged from; nil for a column that the file does not have.
    func summary(column: Int) -> ColumnSummary? {
        let place = Int(places[column])
        return place >= 0 ? file.footer.columns[place].summary : nil
    }
    func constantValue(column: Int) -> Datum { constants[column]?.value ?? .null }
}

/// A part file and which of its rows are gone: what a snapshot names.
struct PartVersion {
    var file: PartFile
    var deleted: DeletedRows?

    /// Of one file, where rows are only ever deleted.
    func isSame(as other: PartVersion) -> Bool {
        file === other.file && (deleted?.count ?? 0) == (other.deleted?.count ?? 0)
    }
}
