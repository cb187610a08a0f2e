import ColumnVectors
import Platform
import SQLTypes

/// One leaf of a nested column, entry by entry: its levels and, where there is one, its value. Confined to its worker.
final class ParquetLeafCursor {
    private let chunk: ParquetChunkReader
    let type: SQLType
    private let buffer: ColumnBuffer
    private let repetitions = UnsafeMutablePointer<UInt16>.allocate(capacity: block)
    private let definitions = UnsafeMutablePointer<UInt16>.allocate(capacity: block)
    /// Entries of the block, the next one, and the next value.
    private var count = 0
    private var place = 0
    private var valuePlace = 0
    private var bad: [ParquetBadValue] = []
    private static let block = 1024

    init(_ chunk: ParquetChunkReader, _ type: SQLType) {
        self.chunk = chunk
        self.type = type
        buffer = ColumnBuffer(type)
    }
    deinit {
        repetitions.deallocate()
        definitions.deallocate()
    }

    /// Levels of the next entry; nil at the end.
    func peek() throws -> (repetition: Int, definition: Int)? {
        if place == count {
            if chunk.isAtEnd { return nil }
            try fill()
        }
        return (Int(repetitions[place]), Int(definitions[place]))
    }

    private func fill() throws {
        while chunk.left == 0 {
            if chunk.isAtEnd { throw ParquetDamage.truncated }
            try chunk.nextPage()
        }
        chunk.releaseStrings()
        buffer.removeAll()
        bad.removeAll(keepingCapacity: true)
        place = 0
        valuePlace = 0
        count = min(chunk.left, ParquetLeafCursor.block)
        let present = try chunk.decodeLevels(count, repetitions, definitions)
        try buffer.reserve(additional: present)
        if present > 0 { try chunk.decode(present, buffer.values, &bad) }
        buffer.advance(present)
    }

    /// Passes over the next entry.
    func skip(hasValue: Bool) {
        place += 1
        if hasValue { valuePlace += 1 }
    }

    /// The next entry's value, which there must be; passes over it.
    func take() throws -> (value: Datum, failure: ParquetBadValue?) {
        guard valuePlace < buffer.count else { throw ParquetDamage("a value is missing") }
        let failure = bad.isEmpty ? nil : bad.first { $0.index == valuePlace }
        let value = buffer.datum(row: valuePlace, type: type)
        skip(hasValue: true)
        return (value, failure)
    }
}
