import SQLTypes

/// A compiled regular expression: instructions for ``RegexMatcher``. Immutable, shared by all workers. Matching takes
/// time proportional to text times program, whatever the pattern, because threads at the same instruction are one.
struct RegexProgram: Sendable {
    enum Instruction: Sendable, Hashable {
        case character(UInt32)
        case any
        case set(Int)
        /// Goes on at both places, the first preferred.
        case split(Int, Int)
        case jump(Int)
        /// Notes the position.
        case save(Int)
        case textStart, textEnd, wordBoundary, notWordBoundary
        /// What follows matches (or does not) what has this number in ``looks``.
        case look(Int, negated: Bool)
        case match
    }
    /// Characters by ranges.
    struct CharacterClass: Sendable, Hashable {
        var ranges: [ClosedRange<UInt32>] = []
        var negated = false
        func contains(_ scalar: UInt32) -> Bool {
            for range in ranges where range.contains(scalar) { return !negated }
            return negated
        }
    }
    fileprivate(set) var instructions: [Instruction] = []
    fileprivate(set) var classes: [CharacterClass] = []
    /// What `(?=...)` and `(?!...)` look ahead for, from the end of the text to its start; inner ones stand before
    /// those that they are in. See ``RegexLooks``.
    fileprivate(set) var looks: [[Instruction]] = []
    /// Groups, the whole match included.
    fileprivate(set) var groups = 1
    let ignoresCase: Bool
    private let tree: RegexNode
    private let syntax: Syntax
    /// When set, every match begins with this byte.
    fileprivate(set) var firstByte: UInt8?

    enum Syntax { case posix, similarTo }
    static let maximumInstructions = 20_000
    static let maximumPatternBytes = 65_535

    static func invalid(_ detail: String) -> SQLError { SQLError("2201B", "invalid regular expression: \(detail)") }

    /// - Throws: 2201B for bad syntax and for patterns that grow too large.
    ///
    /// - Parameter isPerl: `(?=...)` and `(?!...)` look ahead.
    init(
        _ pattern: [UInt8], syntax: Syntax = .posix, escape: UInt32? = 0x5C, ignoresCase: Bool = false,
        isPerl: Bool = false
    ) throws {
        self.ignoresCase = ignoresCase
        guard pattern.count <= RegexProgram.maximumPatternBytes else {
            throw RegexProgram.invalid("pattern is too long")
        }
        let scalars = pattern.withUnsafeBufferPointer { CharacterWalk.scalars($0) }
        var parser = RegexParser(
            scalars, syntax: syntax, escape: escape, ignoresCase: ignoresCase, isPerl: isPerl)
        tree = try parser.parse()
        self.syntax = syntax
        groups = parser.groups
        classes = parser.classes
        looks = try parser.looks.map { look in
            var emitter = RegexEmitter()
            emitter.isBackwards = true
            try emitter.emit(look)
            try emitter.emit(.match)
            return emitter.instructions
        }
        var emitter = RegexEmitter()
        try emitter.emit(.save(0))
        if syntax == .similarTo { try emitter.emit(.textStart) }
        try emitter.emit(tree)
        if syntax == .similarTo { try emitter.emit(.textEnd) }
        try emitter.emit(.save(1))
        try emitter.emit(.match)
        instructions = emitter.instructions
        if case .character(let scalar) = instructions[1], scalar < 0x80, !ignoresCase {
            firstByte = UInt8(scalar)
        }
    }

    /// Whether an instruction takes a character. `folded` is that in lower case where the program ignores the case.
    @inline(__always)
    func takes(_ instruction: Instruction, _ scalar: UInt32, folded: UInt32) -> Bool {
        switch instruction {
        case .character(let wanted): folded == wanted
        case .any: true
        case .set(let set): classes[set].contains(scalar)
        default: false
        }
    }
    func folded(_ scalar: UInt32) -> UInt32 { ignoresCase ? CharacterWalk.lower(scalar) : scalar }

    /// Whether a word begins or ends at a place.
    static func isWordBorder(_ text: UnsafePointer<UInt8>, _ count: Int, _ place: Int) -> Bool {
        func isWord(_ byte: UInt8) -> Bool { TextInput.isLetter(byte) || TextInput.isDigit(byte) || byte == 0x5F }
        let before = place > 0 && isWord(text[place - 1])
        let after = place < count && isWord(text[place])
        return before != after
    }

