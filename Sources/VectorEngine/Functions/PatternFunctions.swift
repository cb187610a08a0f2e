import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// LIKE, ILIKE, SIMILAR TO, `~` and the REGEXP functions. Constant patterns are compiled once per query.
enum PatternFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .like: like(ignoresCase: false)
        case .ilike: like(ignoresCase: true)
        case .similarTo: similarTo
        case .regexMatch: regexMatch(ignoresCase: false)
        case .regexMatchInsensitive: regexMatch(ignoresCase: true)
        case .regexpReplace: regexpReplace
        case .regexpSubstring: regexpSubstring
        case .regexpInstring: regexpInstring
        case .regexpCount: regexpCount
        default: nil
        }
    }

    // MARK: LIKE

    /// [text, pattern, escape]
    static func like(ignoresCase: Bool) -> FunctionKernel {
        FunctionKernel { site in
            let fixed = try site.text(1).flatMap { pattern in
                try site.text(2).map {
                    try LikePattern(pattern, escape: try oneCharacter($0), ignoresCase: ignoresCase)
                }
            }
            return { frame in
                let input = frame.arguments[0].values(StringView.self)
                let output = frame.output(UInt8.self)
                if let fixed {
                    frame.forEachRow { output[$0] = b2u(fixed.matches(input[$0])) }
                    return
                }
                let constantEscape = try site.text(2).map { try oneCharacter($0) }
                try frame.forEachRow { row in
                    let escape = try constantEscape ?? oneCharacter(Array(frame.string(2, row).bytes))
                    output[row] = b2u(
                        try LikeMatch.matches(
                            input[row], frame.string(1, row), escape: escape, ignoresCase: ignoresCase))
                }
            }
        }
    }

    private static func oneCharacter(_ escape: [UInt8]) throws -> [UInt8] {
        if let lead = escape.first, CharacterWalk.length(lead) != escape.count {
            throw SQLError(
                .invalidEscape, "invalid escape string", hint: "Escape string must be empty or one character.")
        }
        return escape
    }

    // MARK: Regular expressions as conditions

    /// [text, pattern, escape]
    static let similarTo = matching { site, pattern, row in
        let escape = try oneCharacter(row ?? site.text(2) ?? [])
        let scalar = escape.withUnsafeBufferPointer { CharacterWalk.scalars($0) }.first
        return try RegexProgram(pattern, syntax: .similarTo, escape: scalar)
    }
    static func regexMatch(ignoresCase: Bool) -> FunctionKernel {
        matching { _, pattern, _ in try RegexProgram(pattern, ignoresCase: ignoresCase) }
    }

    private static func matching(
        _ compile: @escaping (FunctionSite, [UInt8], [UInt8]?) throws -> RegexProgram
    ) -> FunctionKernel {
        FunctionKernel { site in
            let constantEscape = site.arguments.count < 3 || site.text(2) != nil
            let fixed = try constantEscape ? site.text(1).map { try compile(site, $0, nil) } : nil
            let cancellation = site.context.cancellation
            let pool = fixed.map { program in ObjectPool { RegexMatcher(program, .existence, cancellation) } }
            return { frame in
                let output = frame.output(UInt8.self)
                let shared = pool?.take()
                defer { if let shared { pool?.give(back: shared) } }
                try frame.forEachRow { row in
                    let matcher: RegexMatcher
                    if let shared {
                        matcher = shared
                    } else {
                        let escape = frame.arguments.count > 2 ? Array(frame.string(2, row).bytes) : nil
                        let program = try compile(site, Array(frame.string(1, row).bytes), escape)
                        matcher = RegexMatcher(program, .existence, cancellation)
                    }
                    let text = frame.string(0, row)
                    output[row] = b2u(try matcher.find(text.pointer, Int(text.count)))
                }
            }
        }
    }

    // MARK: REGEXP functions

    /// Options of the REGEXP functions: c and i for the case, e for the first group, p for the Perl dialect.
    private struct Options {
        var ignoresCase = false
        var firstGroup = false
        var isPerl = false
        init(_ text: StringView) throws {
            for byte in text.bytes {
                switch byte {
                case 0x63: ignoresCase = false
                case 0x69: ignoresCase = true
                case 0x65: firstGroup = true
                case 0x70: isPerl = true
                default:
                    throw SQLError(
                        .invalidParameterValue,
                        "invalid regexp option: \(TextInput.quoted(text.pointer, Int(text.count)))")
                }
            }
        }
    }

    /// Compiles a row's pattern, keeping the last one: patterns and options are nearly always the same for all rows.
    private final class Compiled: @unchecked Sendable {  // one caller at a time, see ``ObjectPool``
        private let needsGroups: Bool
        private let cancellation: CancellationToken
        private var pattern: [UInt8] = []
        private var options: [UInt8] = []
        private var known: (matcher: RegexMatcher, firstGroup: Bool)?

        init(needsGroups: Bool, _ cancellation: CancellationToken) {
            self.needsGroups = needsGroups
            self.cancellation = cancellation
        }

        func matcher(_ frame: FunctionFrame, _ row: Int, options index: Int) throws -> (RegexMatcher, Bool) {
            let text = frame.string(1, row)
            let flags = frame.string(index, row)
            if let known, isSame(text, pattern), isSame(flags, options) { return known }
            let parsed = try Options(flags)
            pattern = Array(text.bytes)
            options = Array(flags.bytes)
            let program = try RegexProgram(pattern, ignoresCase: parsed.ignoresCase, isPerl: parsed.isPerl)
            let usesGroups = (needsGroups || parsed.firstGroup) && program.groups > 1
            let fresh = (
                matcher: RegexMatcher(program, usesGroups ? .groups : .bounds, cancellation),
                firstGroup: parsed.firstGroup
            )
            known = fresh
            return fresh
        }

        private func isSame(_ text: StringView, _ bytes: [UInt8]) -> Bool {
            Int(text.count) == bytes.count && memcmp(text.pointer, bytes, bytes.count) == 0
        }
    }

    /// A kernel whose calls share compiled patterns.
    ///
    /// - Parameter groups: more than the whole match is asked for.
    private static func compiling(
        groups: Bool = false, _ body: @escaping (FunctionFrame, Compiled) throws -> Void
    ) -> FunctionKernel {
        FunctionKernel { site in
            let cancellation = site.context.cancellation
            let pool = ObjectPool { Compiled(needsGroups: groups, cancellation) }
            return { frame in
                let compiled = pool.take()
                defer { pool.give(back: compiled) }
                try body(frame, compiled)
            }
        }
    }

    private static func start(_ frame: FunctionFrame, _ row: Int, _ argument: Int) throws -> Int {
        let position = frame.int32(argument, row)
        guard position > 0 else { throw SQLError(.invalidParameterValue, "position must be greater than zero") }
        let text = frame.string(0, row)
        return CharacterWalk.offset(text.pointer, Int(text.count), character: position - 1)
    }

    /// The next place to search from behind a match; empty matches move on by a character.
    private static func behind(_ matcher: RegexMatcher, _ text: StringView) -> Int {
        let (start, end) = (matcher.captures[0], matcher.captures[1])
        if end > start { return end }
        return end < Int(text.count) ? end + CharacterWalk.length(text.pointer[end]) : end + 1
    }

    /// Moves to the occurrence-th match.
    private static func find(
        _ matcher: RegexMatcher, _ text: StringView, from start: Int, occurrence: Int
    ) throws -> Bool {
        guard occurrence > 0 else { throw SQLError(.invalidParameterValue, "occurrence must be greater than zero") }
        var place = start
        for number in 1...occurrence {
            let isFound =
                try place <= Int(text.count)
                && matcher.find(text.pointer, Int(text.count), from: place, isSameText: number > 1)
            if !isFound { return false }
            if number < occurrence { place = behind(matcher, text) }
        }
        return true
    }

    /// [text, pattern, position, parameters]
    static let regexpCount = compiling { frame, compiled in
        let output = frame.output(Int32.self)
        try frame.forEachRow { row in
            let (matcher, _) = try compiled.matcher(frame, row, options: 3)
            let text = frame.string(0, row)
            var place = try start(frame, row, 2)
            var found: Int32 = 0
            while place <= Int(text.count),
                try matcher.find(text.pointer, Int(text.count), from: place, isSameText: found > 0)
            {
                found += 1
                place = behind(matcher, text)
            }
            output[row] = found
        }
    }

    /// [text, pattern, position, occurrence, option, parameters]
    static let regexpInstring = compiling { frame, compiled in
        let output = frame.output(Int32.self)
        try frame.forEachRow { row in
            let (matcher, firstGroup) = try compiled.matcher(frame, row, options: 5)
            let text = frame.string(0, row)
            let begin = try start(frame, row, 2)
            let found = try find(matcher, text, from: begin, occurrence: frame.int32(3, row))
            let slot = (firstGroup && matcher.captures.count > 2 ? 2 : 0) + (frame.int32(4, row) == 1 ? 1 : 0)
            let offset = found ? matcher.captures[slot] : -1
            output[row] =
                offset < 0
                ? 0 : Int32(truncatingIfNeeded: UTF8Text.characterCount(text.pointer, offset) + 1)
        }
    }

    /// [text, pattern, position, occurrence, parameters]: empty without a match.
    static let regexpSubstring = compiling { frame, compiled in
        let output = frame.output(StringView.self)
        try frame.forEachRow { row in
            let (matcher, firstGroup) = try compiled.matcher(frame, row, options: 4)
            let text = frame.string(0, row)
            let begin = try start(frame, row, 2)
            let slot = firstGroup && matcher.captures.count > 2 ? 2 : 0
            guard try find(matcher, text, from: begin, occurrence: frame.int32(3, row)), matcher.captures[slot] >= 0
            else {
                output[row] = .empty
                return
            }
            output[row] = CharacterWalk.part(text, matcher.captures[slot], matcher.captures[slot + 1])
        }
    }

    /// [text, pattern, replacement, position, parameters]: all matches are replaced; `$1` stands for a group.
    static let regexpReplace = compiling(groups: true) { frame, compiled in
        let result = TextResult(frame)
        try frame.forEachRow { row in
            let (matcher, _) = try compiled.matcher(frame, row, options: 4)
            let text = frame.string(0, row)
            let replacement = frame.string(2, row)
            var place = try start(frame, row, 3)
            var copied = 0
            var isSameText = false
            while place <= Int(text.count),
                try matcher.find(text.pointer, Int(text.count), from: place, isSameText: isSameText)
            {
                isSameText = true
                let match = (matcher.captures[0], matcher.captures[1])
                result.buffer.append(text.pointer + copied, match.0 - copied)
                appendReplacement(replacement, text, matcher.captures, to: result.buffer)
                try TextLimit.check(result.buffer.count)
                copied = match.1
                place = behind(matcher, text)
            }
            result.buffer.append(text.pointer + copied, Int(text.count) - copied)
            try result.put(row)
        }
    }

    private static func appendReplacement(
        _ replacement: StringView, _ text: StringView, _ captures: [Int], to buffer: TextBuffer
    ) {
        let count = Int(replacement.count)
        var index = 0
        while index < count {
            let byte = replacement.pointer[index]
            let marked = (byte == 0x24 || byte == 0x5C) && index + 1 < count
            let group =
                marked && TextInput.isDigit(replacement.pointer[index + 1])
                ? Int(replacement.pointer[index + 1]) - 48 : -1
            if group >= 0 && group * 2 + 1 < captures.count {
                let (start, end) = (captures[group * 2], captures[group * 2 + 1])
                if start >= 0 && end > start { buffer.append(text.pointer + start, end - start) }
                index += 2
            } else {
                buffer.append(byte)
                index += 1
            }
        }
    }
}
