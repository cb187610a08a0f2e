import Foundation
import SQLTypes
import Testing
import Warehouse

@testable import PGWire

/// Mutated inputs from kept corpora (Tests/Fuzz): whatever a client sends is understood or refused, the same way
/// however it is cut into pieces, and nobody gets in.
struct FuzzTests {
    private static let corpora = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz")
    private static let rounds =
        ProcessInfo.processInfo.environment["REDBARN_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 10_000
    private static let seed =
        ProcessInfo.processInfo.environment["REDBARN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    /// The corpus as it is, then mutations of it.
    private func forEachInput(_ file: String, _ body: ([UInt8], inout Randomness) -> Void) throws {
        let text = try String(
            contentsOf: FuzzTests.corpora.appendingPathComponent(file), encoding: .utf8)
        let corpus = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { FuzzInput.bytes(ofLine: $0) }
        try #require(!corpus.isEmpty)
        var random = Randomness(seed: FuzzTests.seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        for input in corpus { body(input, &random) }
        for _ in 0..<FuzzTests.rounds { body(FuzzInput.mutated(corpus, &random), &random) }
    }

    private func frames(_ bytes: [UInt8], pieces: [Int], isStartup: Bool) -> (
        frames: [Frame], failed: Bool
    ) {
        var decoder = FrameDecoder(maximumLength: 4096)
        decoder.isStartup = isStartup
        var result: [Frame] = []
        var place = 0
        var piece = 0
        while place < bytes.count {
            let end = min(bytes.count, place + max(1, pieces[piece % pieces.count]))
            bytes[place..<end].withUnsafeBytes { decoder.append($0) }
            place = end
            piece += 1
            do {
                while let frame = try decoder.next() { result.append(frame) }
            } catch {
                return (result, true)
            }
        }
        return (result, false)
    }

    @Test func framing() throws {
        try forEachInput("frames.txt") { input, random in
            for isStartup in [false, true] {
                let whole = frames(input, pieces: [input.count], isStartup: isStartup)
                let cut = frames(
                    input, pieces: [1, random.below(7) + 1, random.below(100) + 1], isStartup: isStartup)
                #expect(whole.failed == cut.failed, "\(input)")
                #expect(whole.frames.map(\.body) == cut.frames.map(\.body), "\(input)")
                #expect(whole.frames.reduce(0) { $0 + $1.body.count } <= input.count)
            }
        }
    }

    @Test func startup() throws {
        let keys = ScramKeys(password: "secret", salt: [1, 2, 3])
        let directory = UserDirectory { $0 == "dev" ? .scram(keys) : nil }
        let policy = StartupPolicy(
            access: .users(directory), hasDatabase: { $0 == "dev" }, offersTLS: true, requiresTLS: true)
        try forEachInput("startup.txt") { input, random in
            var machine = StartupMachine(policy: policy)
            for frame in frames(input, pieces: [input.count], isStartup: true).frames {
                for action in machine.receive(frame, hasMoreBytes: random.below(2) == 0) {
                    if case .accepted = action { Issue.record("accepted: \(input)") }
                }
            }
        }
    }

    @Test func messages() throws {
        let known: Set<String> = ["08P01", "22021", "0A000"]
        try forEachInput("messages.txt") { input, _ in
            guard let type = input.first else { return }
            do {
                _ = try FrontendMessage(Frame(type: type, body: Array(input.dropFirst())))
            } catch {
                #expect(known.contains(SQLError(error).state.code), "\(input): \(error)")
            }
        }
    }

    @Test func scram() throws {
        let keys = ScramKeys(password: "secret", salt: [1, 2, 3, 4])
        var previous: [UInt8] = []
        try forEachInput("scram.txt") { input, random in
            var exchange = ScramExchange(keys: keys, isReal: random.below(2) == 0, nonce: [9, 8, 7])
            for message in [previous, input, previous] {
                if case .success? = try? exchange.receive(message) { Issue.record("success: \(input)") }
            }
            previous = input
        }
    }
}

/// Lines of a corpus, and what becomes of them.
enum FuzzInput {
    static func bytes(ofLine line: Substring) -> [UInt8] {
        var result: [UInt8] = []
        var rest = Array(line.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
                result.append(byte)
                continue
            }
            if kind == UInt8(ascii: "x"), rest.count >= 2 {
                result.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                result.append(kind)
            }
        }
        return result
    }

    static func mutated(_ corpus: [[UInt8]], _ random: inout Randomness) -> [UInt8] {
        var bytes = corpus[random.below(corpus.count)]
        for _ in 0...random.below(5) {
            let place = random.below(bytes.count + 1)
            let length = min(random.below(9), bytes.count - place)
            switch random.below(7) {
            case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8(random.below(8))
            case 1 where place < bytes.count: bytes[place] = random.byte()
            case 2: bytes.insert(contentsOf: (0..<random.below(5)).map { _ in random.byte() }, at: place)
            case 3: bytes.removeSubrange(place..<place + length)
            case 4: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
            case 5:
                let other = corpus[random.below(corpus.count)]
                bytes = Array(bytes[..<place]) + other.dropFirst(random.below(other.count + 1))
            default:
                let numbers: [[UInt8]] = [
                    [0, 0, 0, 0], [255, 255, 255, 255], [127, 255, 255, 255], [0, 0, 0, 4], [0],
                ]
                bytes.insert(contentsOf: numbers[random.below(numbers.count)], at: place)
            }
        }
        return bytes
    }
}
