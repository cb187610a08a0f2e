import ColumnVectors
import Platform

/// Memory for one step of rows that all columns of a worker share.
final class ParquetScratch {
    private let region: Region
    static let rows = ParquetLimits.stepRows
    init() throws { region = try MemoryRegions.shared.take(bytes: ParquetScratch.rows * (16 + 16 + 8 + 4 + 1)) }
    deinit { MemoryRegions.shared.give(back: region) }

    private func part<Value>(_ offset: Int, _ type: Value.Type) -> UnsafeMutablePointer<Value> {
        (region.address + offset * ParquetScratch.rows).assumingMemoryBound(to: type)
    }
    /// Values as the file has them, of up to 16 bytes.
    var values: UnsafeMutableRawPointer { UnsafeMutableRawPointer(part(0, StringView.self)) }
    /// Values half-way to the table's form.
    var middle: UnsafeMutableRawPointer { UnsafeMutableRawPointer(part(16, StringView.self)) }
    var lengths: UnsafeMutablePointer<Int64> { part(32, Int64.self) }
    var indexes: UnsafeMutablePointer<UInt32> { part(40, UInt32.self) }
    var validity: UnsafeMutablePointer<UInt8> { part(44, UInt8.self) }
}
