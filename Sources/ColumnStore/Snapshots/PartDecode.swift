import ColumnVectors
import SQLTypes

extension Part {
    /// Appends a row group's values in canonical physical form: for rewriting tables.
    package func decode(column: Int, group: Int, into buffer: ColumnBuffer) throws {
        let block = try pin(column: column, group: group)
        defer { unpin(column: column, group: group) }
        try BlockDecoder.append(block.pointee, dictionary: dictionary(column: column), to: buffer)
    }
}

/// Turns blocks back into plain values.
enum BlockDecoder {
    static func append(_ block: Block, dictionary: TextDictionary?, to buffer: ColumnBuffer) throws {
        let count = Int(block.count)
        switch block.form {
        case .integer: try appendIntegers(block, count, buffer)
        case .wide, .float:
            try buffer.append(
                values: block.data, as: block.form == .wide ? .int128 : .float64, validity: block.validity,
                selection: nil, count: count)
        case .text, .dictionary:
            try withUnsafeTemporaryAllocation(of: StringView.self, capacity: max(count, 1)) { views in
                guard let base = views.baseAddress else { return }
                fill(base, block, count, dictionary)
                try buffer.append(
                    values: UnsafeRawPointer(base), as: .string, validity: block.validity, selection: nil,
                    count: count)
            }
        }
    }

    private static func appendIntegers(_ block: Block, _ count: Int, _ buffer: ColumnBuffer) throws {
        try withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(count, 1)) { values in
            guard let base = values.baseAddress else { return }
            expand(block, count, base)
            try buffer.append(
                values: UnsafeRawPointer(base), as: .int64, validity: block.validity, selection: nil, count: count)
        }
    }

    private static func fill(
        _ views: UnsafeMutablePointer<StringView>, _ block: Block, _ count: Int, _ dictionary: TextDictionary?
    ) {
        if block.form == .text {
            guard let heap = block.heap, let offsets = block.offsets else { return }
            for row in 0..<count {
                let start = Int(offsets[row])
                let length = Int(offsets[row + 1]) - start
                views[row] = length == 0 ? .empty : StringView(heap + start, count: length)
            }
            return
        }
        withUnsafeTemporaryAllocation(of: Int64.self, capacity: max(count, 1)) { codes in
            guard let base = codes.baseAddress, let dictionary else { return }
            expand(block, count, base)
            for row in 0..<count { views[row] = dictionary.views[Int(base[row])] }
        }
    }

    private static func expand(_ block: Block, _ count: Int, _ target: UnsafeMutablePointer<Int64>) {
        switch block.width {
        case 1: widen(block.data.assumingMemoryBound(to: UInt8.self), count, block.base, target)
        case 2: widen(block.data.assumingMemoryBound(to: UInt16.self), count, block.base, target)
        case 4: widen(block.data.assumingMemoryBound(to: UInt32.self), count, block.base, target)
        case 8: widen(block.data.assumingMemoryBound(to: Int64.self), count, block.base, target)
        default: target.initialize(repeating: block.base, count: count)
        }
    }

    @inline(__always)
    private static func widen<Code: FixedWidthInteger>(
        _ codes: UnsafePointer<Code>, _ count: Int, _ base: Int64, _ target: UnsafeMutablePointer<Int64>
    ) {
        for row in 0..<count { target[row] = base &+ Int64(truncatingIfNeeded: codes[row]) }
    }
}
