import CIntrinsics
import ColumnStore
import ColumnVectors
import Glibc

/// `LIKE '%a%b%'` on strings without a dictionary: the first piece is searched in the block's whole heap by its three
/// rarest bytes, and hits are mapped back to rows; per row only what comes after a hit is looked at.
final class TextSearchConjunct: ScanConjunct {
    private let pieces: TextPieces
    private let negated: Bool
    override var rank: Rank { .text }

    init(slot: Int, column: Int, pieces: [[UInt8]], negated: Bool) {
        self.pieces = TextPieces(pieces)
        self.negated = negated
        super.init(slot: slot, column: column)
    }

    override func mask(_ cursor: ScanCursor, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, combine: Bool) throws {
        let block = try cursor.block(slot)
        if combine || block.pointee.form != .text {
            for i in 0..<rows {
                if combine && mask[i] == 0 { continue }
                mask[i] = b2u(pieces.match(try string(block, cursor, i)) != negated)
            }
        } else {
            memset(mask, negated ? 1 : 0, rows)
            searchHeap(block, rows, mask, hit: negated ? 0 : 1)
        }
        applyValidity(block, rows, mask, nullsPass: false, nil)
    }

    override func refine(_ cursor: ScanCursor, _ positions: UnsafeMutablePointer<UInt16>, _ count: Int) throws -> Int {
        let block = try cursor.block(slot)
        let valid = block.pointee.validity, negated = self.negated, pieces = self.pieces
        if block.pointee.form == .text, let heap = block.pointee.heap, let offsets = block.pointee.offsets {
            return refinePositions(positions, count) { row in
                if let valid, valid[row] == 0 { return false }
                let start = Int(offsets[row])
                return pieces.match(heap + start, Int(offsets[row + 1]) - start) != negated
            }
        }
        var kept = 0
        for i in 0..<count {
            let row = positions[i]
            if let valid, valid[Int(row)] == 0 { continue }
            if pieces.match(try string(block, cursor, Int(row))) != negated {
                positions[kept] = row
                kept += 1
            }
        }
        return kept
    }

    private func string(_ block: UnsafePointer<Block>, _ cursor: ScanCursor, _ row: Int) throws -> StringView {
        if block.pointee.form == .text, let heap = block.pointee.heap, let offsets = block.pointee.offsets {
            let start = Int(offsets[row])
            return StringView(heap + start, count: Int(offsets[row + 1]) - start)
        }
        guard let views = cursor.part?.dictionary(column: column)?.views else { return .empty }
        return views[Int(block.pointee.integer(row))]
    }

    private func searchHeap(
        _ block: UnsafePointer<Block>, _ rows: Int, _ mask: UnsafeMutablePointer<UInt8>, hit: UInt8
    ) {
        guard let heap = block.pointee.heap, let offsets = block.pointee.offsets else { return }
        let end = Int(offsets[rows]), first = pieces.first
        let length = first.count, a = first.rare.0, b = first.rare.1, c = first.rare.2
        let needle = first.bytes, byteA = needle[a], byteB = needle[b], byteC = needle[c]
        let more = pieces.count > 1
        var at = Int(offsets[0]) + a, row = 0
        while at < end {
            var hits = rb_match3_mask64(heap + at, b - a, c - a, byteA, byteB, byteC)
            while hits != 0 {
                let start = at &+ hits.trailingZeroBitCount &- a
                hits &= hits &- 1
                if start &+ length > end { break }
                if !first.matches(heap + start) { continue }
                while Int(offsets[row &+ 1]) <= start { row &+= 1 }
                let rowEnd = Int(offsets[row &+ 1])
                if start &+ length > rowEnd { continue }
                if more && !pieces.matchRest(heap + start + length, rowEnd - start - length) { continue }
                mask[row] = hit
            }
            at &+= 64
        }
    }
}

/// The literal pieces of a pattern `%a%b%`, in memory that can be read past their ends.
final class TextPieces: @unchecked Sendable {  // immutable after init
    struct Piece {
        let bytes: UnsafeMutablePointer<UInt8>
        let count: Int
        /// Ascending places of the rarest bytes in English text, for the first look.
        let rare: (Int, Int, Int)
        let word: UInt64
        let wordMask: UInt64

