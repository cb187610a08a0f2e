import ColumnVectors
import SQLTypes

/// Several fields packed into as few 64-bit words as they need, the first field in the highest bits.
struct SortKeyLayout {
    struct Piece {
        var field: Int
        var piece: Int
        var bits: Int
        var offset: Int
        /// Low bits for which there was no room.
        var dropped = 0
    }
    let fields: [SortField]
    private(set) var pieces: [Piece] = []
    private(set) var bits = 0
    /// The first field whose bits are only a prefix: fields from it on are compared in full when the words are equal.
    private(set) var firstInexact: Int?

    /// - Parameter limit: bits at most; a field that does not fit is cut and counts as inexact.
    init(_ fields: [SortField], limit: Int = 256) {
        self.fields = fields
        for (index, field) in fields.enumerated() {
            for (piece, width) in field.pieceBits.enumerated() where width > 0 {
                if bits + width > limit {
                    let room = limit - bits
                    if room > 0 {
                        pieces.append(
                            Piece(field: index, piece: piece, bits: room, offset: bits, dropped: width - room))
                    }
                    bits = limit
                    firstInexact = index
                    return
                }
                pieces.append(Piece(field: index, piece: piece, bits: width, offset: bits))
                bits += width
            }
            if !field.exact {
                firstInexact = index
                return
            }
        }
    }

    var words: Int { max(1, (bits + 63) / 64) }

    /// Adds the pieces of rows to word arrays that hold zeros. `out[w]` is word w of the first row.
    func encode(
        _ columns: [(data: UnsafeRawPointer, validity: UnsafePointer<UInt8>?)], start: Int, count: Int,
        scratch: UnsafeMutablePointer<UInt64>, out: [UnsafeMutablePointer<UInt64>]
    ) {
        for piece in pieces {
            let column = columns[piece.field]
            fields[piece.field].encode(
                piece: piece.piece, column.data, column.validity, start: start, count: count, into: scratch)
            if piece.dropped > 0 { shiftRight(scratch, count, UInt64(piece.dropped)) }
            let word = piece.offset / 64
            let left = 64 - (piece.offset - word * 64)
            if piece.bits <= left {
                addShiftedLeft(scratch, out[word], count, UInt64(left - piece.bits))
            } else {
                let surplus = UInt64(piece.bits - left)
                addShiftedRight(scratch, out[word], count, surplus)
                addShiftedLeft(scratch, out[word + 1], count, 64 - surplus)
            }
        }
    }
}

private func shiftRight(_ values: UnsafeMutablePointer<UInt64>, _ count: Int, _ shift: UInt64) {
    for i in 0..<count { values[i] &>>= shift }
}

private func addShiftedLeft(
    _ from: UnsafePointer<UInt64>, _ to: UnsafeMutablePointer<UInt64>, _ count: Int, _ shift: UInt64
) { for i in 0..<count { to[i] |= from[i] &<< shift } }

private func addShiftedRight(
    _ from: UnsafePointer<UInt64>, _ to: UnsafeMutablePointer<UInt64>, _ count: Int, _ shift: UInt64
) { for i in 0..<count { to[i] |= from[i] &>> shift } }
