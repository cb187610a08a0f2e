import SQLTypes

/// Finds the groups of a match whose bounds are known, for programs in which every character leaves one way to go on:
/// one look into a table for each character, which also says what groups begin and end there ("one-pass" in R. Cox,
/// "Regular Expression Matching in the Wild", 2010). Immutable once made.
final class RegexPath {
    /// An entry of the table: the next node and, above it, the groups' borders that stand in front of the character.
    private static let nodeBits: UInt64 = 16
    private static let nodeMask: UInt64 = 0xFFFF
    private static let none = nodeMask
    private static let mostNodes = 128
    private static let mostGroups = 24

    /// 256 entries a node: one for each byte that begins a character.
    private var table: [UInt64] = []
    /// Borders at the end of a match in the node, and where that is the end of the text; nil: it is not the end of one.
    private var endings: [(inside: UInt64?, atEnd: UInt64?)] = []
    private var starts = (atStart: 0, behind: 0)

    private let program: RegexProgram
    private var nodes: [Int: Int] = [:]
    private var open: [Int] = []

    /// nil for other programs.
    init?(_ program: RegexProgram) {
        guard program.groups <= RegexPath.mostGroups else { return nil }
        self.program = program
        // Of the two ways to begin, one is at the start of the text.
        guard let first = makeNode(0, isAtStart: true), let second = makeNode(0, isAtStart: false) else { return nil }
        starts = (first, second)
        while let instruction = open.popLast() {
            guard let node = nodes[instruction], fill(node, from: instruction, isAtStart: false) else { return nil }
        }
    }

    private func makeNode(_ instruction: Int, isAtStart: Bool) -> Int? {
        let node = append()
        return fill(node, from: instruction, isAtStart: isAtStart) ? node : nil
    }

    private func append() -> Int {
        table.append(contentsOf: repeatElement(RegexPath.none, count: 256))
        endings.append((nil, nil))
        return endings.count - 1
    }

    /// The node behind a character that the instruction in front has taken.
    private func node(behind instruction: Int) -> Int? {
        if let known = nodes[instruction + 1] { return known }
        guard endings.count < RegexPath.mostNodes else { return nil }
        let made = append()
        nodes[instruction + 1] = made
        open.append(instruction + 1)
        return made
    }

    /// Follows everything that takes no character, most preferred first. False: a character leaves two ways.
    private func fill(_ node: Int, from start: Int, isAtStart: Bool) -> Bool {
        var seen = Set<Int>()
        var pending: [(instruction: Int, borders: UInt64, atEnd: Bool)] = [(start, 0, false)]
        while let (index, borders, atEnd) = pending.popLast() {
            if !seen.insert(index).inserted { continue }
            switch program.instructions[index] {
            case .jump(let target): pending.append((target, borders, atEnd))
            case .split(let first, let second):
                pending.append((second, borders, atEnd))
                pending.append((first, borders, atEnd))
            case .save(let slot): pending.append((index + 1, slot < 2 ? borders : borders | 1 << (slot - 2), atEnd))
            case .textStart: if isAtStart { pending.append((index + 1, borders, atEnd)) }
            case .textEnd: pending.append((index + 1, borders, true))
            case .match:
                if !atEnd { endings[node].inside = endings[node].inside ?? borders }
                endings[node].atEnd = endings[node].atEnd ?? borders
            case .character, .any, .set: if !atEnd && !connect(node, index, borders) { return false }
            case .wordBoundary, .notWordBoundary, .look: return false
            }
        }
        return true
    }

    private func connect(_ node: Int, _ instruction: Int, _ borders: UInt64) -> Bool {
        guard let wide = takesWide(instruction), let next = self.node(behind: instruction) else { return false }
        let entry = borders << RegexPath.nodeBits | UInt64(next)
        for byte in 0..<256 where byte < 0x80 ? takes(instruction, UInt32(byte)) : wide {
            if table[node << 8 | byte] != RegexPath.none { return false }
            table[node << 8 | byte] = entry
        }
        return true
    }

    private func takes(_ instruction: Int, _ scalar: UInt32) -> Bool {
        program.takes(program.instructions[instruction], scalar, folded: program.folded(scalar))
    }

    /// Whether it takes all characters that are not ASCII, or none; nil: some.
    private func takesWide(_ instruction: Int) -> Bool? {
        switch program.instructions[instruction] {
        case .character(let wanted):
            // Letters that are not ASCII may be folded to ASCII.
            return wanted >= 0x80 || program.ignoresCase ? nil : false
        case .set(let set):
            let isNarrow = program.classes[set].ranges.allSatisfy { $0.upperBound < 0x80 }
            return isNarrow ? program.classes[set].negated : nil
        default: return true
        }
    }

    /// Sets the groups' borders, those of the whole match included. False where the way ends too early, which a match
    /// with these bounds rules out.
    func follow(
        _ text: UnsafePointer<UInt8>, _ count: Int, from start: Int, to end: Int, _ captures: inout [Int]
    ) -> Bool {
        for slot in captures.indices { captures[slot] = -1 }
        var node = start == 0 ? starts.atStart : starts.behind
        var place = start
        return table.withUnsafeBufferPointer { table in
            while place < end {
                let byte = text[place]
                let entry = table[node &<< 8 | Int(byte)]
                if entry == RegexPath.none { return false }
                if entry > RegexPath.nodeMask { mark(entry &>> RegexPath.nodeBits, place, &captures) }
                node = Int(entry & RegexPath.nodeMask)
                place &+= byte < 0x80 ? 1 : CharacterWalk.scalar(text + place, count &- place).length
            }
            guard place == end, let borders = end == count ? endings[node].atEnd : endings[node].inside else {
                return false
            }
            mark(borders, end, &captures)
            captures[0] = start
            captures[1] = end
            return true
        }
    }

    @inline(__always)
    private func mark(_ borders: UInt64, _ place: Int, _ captures: inout [Int]) {
        var left = borders
        while left != 0 {
            captures[left.trailingZeroBitCount &+ 2] = place
            left &= left &- 1
        }
    }
}
