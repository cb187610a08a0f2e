import SQLTypes

/// What a LIKE pattern lets through, as far as statistics tell: it is matched against the few values that they hold,
/// and guessed at beyond. (Rows are matched by the engine's `LikePattern`.)
struct LikeEstimate {
    private enum Piece: Equatable {
        case byte(UInt8)
        case anyOne
        case anyRun
    }
    private let pieces: [Piece]
    private let ignoresCase: Bool
    /// The bytes before the first wildcard.
    let prefix: [UInt8]

    init(_ pattern: [UInt8], escape: UInt8? = 0x5C, ignoresCase: Bool) {
        var pieces: [Piece] = []
        var index = 0
        while index < pattern.count {
            switch pattern[index] {
            case escape where index + 1 < pattern.count:
                index += 1
                pieces.append(.byte(ignoresCase ? LikeEstimate.lowered(pattern[index]) : pattern[index]))
            case 0x25: if pieces.last != .anyRun { pieces.append(.anyRun) }
            case 0x5F: pieces.append(.anyOne)
            case let byte: pieces.append(.byte(ignoresCase ? LikeEstimate.lowered(byte) : byte))
            }
            index += 1
        }
        self.pieces = pieces
        self.ignoresCase = ignoresCase
        var prefix: [UInt8] = []
        for case .byte(let byte) in pieces.prefix(while: { if case .byte = $0 { true } else { false } }) {
            prefix.append(byte)
        }
        self.prefix = prefix
    }

    /// `abc%` and nothing else.
    var isPrefixOnly: Bool {
        !ignoresCase && !prefix.isEmpty && pieces.count == prefix.count + 1 && pieces.last == .anyRun
    }

    /// All strings with the prefix: from the first bound, below the second.
    var prefixRange: (Datum, Datum)? {
        var end = prefix
        while let last = end.popLast() {
            if last < 0xFF { return (.string(prefix), .string(end + [last + 1])) }
        }
        return nil
    }

    /// What one would say without knowing any value: each byte that must match makes it rarer, to a point.
    var guess: Double {
        var share = 1.0
        for piece in pieces where share > 0.01 {
            switch piece {
            case .byte: share *= 0.5
            case .anyOne: share *= 0.9
            case .anyRun: share *= 1
            }
        }
        return max(share, 0.01)
    }

    /// Matches in bounded time: on a mismatch the last run of anything takes one byte more.
    func matches(_ text: [UInt8]) -> Bool {
        var place = 0, piece = 0
        var resume: (piece: Int, place: Int)?
        while place < text.count {
            if piece < pieces.count {
                switch pieces[piece] {
                case .anyRun:
                    resume = (piece, place)
                    piece += 1
                    continue
                case .anyOne:
                    place += LikeEstimate.characterLength(text, place)
                    piece += 1
                    continue
                case .byte(let byte) where byte == (ignoresCase ? LikeEstimate.lowered(text[place]) : text[place]):
                    place += 1
                    piece += 1
                    continue
                case .byte: break
                }
            }
            guard let last = resume else { return false }
            resume = (last.piece, last.place + 1)
            place = last.place + 1
            piece = last.piece + 1
        }
        while piece < pieces.count && pieces[piece] == .anyRun { piece += 1 }
        return piece == pieces.count
    }

    private static func characterLength(_ text: [UInt8], _ place: Int) -> Int {
        var end = place + 1
        while end < text.count && text[end] & 0xC0 == 0x80 { end += 1 }
        return end - place
    }
    private static func lowered(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
