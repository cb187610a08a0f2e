import Glibc
import SQLTypes

/// A deterministic automaton over a program of ``RegexProgram``, whose states are made when a text first needs them:
/// one look into a table for each byte where ``RegexMatcher`` moves all of its threads. It knows where matches end, not
/// what their groups are. One caller at a time.
///
/// A state is the list of the threads that are alive, most preferred first (R. Cox, "Regular Expression Matching in the
/// Wild", 2010). Bytes of ASCII have a place in the table; other characters are looked up by their code point. When the
/// states become too many all are forgotten and the run is given up.
final class RegexAutomaton {
    enum Ending {
        /// The most preferred match, of those that begin first.
        case preferred
        /// The longest match at the start of the run.
        case longest
    }
    private struct State: Hashable {
        /// Threads in front of what takes a character, matches, or waits for the text's end.
        var threads: [Int32]
        /// Matches may begin at every place further on.
        var searches: Bool
        var isAtStart: Bool
    }
    /// What a run has to look at when it enters a state.
    private struct Traits: OptionSet {
        let rawValue: UInt8
        static let matches = Traits(rawValue: 1)
        static let dead = Traits(rawValue: 2)
        /// Nothing has been begun: the next match begins with the program's first byte.
        static let idle = Traits(rawValue: 4)
        static let matchesAtEnd = Traits(rawValue: 8)
    }
    static let none = -1
    static let gaveUp = -2
    /// Entries of the table: a state's number, with this bit when its traits matter before the end of the text.
    private static let marked: Int32 = 1 << 30
    private static let unknown: Int32 = -1
    private static let stateLimit = 1_000
    private static let threadLimit = 1 << 20
    private static let wideLimit = 1 << 14

    private let program: RegexProgram
    private let instructions: [RegexProgram.Instruction]
    private let ending: Ending
    private let firstByte: UInt8?
    private var states: [State] = []
    private var traits: [Traits] = []
    private var numbers: [State: Int32] = [:]
    private var starts: (atStart: Int32, behind: Int32) = (unknown, unknown)
    /// 256 entries a state.
    private var table: UnsafeMutablePointer<Int32>
    private var capacity = 8
    private var wide: [UInt64: Int32] = [:]
    private var threadCount = 0
    /// How often all states were forgotten.
    private(set) var overflows = 0

    private var marks: [Int]
    private var generation = 0
    private var stack: [Int32] = []

    /// nil for programs that look at what stands on both sides of a place.
    ///
    /// - Parameter instructions: of the program, or of what it is backwards.
    init?(_ program: RegexProgram, _ instructions: [RegexProgram.Instruction], _ ending: Ending) {
        let isLocal = program.looks.isEmpty && instructions.allSatisfy { $0 != .wordBoundary && $0 != .notWordBoundary }
        guard isLocal else { return nil }
        self.program = program
        self.instructions = instructions
        self.ending = ending
        firstByte = ending == .preferred ? program.firstByte : nil
        marks = Array(repeating: -1, count: instructions.count)
        table = .allocate(capacity: capacity * 256)
    }
    deinit { table.deallocate() }

    // MARK: Running

    /// Where a match ends that begins at or behind `start`, ``none`` or ``gaveUp``.
    ///
    /// - Parameter anyEnd: the first end that is found will do.
    func end(_ text: UnsafePointer<UInt8>, _ count: Int, from start: Int, anyEnd: Bool) -> Int {
        var state = startState(isAtStart: start == 0)
        var place = start
        var last = RegexAutomaton.none
        while state >= 0 {
            let trait = traits[Int(state)]
            if trait.contains(.matches) {
                last = place
                if anyEnd { return last }
            }
            if trait.contains(.dead) { return last }
            if trait.contains(.idle), let byte = firstByte {
                guard place < count, let hit = memchr(text + place, Int32(byte), count - place) else { return last }
                place = UnsafeRawPointer(hit) - UnsafeRawPointer(text)
            }
            (state, place) = run(text, count, state, place)
            if place == count {
                return traits[Int(state)].contains(.matchesAtEnd) ? count : last
            }
            (state, place) = follow(state, text, count, place)
        }
        return RegexAutomaton.gaveUp
    }

