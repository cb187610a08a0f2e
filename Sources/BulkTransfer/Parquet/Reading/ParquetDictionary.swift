import ColumnVectors
import Platform
import SQLTypes

/// The dictionary of one column chunk, its entries converted to the table's form once.
final class ParquetDictionary {
    private(set) var count: UInt32 = 0
    /// Entries that cannot be loaded, by index.
    private(set) var failures: [UInt32: ParquetBadValue] = [:]
    private let region: Region
    /// Strings that are not in the page.
    private let strings = StringArena()

    /// In the table's form.
    var values: UnsafeMutableRawPointer { region.address }

    init(
        _ page: ParquetPage.Dictionary, _ leaf: ParquetLeaf, _ converter: ParquetColumnConverter,
        _ pages: ParquetPageReader, _ scratch: ParquetScratch
    ) throws {
        let smallest =
            switch leaf.physical {
            case .boolean: 0
            case .int32, .float, .byteArray: 4
            case .int64, .double: 8
            case .int96: 12
            case .fixedByteArray: leaf.length
            }
        guard smallest > 0, page.entries <= page.bytes.count / smallest else {
            throw ParquetDamage("a dictionary claims \(page.entries) entries in \(page.bytes.count) bytes")
        }
        let width = converter.conversion.width
        region = try MemoryRegions.shared.take(bytes: page.entries * width)
        let decoder = try ParquetValueDecoder(page.bytes, leaf.physical, length: leaf.length, .plain, scratch)
        var done = 0
        while done < page.entries {
            let some = min(page.entries - done, ParquetScratch.rows)
            let target = region.address + done * width
            let source = try decoder.next(some, converter.decodesInPlace ? target : scratch.values, strings)
            try converter.convert(source, some, decoder.facts, target, strings)
            for failure in converter.failures {
                failures[UInt32(truncatingIfNeeded: done + failure.index)] = failure
            }
            done += some
        }
        count = UInt32(truncatingIfNeeded: page.entries)
    }
    deinit { MemoryRegions.shared.give(back: region) }
}
