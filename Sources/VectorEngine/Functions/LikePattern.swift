import CIntrinsics
import ColumnVectors
import Glibc
import SQLTypes

/// A LIKE pattern, compiled: literal pieces between `%`, each possibly with `_` in it. Matching is linear for patterns
/// without `_` and bounded by text times pattern otherwise. Immutable, shared by all workers.
struct LikePattern: @unchecked Sendable {  // the pieces' bytes are owned by `storage` and never change
    /// A run of literal bytes; `_` stands as 0xFF, which is in no valid text.
    struct Piece {
        let bytes: UnsafePointer<UInt8>
        let count: Int
        /// Places of `_` that match one character of any length.
        let hasWildcards: Bool
        var buffer: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: bytes, count: count) }
    }
    enum Form {
        /// No `%`: the whole text is the one piece.
        case exact
        /// `abc%`, `%abc`, `%abc%`, without `_`.
        case prefix, suffix, contains
        /// Any number of pieces.
        case general

        /// For forms of one literal piece.
        @inline(__always)
        fileprivate func matches(_ view: StringView, _ wanted: UnsafePointer<UInt8>, _ length: Int) -> Bool {
            let count = Int(view.count)
            switch self {
            case .exact: return count == length && memcmp(view.pointer, wanted, length) == 0
            case .prefix: return count >= length && memcmp(view.pointer, wanted, length) == 0
            case .suffix: return count >= length && memcmp(view.pointer + (count - length), wanted, length) == 0
            case .contains: return findBytes(view.pointer, count, wanted, length) >= 0
            case .general: return false
            }
        }
    }
    let form: Form
    /// In order. Empty for `%`.
    let pieces: [Piece]
    /// The first piece stands at the start / the last one at the end of the text.
    let anchoredStart: Bool
    let anchoredEnd: Bool
    let ignoresCase: Bool
    private let storage: PatternBytes
    static let wildcard: UInt8 = 0xFF

    /// - Parameters:
    ///   - escape: the escape character's bytes; empty for none.
    ///   - ignoresCase: ASCII letters match in either case; matched texts need not be folded before.
    /// - Throws: 22025 for a pattern that ends in its escape character.
    init(_ pattern: [UInt8], escape: [UInt8] = [0x5C], ignoresCase: Bool = false) throws {
        let (runs, start, end) = try LikePattern.split(pattern, escape, ignoresCase)
        self.ignoresCase = ignoresCase
        let storage = PatternBytes(runs)
        self.storage = storage
        let pieces = runs.indices.map { index in
            Piece(
                bytes: storage.start(of: index), count: runs[index].count,
                hasWildcards: runs[index].contains(LikePattern.wildcard))
        }
        self.pieces = pieces
        anchoredStart = start
        anchoredEnd = end
        let simple = pieces.count == 1 && !pieces[0].hasWildcards && !ignoresCase
        form =
            switch (simple, start, end) {
            case (true, true, true): .exact
            case (true, true, false): .prefix
            case (true, false, true): .suffix
            case (true, false, false): .contains
            default: .general
            }
    }

    private static func split(
        _ pattern: [UInt8], _ escape: [UInt8], _ ignoresCase: Bool
    ) throws -> (runs: [[UInt8]], start: Bool, end: Bool) {
        var runs: [[UInt8]] = []
        var run: [UInt8] = []
        var index = 0
        var sawPercent = false
        var anchoredStart = true
        var endsOpen = false
        func isEscape(_ index: Int) -> Bool {
            !escape.isEmpty && index + escape.count <= pattern.count
                && pattern[index..<index + escape.count].elementsEqual(escape)
        }
        while index < pattern.count {
            endsOpen = false
            if isEscape(index) {
                index += escape.count
                guard index < pattern.count else {
                    throw SQLError(.invalidEscape, "LIKE pattern must not end with escape character")
                }
                let length = min(CharacterWalk.length(pattern[index]), pattern.count - index)
                run += pattern[index..<index + length].map { ignoresCase ? TextInput.lower($0) : $0 }
                index += length
            } else if pattern[index] == 0x25 {
                if !sawPercent { anchoredStart = !run.isEmpty }
                sawPercent = true
                endsOpen = true
                if !run.isEmpty { runs.append(run) }
                run = []
                index += 1
            } else {
                run.append(
                    pattern[index] == 0x5F ? wildcard : ignoresCase ? TextInput.lower(pattern[index]) : pattern[index])
                index += 1
            }
        }
        if !run.isEmpty || !sawPercent { runs.append(run) }
        return (runs, anchoredStart, !endsOpen)
    }

    @inline(__always)
    func matches(_ view: StringView) -> Bool {
        if case .general = form { return matchesGeneral(view.pointer, Int(view.count)) }
        return form.matches(view, pieces[0].bytes, pieces[0].count)
    }

    private func matchesGeneral(_ text: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        var first = 0
        var last = pieces.count
        var start = 0
        var end = count
        if anchoredStart {
            guard first < last else { return count == 0 }
            guard let stop = matchHere(pieces[first], text, start, end) else { return false }
            if pieces.count == 1 && anchoredEnd { return stop == count }
            start = stop
            first += 1
        }
        if anchoredEnd && first < last {
            last -= 1
            guard let begin = matchBackwards(pieces[last], text, start, end) else { return false }
            end = begin
        }
        while first < last {
            guard let stop = find(pieces[first], text, start, end) else { return false }
            start = stop
            first += 1
        }
        return true
    }

    /// The offset behind the piece when it stands at `start`.
    @inline(__always)
    private func matchHere(_ piece: Piece, _ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var place = start
        for index in 0..<piece.count {
            if place >= end { return nil }
            let wanted = piece.bytes[index]
            if wanted == LikePattern.wildcard {
                place &+= CharacterWalk.length(text[place])
            } else {
                let byte = ignoresCase ? TextInput.lower(text[place]) : text[place]
                if byte != wanted { return nil }
                place &+= 1
            }
        }
        return place <= end ? place : nil
    }

    /// The offset where the piece begins that ends at `end`.
    private func matchBackwards(_ piece: Piece, _ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        var place = end
        for index in stride(from: piece.count - 1, through: 0, by: -1) {
            if place <= start { return nil }
            place -= 1
            let wanted = piece.bytes[index]
            if wanted == LikePattern.wildcard {
                while place > start && text[place] & 0xC0 == 0x80 { place -= 1 }
            } else {
                let byte = ignoresCase ? TextInput.lower(text[place]) : text[place]
                if byte != wanted { return nil }
            }
        }
        return place
    }

    /// The offset behind the first occurrence of the piece.
    private func find(_ piece: Piece, _ text: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Int? {
        if !piece.hasWildcards && !ignoresCase {
            let place = findBytes(text + start, end - start, piece.bytes, piece.count)
            return place < 0 ? nil : start + place + piece.count
        }
        var place = start
        while place < end {
            if let stop = matchHere(piece, text, place, end) { return stop }
            place &+= CharacterWalk.length(text[place])
        }
        return nil
    }
}