        @inline(__always) func matches(_ p: UnsafePointer<UInt8>) -> Bool {
            // Block heaps and dictionaries are readable past their end; others call the careful form.
            if (UnsafeRawPointer(p).loadUnaligned(as: UInt64.self) ^ word) & wordMask != 0 { return false }
            return count <= 8 || memcmp(p + 8, bytes + 8, count - 8) == 0
        }
    }
    private let pieces: UnsafeMutablePointer<Piece>
    let count: Int
    var first: Piece { pieces[0] }

    init(_ strings: [[UInt8]]) {
        count = strings.count
        pieces = .allocate(capacity: max(strings.count, 1))
        for (index, string) in strings.enumerated() { (pieces + index).initialize(to: TextPieces.piece(string)) }
    }
    deinit {
        for index in 0..<count { pieces[index].bytes.deallocate() }
        pieces.deallocate()
    }

    private static let byFrequency: [UInt8] = Array(" etaoinshrdlucmwfgypbvkjxqz".utf8)

    private static func piece(_ string: [UInt8]) -> Piece {
        let bytes = UnsafeMutablePointer<UInt8>.allocate(capacity: string.count + 64)
        bytes.initialize(repeating: 0, count: string.count + 64)
        for (index, byte) in string.enumerated() { bytes[index] = byte }
        func rarity(_ index: Int) -> Int { byFrequency.firstIndex(of: string[index]) ?? 100 }
        let order = string.indices.sorted { rarity($0) > rarity($1) }
        let chosen = [order[0], order[min(1, order.count - 1)], order[min(2, order.count - 1)]].sorted()
        let word = UnsafeRawPointer(bytes).loadUnaligned(as: UInt64.self)
        let mask = string.count >= 8 ? ~UInt64(0) : (1 << UInt64(8 * string.count)) - 1
        return Piece(
            bytes: bytes, count: string.count, rare: (chosen[0], chosen[1], chosen[2]), word: word & mask,
            wordMask: mask)
    }

    @inline(__always) func match(_ view: StringView) -> Bool { match(view.pointer, Int(view.count)) }

    func match(_ start: UnsafePointer<UInt8>, _ length: Int) -> Bool { match(start, length, from: 0) }
    @inline(__always) func matchRest(_ start: UnsafePointer<UInt8>, _ length: Int) -> Bool {
        match(start, length, from: 1)
    }

    /// All pieces from `index` on, one after the other.
    private func match(_ start: UnsafePointer<UInt8>, _ length: Int, from index: Int) -> Bool {
        var at = start, left = length
        for piece in index..<count {
            guard let found = find(pieces[piece], at, left) else { return false }
            left -= found + pieces[piece].count
            at += found + pieces[piece].count
        }
        return true
    }

    private func find(_ piece: Piece, _ p: UnsafePointer<UInt8>, _ length: Int) -> Int? {
        let needle = piece.count
        if needle > length { return nil }
        let firstByte = piece.bytes[0], lastByte = piece.bytes[needle - 1]
        var at = 0
        while at + needle <= length {
            var hits = rb_match2_mask32(p + at, needle - 1, firstByte, lastByte)
            while hits != 0 {
                let start = at &+ hits.trailingZeroBitCount
                hits &= hits &- 1
                if start &+ needle > length { return nil }
                if memcmp(p + start, piece.bytes, needle) == 0 { return start }
            }
            at &+= 32
        }
        return nil
    }

    /// The pieces of a pattern that is nothing but literals between percent signs, and begins and ends with one.
    static func split(_ pattern: [UInt8], escape: [UInt8]) -> [[UInt8]]? {
        let percent = UInt8(ascii: "%")
        guard pattern.count >= 3, pattern.first == percent, pattern.last == percent,
            !pattern.contains(UInt8(ascii: "_")), !pattern.contains(where: { escape.contains($0) })
        else { return nil }
        let pieces = pattern.split(separator: percent).map(Array.init)
        return pieces.isEmpty ? nil : pieces
    }
}