    /// Where the longest match begins that ends at `end`, not before `first`: for the program that is backwards. Gives
    /// up at characters that are not ASCII.
    func start(_ text: UnsafePointer<UInt8>, _ count: Int, endingAt end: Int, from first: Int) -> Int {
        var state = startState(isAtStart: end == count)
        var place = end
        var last = RegexAutomaton.none
        while state >= 0 {
            let trait = traits[Int(state)]
            if trait.contains(.matches) || (place == 0 && trait.contains(.matchesAtEnd)) { last = place }
            if trait.contains(.dead) || place == first { return last }
            let byte = text[place - 1]
            if byte >= 0x80 { return RegexAutomaton.gaveUp }
            place -= 1
            state = next(state, byte)
        }
        return RegexAutomaton.gaveUp
    }

    /// Goes on while the table knows the way and nothing has to be looked at.
    @inline(__always)
    private func run(
        _ text: UnsafePointer<UInt8>, _ count: Int, _ state: Int32, _ place: Int
    ) -> (state: Int32, place: Int) {
        let table = UnsafePointer(table)
        var (state, place) = (state, place)
        while place < count {
            let entry = table[Int(state) &<< 8 | Int(text[place])]
            if UInt32(bitPattern: entry) >= UInt32(RegexAutomaton.marked) { break }
            state = entry
            place &+= 1
        }
        return (state, place)
    }

    /// Over one character that the table does not know, or behind which something has to be looked at. The state is
    /// negative when there are too many.
    private func follow(
        _ state: Int32, _ text: UnsafePointer<UInt8>, _ count: Int, _ place: Int
    ) -> (state: Int32, place: Int) {
        let byte = text[place]
        if byte < 0x80 { return (next(state, byte), place + 1) }
        let (scalar, length) = CharacterWalk.scalar(text + place, count - place)
        let key = UInt64(UInt32(bitPattern: state)) << 32 | UInt64(scalar)
        if let known = wide[key] { return (known, place + length) }
        let next = number(of: following(states[Int(state)], scalar))
        if wide.count >= RegexAutomaton.wideLimit { wide = [:] }
        if next >= 0 { wide[key] = next }
        return (next, place + length)
    }

    // MARK: States

    private func startState(isAtStart: Bool) -> Int32 {
        let known = isAtStart ? starts.atStart : starts.behind
        if known >= 0 { return known }
        var state = State(threads: [], searches: ending == .preferred, isAtStart: isAtStart)
        generation += 1
        add(0, to: &state.threads, isAtStart: isAtStart)
        settle(&state)
        let made = number(of: state)
        if isAtStart { starts.atStart = made } else { starts.behind = made }
        return made
    }

    /// The state behind a byte of ASCII; negative when there are too many.
    private func next(_ state: Int32, _ byte: UInt8) -> Int32 {
        let entry = table[Int(state) << 8 | Int(byte)]
        return entry == RegexAutomaton.unknown ? learn(state, byte) : entry & ~RegexAutomaton.marked
    }

    /// The state behind a byte of ASCII, which the table knows from now on; negative when there are too many.
    private func learn(_ state: Int32, _ byte: UInt8) -> Int32 {
        let next = number(of: following(states[Int(state)], UInt32(byte)))
        if next >= 0 {
            let isMarked = !traits[Int(next)].isSubset(of: .matchesAtEnd)
            table[Int(state) << 8 | Int(byte)] = isMarked ? next | RegexAutomaton.marked : next
        }
        return next
    }