    /// What matches the same texts from their ends to their beginnings, without groups. nil where it grows too large.
    func backwards() -> [Instruction]? {
        var emitter = RegexEmitter()
        emitter.isBackwards = true
        do {
            if syntax == .similarTo { try emitter.emit(.textStart) }
            try emitter.emit(tree)
            if syntax == .similarTo { try emitter.emit(.textEnd) }
            try emitter.emit(.match)
            return emitter.instructions
        } catch {
            return nil
        }
    }
}

/// What a pattern says, before it becomes instructions.
indirect enum RegexNode: Sendable {
    case empty
    case character(UInt32)
    case any
    case set(Int)
    case assertion(RegexProgram.Instruction)
    case look(Int, negated: Bool)
    case sequence([RegexNode])
    case alternatives([RegexNode])
    case group(RegexNode, Int)
    /// maximum nil: without end.
    case repetition(RegexNode, Int, Int?, greedy: Bool)
}

/// Lays a tree out as instructions. Bounded repetitions are copied, so the size is limited here.
private struct RegexEmitter {
    var instructions: [RegexProgram.Instruction] = []
    /// From the end of the text to its start; groups are left out.
    var isBackwards = false

    mutating func emit(_ instruction: RegexProgram.Instruction) throws {
        guard instructions.count < RegexProgram.maximumInstructions else {
            throw RegexProgram.invalid("regular expression is too complex")
        }
        instructions.append(instruction)
    }

    mutating func emit(_ node: RegexNode) throws {
        switch node {
        case .empty: break
        case .character(let scalar): try emit(RegexProgram.Instruction.character(scalar))
        case .any: try emit(RegexProgram.Instruction.any)
        case .set(let index): try emit(RegexProgram.Instruction.set(index))
        case .assertion(let instruction): try emit(isBackwards ? instruction.backwards : instruction)
        case .look(let index, let negated): try emit(RegexProgram.Instruction.look(index, negated: negated))
        case .sequence(let parts): for part in isBackwards ? parts.reversed() : parts { try emit(part) }
        case .group(let inner, _) where isBackwards: try emit(inner)
        case .group(let inner, let number):
            try emit(.save(number * 2))
            try emit(inner)
            try emit(.save(number * 2 + 1))
        case .alternatives(let choices): try emitChoices(choices)
        case .repetition(let inner, let minimum, let maximum, let greedy):
            for _ in 0..<minimum { try emit(inner) }
            if let maximum {
                try emitOptional(inner, maximum - minimum, greedy)
            } else {
                try emitLoop(inner, greedy)
            }
        }
    }

    private mutating func emitChoices(_ choices: [RegexNode]) throws {
        var jumps: [Int] = []
        for (index, choice) in choices.enumerated() {
            if index == choices.count - 1 {
                try emit(choice)
                break
            }
            let split = instructions.count
            try emit(.split(0, 0))
            try emit(choice)
            jumps.append(instructions.count)
            try emit(.jump(0))
            instructions[split] = .split(split + 1, instructions.count)
        }
        for jump in jumps { instructions[jump] = .jump(instructions.count) }
    }

    private mutating func emitOptional(_ inner: RegexNode, _ times: Int, _ greedy: Bool) throws {
        var splits: [Int] = []
        for _ in 0..<max(times, 0) {
            splits.append(instructions.count)
            try emit(.split(0, 0))
            try emit(inner)
        }
        for split in splits {
            let end = instructions.count
            instructions[split] = greedy ? .split(split + 1, end) : .split(end, split + 1)
        }
    }

    private mutating func emitLoop(_ inner: RegexNode, _ greedy: Bool) throws {
        let split = instructions.count
        try emit(.split(0, 0))
        try emit(inner)
        try emit(.jump(split))
        let end = instructions.count
        instructions[split] = greedy ? .split(split + 1, end) : .split(end, split + 1)
    }
}

extension RegexProgram.Instruction {
    fileprivate var backwards: RegexProgram.Instruction {
        switch self {
        case .textStart: .textEnd
        case .textEnd: .textStart
        default: self
        }
    }
}
