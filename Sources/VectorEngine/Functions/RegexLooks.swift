import Platform
import SQLTypes

/// Where the text behind a place is what a program of ``RegexProgram`` looks ahead for: for all places at once, by one
/// run of each `(?=...)` backwards from the text's end. So looking costs text times program, however often a matcher
/// asks and however deep they are nested. One caller at a time.
final class RegexLooks {
    private let program: RegexProgram
    private var pace: CancellationPace
    /// A bit for each place of the text, for each look; empty until they are asked for.
    private var places: [[UInt64]]
    private var isFilled = false
    /// Instructions in front of the character before the place, and those that were so one character further on.
    private var threads: [Int] = []
    private var before: [Int] = []
    private var marks: [Int] = []
    private var generation = 0
    private var stack: [Int] = []

    init(_ program: RegexProgram, _ cancellation: CancellationToken) {
        self.program = program
        pace = CancellationPace(cancellation)
        places = Array(repeating: [], count: program.looks.count)
        marks = Array(repeating: -1, count: program.looks.map(\.count).max() ?? 0)
    }

    /// Another text begins.
    func forget() { isFilled = false }

    /// Whether what this look asks for begins at a place.
    func holds(_ look: Int, _ text: UnsafePointer<UInt8>, _ count: Int, at place: Int) throws -> Bool {
        if !isFilled {
            // Inner ones have the smaller numbers: they are known when those around them ask.
            for look in program.looks.indices { try fill(look, text, count) }
            isFilled = true
        }
        return isKnown(look, at: place)
    }

    private func isKnown(_ look: Int, at place: Int) -> Bool { places[look][place >> 6] >> UInt64(place & 63) & 1 == 1 }

    private func fill(_ look: Int, _ text: UnsafePointer<UInt8>, _ count: Int) throws {
        places[look] = Array(repeating: 0, count: (count >> 6) + 1)
        let instructions = program.looks[look]
        threads.removeAll(keepingCapacity: true)
        generation += 1
        var place = count
        // A run may begin at every place, and matches where it comes to the end of its instructions.
        var matches = try add(0, instructions, text, count, place)
        while true {
            if matches { places[look][place >> 6] |= 1 << UInt64(place & 63) }
            if place == 0 { return }
            let end = place
            repeat { place -= 1 } while place > 0 && text[place] & 0xC0 == 0x80
            let scalar = CharacterWalk.scalar(text + place, end - place).value
            let folded = program.folded(scalar)
            swap(&before, &threads)
            threads.removeAll(keepingCapacity: true)
            generation += 1
            matches = false
            for index in before where program.takes(instructions[index], scalar, folded: folded) {
                if try add(index + 1, instructions, text, count, place) { matches = true }
            }
            if try add(0, instructions, text, count, place) { matches = true }
        }
    }

    /// Follows everything that takes no character. True when the match is among it.
    private func add(
        _ start: Int, _ instructions: [RegexProgram.Instruction], _ text: UnsafePointer<UInt8>, _ count: Int,
        _ place: Int
    ) throws -> Bool {
        var matches = false
        stack.append(start)
        while let index = stack.popLast() {
            if marks[index] == generation { continue }
            marks[index] = generation
            try pace.step()
            switch instructions[index] {
            case .jump(let target): stack.append(target)
            case .split(let first, let second):
                stack.append(second)
                stack.append(first)
            case .save: stack.append(index + 1)
            // Backwards, the run begins at the text's end.
            case .textStart: if place == count { stack.append(index + 1) }
            case .textEnd: if place == 0 { stack.append(index + 1) }
            case .wordBoundary: if RegexProgram.isWordBorder(text, count, place) { stack.append(index + 1) }
            case .notWordBoundary: if !RegexProgram.isWordBorder(text, count, place) { stack.append(index + 1) }
            case .look(let inner, let negated):
                if isKnown(inner, at: place) != negated { stack.append(index + 1) }
            case .match: matches = true
            case .character, .any, .set: threads.append(index)
            }
        }
        return matches
    }
}

/// Asks for cancellation every few thousand steps.
struct CancellationPace {
    private static let stepsBetween = 4_096
    private let cancellation: CancellationToken
    private var steps = 0

    init(_ cancellation: CancellationToken) { self.cancellation = cancellation }

    @inline(__always) mutating func step() throws {
        steps &+= 1
        if steps >= CancellationPace.stepsBetween {
            steps = 0
            try cancellation.check()
        }
    }
}