    private func following(_ state: State, _ scalar: UInt32) -> State {
        let folded = program.folded(scalar)
        var next = State(threads: [], searches: state.searches, isAtStart: false)
        generation += 1
        for thread in state.threads {
            if program.takes(instructions[Int(thread)], scalar, folded: folded) {
                add(thread + 1, to: &next.threads, isAtStart: false)
            }
        }
        if state.searches { add(0, to: &next.threads, isAtStart: false) }
        settle(&next)
        return next
    }

    /// Nothing behind a match counts: it is preferred to that, and to all that begins later.
    private func settle(_ state: inout State) {
        guard ending == .preferred,
            let match = state.threads.firstIndex(where: { instructions[Int($0)] == .match })
        else { return }
        state.threads.removeSubrange((match + 1)...)
        state.searches = false
    }

    /// Follows everything that takes no character, as the matcher does. What asks for the text's end waits in the list.
    private func add(_ start: Int32, to threads: inout [Int32], isAtStart: Bool, isAtEnd: Bool = false) {
        stack.append(start)
        while let thread = stack.popLast() {
            let index = Int(thread)
            if marks[index] == generation { continue }
            marks[index] = generation
            switch instructions[index] {
            case .jump(let target): stack.append(Int32(truncatingIfNeeded: target))
            case .split(let first, let second):
                stack.append(Int32(truncatingIfNeeded: second))
                stack.append(Int32(truncatingIfNeeded: first))
            case .save: stack.append(thread + 1)
            case .textStart: if isAtStart { stack.append(thread + 1) }
            case .textEnd: if isAtEnd { stack.append(thread + 1) } else { threads.append(thread) }
            case .character, .any, .set, .match: threads.append(thread)
            case .wordBoundary, .notWordBoundary, .look: break
            }
        }
    }

    private func number(of state: State) -> Int32 {
        if let known = numbers[state] { return known }
        threadCount += state.threads.count
        if states.count >= RegexAutomaton.stateLimit || threadCount > RegexAutomaton.threadLimit {
            forget()
            return RegexAutomaton.unknown
        }
        let number = Int32(truncatingIfNeeded: states.count)
        if states.count == capacity { grow() }
        (table + states.count * 256).update(repeating: RegexAutomaton.unknown, count: 256)
        states.append(state)
        numbers[state] = number
        traits.append(traits(of: state))
        return number
    }

    private func traits(of state: State) -> Traits {
        var result: Traits = []
        let hasMatch = state.threads.contains { instructions[Int($0)] == .match }
        if hasMatch { result.insert(.matches) }
        if hasMatch || matchesAtEnd(state) { result.insert(.matchesAtEnd) }
        if state.threads.isEmpty && (!state.searches || beginsAtStart) { result.insert(.dead) }
        if firstByte != nil && state.searches && state.threads == beginning { result.insert(.idle) }
        return result
    }

    private func matchesAtEnd(_ state: State) -> Bool {
        var rest: [Int32] = []
        generation += 1
        for thread in state.threads where instructions[Int(thread)] == .textEnd {
            add(thread, to: &rest, isAtStart: state.isAtStart, isAtEnd: true)
        }
        return rest.contains { instructions[Int($0)] == .match }
    }

    /// The threads of a match that begins behind the text's start; none when none can.
    private lazy var beginning: [Int32] = {
        var threads: [Int32] = []
        generation += 1
        add(0, to: &threads, isAtStart: false)
        return threads
    }()
    /// All matches begin at the start of the text.
    var beginsAtStart: Bool { beginning.isEmpty }

    private func grow() {
        let larger = UnsafeMutablePointer<Int32>.allocate(capacity: capacity * 2 * 256)
        larger.update(from: table, count: capacity * 256)
        table.deallocate()
        table = larger
        capacity *= 2
    }

    private func forget() {
        overflows += 1
        states = []
        traits = []
        numbers = [:]
        wide = [:]
        threadCount = 0
        starts = (RegexAutomaton.unknown, RegexAutomaton.unknown)
    }
}
