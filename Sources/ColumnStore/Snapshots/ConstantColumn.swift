import ColumnVectors
import SQLTypes

/// A column that a part does not have: the same value, mostly NULL, for all rows. Never goes through the cache.
final class ConstantColumn: @unchecked Sendable {  // immutable after init
    let value: Datum
    let dictionary: TextDictionary?
    /// One block a row group, all over the same memory.
    let blocks: UnsafeMutablePointer<Block>
    private let groups: Int
    private let memory: UnsafeMutableRawPointer?

    private struct Zeros: @unchecked Sendable {  // never written
        let address: UnsafeMutableRawPointer
    }
    private static let zeros = {
        let bytes = StorageLimits.rowGroupRows * 16 + StorageLimits.padding
        let address = UnsafeMutableRawPointer.allocate(byteCount: bytes, alignment: 64)
        address.initializeMemory(as: UInt8.self, repeating: 0, count: bytes)
        return Zeros(address: address)
    }()

    init(_ value: Datum, _ type: SQLType, groups groupRows: [Int]) {
        self.value = value
        groups = groupRows.count
        let family = ColumnFamily(type)
        var form = Block.Form.integer
        var width: Int32 = 0
        var base: Int64 = 0
        var dictionary: TextDictionary?
        var memory: UnsafeMutableRawPointer?
        switch family {
        case .integer:
            if case .integer(let number) = value { base = Int64(truncatingIfNeeded: number) }
        case .wide:
            (form, width) = (.wide, 16)
            var wide: Int128 = 0
            if case .integer(let number) = value { wide = number }
            if case .interval(let interval) = value { wide = interval.packed }
            if wide != 0 { memory = ConstantColumn.filled(wide) }
        case .float:
            (form, width) = (.float, 8)
            if case .double(let number) = value { memory = ConstantColumn.filled(number) }
        case .string:
            form = .dictionary
            dictionary = ConstantColumn.dictionary(value)
        }
        self.dictionary = dictionary
        self.memory = memory
        blocks = .allocate(capacity: max(groups, 1))
        let zeros = ConstantColumn.zeros.address
        for (group, rows) in groupRows.enumerated() {
            let block = Block(
                form: form, hasTrailingBlanks: dictionary?.hasTrailingBlanks ?? false, width: width, count: Int32(rows),
                nullCount: value.isNull ? Int32(rows) : 0, data: UnsafeRawPointer(memory ?? zeros), base: base,
                minimum: base, maximum: base,
                validity: value.isNull ? UnsafePointer(zeros.assumingMemoryBound(to: UInt8.self)) : nil)
            (blocks + group).initialize(to: block)
        }
    }

    deinit {
        blocks.deallocate()
        memory?.deallocate()
    }

    private static func filled<Value>(_ value: Value) -> UnsafeMutableRawPointer {
        let count = StorageLimits.rowGroupRows + StorageLimits.padding / MemoryLayout<Value>.size
        let memory = UnsafeMutableRawPointer.allocate(byteCount: count * MemoryLayout<Value>.stride, alignment: 64)
        memory.initializeMemory(as: Value.self, repeating: value, count: count)
        return memory
    }

    private static func dictionary(_ value: Datum) -> TextDictionary {
        guard case .string(let bytes) = value else { return TextDictionary(orderedDistinct: []) }
        return bytes.withUnsafeBufferPointer { buffer in
            let view = buffer.baseAddress.map { StringView($0, count: buffer.count) } ?? .empty
            return TextDictionary(orderedDistinct: [view])
        }
    }

    func zone(_ group: Int) -> ZoneMap {
        let block = blocks[group]
        return ZoneMap(
            rowCount: block.count, nullCount: block.nullCount, minimum: block.minimum, maximum: block.maximum,
            form: block.form, width: Int8(truncatingIfNeeded: block.width),
            hasTrailingBlanks: block.hasTrailingBlanks)
    }
}
