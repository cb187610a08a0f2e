import Glibc
import Platform
import SQLTypes

/// Finds the matches of a ``RegexProgram`` in texts, in time that is bounded by text times program. Holds scratch
/// memory: one per caller.
///
/// Once it has been called a few times a ``RegexAutomaton`` tells where a match ends, and another one, for the program
/// backwards, where it begins. Groups are found by a ``RegexPath`` between the two, or, where characters leave more
/// than one way, by all threads of the program at once, ordered by preference. The threads do it all where an automaton
/// gives up.
final class RegexMatcher: @unchecked Sendable {  // one caller at a time, see ``ObjectPool``
    /// What is asked for.
    enum Need {
        /// Whether there is a match.
        case existence
        /// Where it begins and ends.
        case bounds
        /// Its groups as well.
        case groups
    }
    private let program: RegexProgram
    private let need: Need
    private var calls = 0
    private var automata: (forward: RegexAutomaton, backward: RegexAutomaton?)?
    private var path: RegexPath?
    /// Texts that are matched before automata are made, which is not worth it for patterns that are used once.
    private static let callsBefore = 4
    private static let mostOverflows = 16
    private let instructions: [RegexProgram.Instruction]
    private let slots: Int
    private let looks: RegexLooks?
    private let cancellation: CancellationToken
    private var pace: CancellationPace
    private var current: ThreadList
    private var following: ThreadList
    private var stack: [Pending] = []
    /// Byte offsets of the last match's groups: start and end, -1 for groups that took no part.
    private(set) var captures: [Int]

    private enum Pending {
        case visit(Int)
        case restore(slot: Int, value: Int)
    }
    /// Instructions in order of preference, each at most once, with captures.
    private struct ThreadList {
        var instructions: [Int] = []
        var marks: [Int]
        var captures: [Int]
        var generation = 0
        init(_ program: RegexProgram, slots: Int) {
            marks = Array(repeating: -1, count: program.instructions.count)
            captures = Array(repeating: -1, count: program.instructions.count * slots)
            instructions.reserveCapacity(program.instructions.count)
        }
        mutating func clear() {
            instructions.removeAll(keepingCapacity: true)
            generation += 1
        }
    }

    init(_ program: RegexProgram, _ need: Need, _ cancellation: CancellationToken = CancellationToken()) {
        self.program = program
        self.need = need
        instructions = program.instructions
        self.cancellation = cancellation
        pace = CancellationPace(cancellation)
        looks = program.looks.isEmpty ? nil : RegexLooks(program, cancellation)
        // Programs are limited, so this is too: large ones with many groups keep the whole match only.
        let wanted = program.groups * 2
        let most = need == .groups && wanted * program.instructions.count <= 1 << 22 ? wanted : 2
        slots = need == .existence ? 0 : most
        captures = Array(repeating: -1, count: max(wanted, 2))
        current = ThreadList(program, slots: slots)
        following = ThreadList(program, slots: slots)
    }

    /// Finds the leftmost match at or behind `start`, a character border.
    ///
    /// - Parameter isSameText: as that of the call before.
    /// - Throws: when the statement is cancelled, which long texts wait for.
    func find(
        _ text: UnsafePointer<UInt8>, _ count: Int, from start: Int = 0, isSameText: Bool = false
    ) throws -> Bool {
        try cancellation.check()
        if !isSameText { looks?.forget() }
        guard let (forward, backward) = usableAutomata() else { return try simulate(text, count, from: start) }
        let end = forward.end(text, count, from: start, anyEnd: need == .existence)
        if end == RegexAutomaton.none { return false }
        if end >= 0 && need == .existence { return true }
        guard end >= 0, let backward else { return try simulate(text, count, from: start) }
        let begin =
            forward.beginsAtStart ? start : backward.start(text, count, endingAt: end, from: start)
        if begin < 0 { return try simulate(text, count, from: start) }
        if need == .groups {
            if let path, path.follow(text, count, from: begin, to: end, &captures) { return true }
            return try simulate(text, count, from: begin)
        }
        captures[0] = begin
        captures[1] = end
        return true
    }