/// LIKE with patterns that change from row to row: nothing is compiled for those that have `%` at their ends only.
enum LikeMatch {
    static func matches(
        _ text: StringView, _ pattern: StringView, escape: [UInt8], ignoresCase: Bool
    ) throws -> Bool {
        var start = 0, end = Int(pattern.count)
        while start < end && pattern.pointer[start] == 0x25 { start &+= 1 }
        while end > start && pattern.pointer[end &- 1] == 0x25 { end &-= 1 }
        if ignoresCase || isSpecial(pattern.pointer, start, end, escape) {
            return try LikePattern(Array(pattern.bytes), escape: escape, ignoresCase: ignoresCase).matches(text)
        }
        let form: LikePattern.Form =
            switch (start > 0, end < Int(pattern.count)) {
            case (false, false): .exact
            case (false, true): .prefix
            case (true, false): .suffix
            case (true, true): .contains
            }
        return form.matches(text, pattern.pointer + start, end - start)
    }

    /// There is more between the ends than characters that stand for themselves.
    private static func isSpecial(
        _ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int, _ escape: [UInt8]
    ) -> Bool {
        let first = escape.first ?? 0x25
        for index in start..<end {
            let byte = bytes[index]
            if byte == 0x25 || byte == 0x5F || byte == first { return true }
        }
        return first == 0x25 && !escape.isEmpty
    }
}

/// The bytes of a pattern's pieces at a fixed address.
private final class PatternBytes {
    private let base: UnsafeMutablePointer<UInt8>
    private var starts: [Int] = []

    init(_ runs: [[UInt8]]) {
        let total = runs.reduce(0) { $0 + $1.count }
        base = .allocate(capacity: total + 32)
        base.initialize(repeating: 0, count: total + 32)
        var place = 0
        for run in runs {
            starts.append(place)
            for byte in run {
                base[place] = byte
                place += 1
            }
        }
    }
    func start(of index: Int) -> UnsafePointer<UInt8> { UnsafePointer(base + starts[index]) }
    deinit { base.deallocate() }
}

/// The offset of the first occurrence, -1 for none. Reads within the text only: 32 candidates at a time by their first
/// and last byte, the rest one by one.
@inline(__always)
func findBytes(_ text: UnsafePointer<UInt8>, _ count: Int, _ wanted: UnsafePointer<UInt8>, _ length: Int) -> Int {
    if length == 0 { return 0 }
    let candidates = count &- length &+ 1
    if candidates <= 0 { return -1 }
    let first = wanted[0]
    let last = wanted[length &- 1]
    var place = 0
    while place &+ 32 <= candidates {
        var hits = rb_match2_mask32(text + place, length &- 1, first, last)
        while hits != 0 {
            let hit = place &+ hits.trailingZeroBitCount
            if length <= 2 || memcmp(text + hit + 1, wanted + 1, length &- 2) == 0 { return hit }
            hits &= hits &- 1
        }
        place &+= 32
    }
    while place < candidates {
        if text[place] == first && text[place &+ length &- 1] == last
            && (length <= 2 || memcmp(text + place + 1, wanted + 1, length &- 2) == 0)
        {
            return place
        }
        place &+= 1
    }
    return -1
}
