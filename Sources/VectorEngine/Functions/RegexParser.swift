import SQLTypes

/// Reads POSIX regular expressions with the usual escapes, and SIMILAR TO patterns.
struct RegexParser {
    private let pattern: [UInt32]
    private let similar: Bool
    private let escape: UInt32?
    private let ignoresCase: Bool
    private var index = 0
    private var depth = 0
    private(set) var groups = 1
    /// What is looked ahead for; inner ones stand before those that they are in.
    private(set) var looks: [RegexNode] = []
    private let isPerl: Bool
    private(set) var classes: [RegexProgram.CharacterClass] = []
    private static let maximumDepth = 100
    private static let maximumRepetition = 1_000
    private static let maximumLooks = 20

    init(_ pattern: [UInt32], syntax: RegexProgram.Syntax, escape: UInt32?, ignoresCase: Bool, isPerl: Bool) {
        self.pattern = pattern
        self.isPerl = isPerl
        similar = syntax == .similarTo
        self.escape = escape
        self.ignoresCase = ignoresCase
    }

    private var next: UInt32? { index < pattern.count ? pattern[index] : nil }
    private func isNext(_ character: Unicode.Scalar) -> Bool { next == character.value }
    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard isNext(character) else { return false }
        index += 1
        return true
    }

    mutating func parse() throws -> RegexNode {
        let node = try alternatives()
        if index < pattern.count { throw RegexProgram.invalid("parentheses () not balanced") }
        return node
    }

    private mutating func alternatives() throws -> RegexNode {
        depth += 1
        defer { depth -= 1 }
        if depth > RegexParser.maximumDepth { throw RegexProgram.invalid("parentheses are nested too deeply") }
        var choices = [try sequence()]
        while accept("|") { choices.append(try sequence()) }
        return choices.count == 1 ? choices[0] : .alternatives(choices)
    }

    private mutating func sequence() throws -> RegexNode {
        var parts: [RegexNode] = []
        while let character = next, character != 0x7C, character != 0x29 || depth == 1 {
            if character == 0x29 { throw RegexProgram.invalid("parentheses () not balanced") }
            let atom = try atom()
            parts.append(try repeated(atom))
        }
        return parts.isEmpty ? .empty : parts.count == 1 ? parts[0] : .sequence(parts)
    }

    private mutating func repeated(_ atom: RegexNode) throws -> RegexNode {
        var node = atom
        var times = 0
        while let character = next {
            var minimum = 0
            var maximum: Int?
            switch character {
            case 0x2A: index += 1
            case 0x2B:
                index += 1
                minimum = 1
            case 0x3F:
                index += 1
                maximum = 1
            case 0x7B:
                guard let bounds = try bounds() else { return node }
                (minimum, maximum) = bounds
            default: return node
            }
            times += 1
            if times > 3 { throw RegexProgram.invalid("quantifier operand invalid") }
            let greedy = similar || !accept("?")
            node = .repetition(node, minimum, maximum, greedy: greedy)
        }
        return node
    }

    /// `{m}`, `{m,}`, `{m,n}`.
    private mutating func bounds() throws -> (Int, Int?)? {
        index += 1
        guard let minimum = try number() else { throw RegexProgram.invalid("invalid repetition count(s)") }
        var maximum: Int? = minimum
        if accept(",") { maximum = try number() }
        guard accept("}") else { throw RegexProgram.invalid("braces {} not balanced") }
        if let maximum, maximum < minimum { throw RegexProgram.invalid("invalid repetition count(s)") }
        return (minimum, maximum)
    }

    private mutating func number() throws -> Int? {
        var value: Int?
        while let character = next, character >= 48, character <= 57 {
            value = (value ?? 0) * 10 + Int(character - 48)
            if let value, value > RegexParser.maximumRepetition {
                throw RegexProgram.invalid("invalid repetition count(s)")
            }
            index += 1
        }
        return value
    }

    private mutating func atom() throws -> RegexNode {
        guard let character = next else { return .empty }
        index += 1
        if character == escape { return try escaped() }
        switch character {
        case 0x28: return try group()
        case 0x5B: return .set(try bracket())
        case 0x2A, 0x2B, 0x3F: throw RegexProgram.invalid("quantifier operand invalid")
        case 0x7B where !similar: throw RegexProgram.invalid("quantifier operand invalid")
        case 0x25 where similar: return .repetition(.any, 0, nil, greedy: true)
        case 0x5F where similar: return .any
        case 0x2E where !similar: return .any
        case 0x5E where !similar: return .assertion(.textStart)
        case 0x24 where !similar: return .assertion(.textEnd)
        default: return literal(character)
        }
    }

    private func literal(_ character: UInt32) -> RegexNode {
        .character(ignoresCase ? CharacterWalk.lower(character) : character)
    }

    private mutating func group() throws -> RegexNode {
        var number: Int?
        if isPerl, isNext("?"), index + 1 < pattern.count, pattern[index + 1] == 0x3D || pattern[index + 1] == 0x21 {
            return try lookAhead()
        }
        if !similar && isNext("?") {
            guard index + 1 < pattern.count, pattern[index + 1] == 0x3A else {
                throw RegexProgram.invalid("look-around and inline options are not supported")
            }
            index += 2
        } else {
            number = groups
            groups += 1
            if groups > 100 { throw RegexProgram.invalid("too many groups") }
        }
        let inner = try alternatives()
        guard accept(")") else { throw RegexProgram.invalid("parentheses () not balanced") }
        return number.map { .group(inner, $0) } ?? inner
    }

    /// `(?=...)` and `(?!...)`, behind the parenthesis.
    private mutating func lookAhead() throws -> RegexNode {
        let negated = pattern[index + 1] == 0x21
        index += 2
        let inner = try alternatives()
        guard accept(")") else { throw RegexProgram.invalid("parentheses () not balanced") }
        if looks.count >= RegexParser.maximumLooks { throw RegexProgram.invalid("too many groups") }
        looks.append(inner)
        return .look(looks.count - 1, negated: negated)
    }

    private mutating func escaped() throws -> RegexNode {
        guard let character = next else { throw RegexProgram.invalid("invalid escape \\ sequence") }
        index += 1
        if similar { return literal(character) }
        if let ranges = RegexParser.classRanges(character | 32) {
            return .set(add(.init(ranges: ranges, negated: character & 32 == 0)))
        }
        switch character {
        case 0x62: return .assertion(.wordBoundary)
        case 0x42: return .assertion(.notWordBoundary)
        case 0x41: return .assertion(.textStart)
        case 0x5A, 0x7A: return .assertion(.textEnd)
        case 0x6E: return literal(10)
        case 0x74: return literal(9)
        case 0x72: return literal(13)
        case 0x66: return literal(12)
        case 0x76: return literal(11)
        case 0x31...0x39: throw RegexProgram.invalid("back references are not supported")
        default: return literal(character)
        }
    }

    private mutating func add(_ set: RegexProgram.CharacterClass) -> Int {
        classes.append(set)
        return classes.count - 1
    }

    /// `\d`, `\w`, `\s` by their lower-case letter.
    private static func classRanges(_ letter: UInt32) -> [ClosedRange<UInt32>]? {
        switch letter {
        case 0x64: named("digit")
        case 0x77: (named("alnum") ?? []) + [0x5F...0x5F]
        case 0x73: named("space")
        default: nil
        }
    }

    private static func named(_ name: String) -> [ClosedRange<UInt32>]? {
        switch name {
        case "digit": [48...57]
        case "lower": [97...122]
        case "upper": [65...90]
        case "alpha": [65...90, 97...122]
        case "alnum": [48...57, 65...90, 97...122]
        case "xdigit": [48...57, 65...70, 97...102]
        case "space": [9...13, 32...32]
        case "blank": [9...9, 32...32]
        case "punct": [33...47, 58...64, 91...96, 123...126]
        case "cntrl": [0...31, 127...127]
        case "graph": [33...126]
        case "print": [32...126]
        default: nil
        }
    }

    /// Behind `[`.
    private mutating func bracket() throws -> Int {
        var set = RegexProgram.CharacterClass()
        set.negated = accept("^")
        var first = true
        while true {
            guard let character = next else { throw RegexProgram.invalid("brackets [] not balanced") }
            index += 1
            if character == 0x5D && !first { break }
            first = false
            if character == 0x5B && isNext(":") {
                set.ranges += try namedClass()
            } else {
                try member(character, &set)
            }
        }
        if ignoresCase { foldCase(&set) }
        return add(set)
    }

    private mutating func namedClass() throws -> [ClosedRange<UInt32>] {
        index += 1
        var name = ""
        while let character = next, character != 0x3A, let scalar = Unicode.Scalar(character), name.utf8.count < 10 {
            name.unicodeScalars.append(scalar)
            index += 1
        }
        guard accept(":"), accept("]"), let ranges = RegexParser.named(name) else {
            throw RegexProgram.invalid("invalid character class")
        }
        return ranges
    }

    private mutating func member(_ character: UInt32, _ set: inout RegexProgram.CharacterClass) throws {
        var low = character
        if character == escape, let following = next {
            index += 1
            if !similar, let ranges = RegexParser.classRanges(following) {
                set.ranges += ranges
                return
            }
            low = RegexParser.controlCharacter(following, similar)
        }
        var high = low
        if isNext("-"), index + 1 < pattern.count, pattern[index + 1] != 0x5D {
            index += 1
            high = pattern[index]
            index += 1
            if high == escape, let following = next {
                index += 1
                high = RegexParser.controlCharacter(following, similar)
            }
        }
        guard low <= high else { throw RegexProgram.invalid("invalid character range") }
        set.ranges.append(low...high)
    }

    private static func controlCharacter(_ letter: UInt32, _ similar: Bool) -> UInt32 {
        if similar { return letter }
        switch letter {
        case 0x6E: return 10
        case 0x74: return 9
        case 0x72: return 13
        default: return letter
        }
    }

    /// ASCII letters of either case.
    private func foldCase(_ set: inout RegexProgram.CharacterClass) {
        for range in set.ranges {
            for (low, distance) in [(UInt32(65), 32), (UInt32(97), -32)] {
                let start = max(range.lowerBound, low)
                let end = min(range.upperBound, low + 25)
                if start <= end {
                    set.ranges.append(
                        UInt32(Int(start) + distance)...UInt32(Int(end) + distance))
                }
            }
        }
    }
}