    private func usableAutomata() -> (forward: RegexAutomaton, backward: RegexAutomaton?)? {
        if let automata {
            let overflows = max(automata.forward.overflows, automata.backward?.overflows ?? 0)
            return overflows <= RegexMatcher.mostOverflows ? automata : nil
        }
        calls += 1
        if calls != RegexMatcher.callsBefore { return nil }
        guard let forward = RegexAutomaton(program, instructions, .preferred) else { return nil }
        let backward =
            need == .existence
            ? nil : program.backwards().flatMap { RegexAutomaton(program, $0, .longest) }
        if need == .groups { path = RegexPath(program) }
        automata = (forward, backward)
        return automata
    }

    /// All threads step together, character by character.
    private func simulate(_ text: UnsafePointer<UInt8>, _ count: Int, from start: Int) throws -> Bool {
        var place = start
        var matched = false
        var working = Array(repeating: -1, count: slots)
        current.clear()
        while true {
            if current.instructions.isEmpty {
                if matched { break }
                if let byte = program.firstByte {
                    guard place < count, let hit = memchr(text + place, Int32(byte), count - place) else { break }
                    place = UnsafeRawPointer(hit) - UnsafeRawPointer(text)
                }
            }
            if !matched {
                for slot in working.indices { working[slot] = -1 }
                try add(0, to: &current, &working, text, count, place)
            }
            let left = count - place
            let (scalar, length) = left > 0 ? CharacterWalk.scalar(text + place, left) : (UInt32.max, 1)
            following.clear()
            if try step(scalar, left > 0, place + length, text, count, &working) {
                matched = true
                if slots == 0 { return true }
            }
            swap(&current, &following)
            if left <= 0 { break }
            place += length
        }
        return matched
    }

    /// Moves every thread over a character. True when one of them matches; less preferred ones are dropped then.
    private func step(
        _ scalar: UInt32, _ present: Bool, _ next: Int, _ text: UnsafePointer<UInt8>, _ count: Int,
        _ working: inout [Int]
    ) throws -> Bool {
        let folded = present ? program.folded(scalar) : scalar
        for index in current.instructions {
            if case .match = instructions[index] {
                for slot in 0..<slots { captures[slot] = current.captures[index * slots + slot] }
                return true
            }
            if present && program.takes(instructions[index], scalar, folded: folded) {
                for slot in 0..<slots { working[slot] = current.captures[index * slots + slot] }
                try add(index + 1, to: &following, &working, text, count, next)
            }
        }
        return false
    }

    /// Follows everything that takes no character, most preferred first, without recursion.
    private func add(
        _ start: Int, to list: inout ThreadList, _ working: inout [Int], _ text: UnsafePointer<UInt8>, _ count: Int,
        _ place: Int
    ) throws {
        stack.removeAll(keepingCapacity: true)
        stack.append(.visit(start))
        while let pending = stack.popLast() {
            guard case .visit(let index) = pending else {
                if case .restore(let slot, let value) = pending { working[slot] = value }
                continue
            }
            if list.marks[index] == list.generation { continue }
            list.marks[index] = list.generation
            try pace.step()
            switch instructions[index] {
            case .jump(let target): stack.append(.visit(target))
            case .split(let first, let second):
                stack.append(.visit(second))
                stack.append(.visit(first))
            case .save(let slot):
                if slot < slots {
                    stack.append(.restore(slot: slot, value: working[slot]))
                    working[slot] = place
                }
                stack.append(.visit(index + 1))
            case .textStart: if place == 0 { stack.append(.visit(index + 1)) }
            case .textEnd: if place == count { stack.append(.visit(index + 1)) }
            case .wordBoundary: if RegexProgram.isWordBorder(text, count, place) { stack.append(.visit(index + 1)) }
            case .notWordBoundary: if !RegexProgram.isWordBorder(text, count, place) { stack.append(.visit(index + 1)) }
            case .look(let number, let negated):
                if try looks?.holds(number, text, count, at: place) != negated {
                    stack.append(.visit(index + 1))
                }
            case .character, .any, .set, .match:
                list.instructions.append(index)
                for slot in 0..<slots { list.captures[index * slots + slot] = working[slot] }
            }
        }
    }
}
