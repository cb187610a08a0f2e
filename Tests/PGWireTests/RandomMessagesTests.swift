import SQLTypes
import Testing
import Warehouse

@testable import PGWire

/// Whatever a client sends, the machines answer or end the connection; they never stop the process.
struct RandomMessagesTests {
    private static let types = Array("QPBDECSHXFpdcf".utf8)

    private func policy(_ directory: UserDirectory?) -> StartupPolicy {
        StartupPolicy(
            access: directory.map { .users($0) } ?? .trusted(user: "dev"), hasDatabase: { $0 == "dev" }, offersTLS: true
        )
    }

    private func randomBody(_ random: inout Randomness) -> [UInt8] {
        var body: [UInt8] = []
        for _ in 0..<random.below(8) {
            switch random.below(6) {
            case 0: body += [0, 0, 0, UInt8(random.below(9))]
            case 1: body += [0xFF, 0xFF, 0xFF, 0xFF]
            case 2: body += Array("select 1".utf8) + [0]
            case 3: body += [0, UInt8(random.below(4))]
            case 4: body += [UInt8(ascii: "S"), 0]
            default: body.append(random.byte())
            }
        }
        return body
    }

    @Test func messagesInAnyOrder() {
        var random = Randomness(seed: 0x5EED)
        var steps = [0, 0, 0, 0]
        for _ in 0..<100_000 {
            var machine = ConversationMachine()
            for _ in 0..<random.below(12) {
                let type = RandomMessagesTests.types[random.below(RandomMessagesTests.types.count)]
                let wasClosed = machine.isClosed
                let step = machine.receive(Frame(type: type, body: randomBody(&random)))
                switch step {
                case .ignore: steps[0] += 1
                case .close: steps[1] += 1
                case .fail:
                    steps[2] += 1
                    let isReady = machine.failed(type)
                    #expect(isReady != machine.isSkipping || isReady)
                case .perform:
                    steps[3] += 1
                    if random.below(4) == 0 { _ = machine.failed(type) }
                }
                if wasClosed, case .ignore = step {} else if wasClosed { Issue.record("a closed machine went on") }
            }
        }
        #expect(steps.allSatisfy { $0 > 1000 })
    }

    @Test func nothingRunsBeforeThePassword() {
        let keys = ScramKeys(password: "secret", salt: [1, 2, 3])
        var directory = UserDirectory { $0 == "dev" ? .scram(keys) : nil }
        var random = Randomness(seed: 99)
        let start: [UInt8] = [0, 3, 0, 0] + Array("user\0dev\0database\0dev\0\0".utf8)
        for round in 0..<20_000 {
            directory.method = UserDirectory.Method.allCases[round % 2]
            var machine = StartupMachine(policy: policy(directory))
            for step in 0..<random.below(8) {
                let frame: Frame
                if machine.awaitsStartupPacket {
                    let packets: [[UInt8]] = [
                        start, [4, 210, 22, 47], [4, 210, 22, 48], [0, 3, 0, 2] + Array(start.dropFirst(4)),
                        randomBody(&random),
                    ]
                    frame = Frame(type: 0, body: packets[random.below(packets.count)])
                } else {
                    let type = RandomMessagesTests.types[random.below(RandomMessagesTests.types.count)]
                    let first = Array("SCRAM-SHA-256\0".utf8) + [0, 0, 0, 11] + Array("n,,n=,r=abc".utf8)
                    frame = Frame(
                        type: step == 1 ? UInt8(ascii: "p") : type,
                        body: step == 1 && random.below(2) == 0 ? first : randomBody(&random))
                }
                for action in machine.receive(frame, hasMoreBytes: false) {
                    if case .accepted = action { Issue.record("accepted without a password") }
                }
            }
        }
    }

    @Test func bytesBehindTheEncryptionRequestEndTheConnection() {
        var machine = StartupMachine(policy: policy(nil))
        let actions = machine.receive(Frame(type: 0, body: [4, 210, 22, 47]), hasMoreBytes: true)
        #expect(actions.contains { if case .close = $0 { true } else { false } })
        #expect(!actions.contains { if case .startTLS = $0 { true } else { false } })
    }

    @Test func randomBytes() {
        var random = Randomness(seed: 4711)
        for _ in 0..<20_000 {
            var decoder = FrameDecoder(maximumLength: 4096)
            decoder.isStartup = random.below(2) == 0
            for _ in 0..<3 {
                let bytes = (0..<random.below(64)).map { _ in random.below(2) == 0 ? 0 : random.byte() }
                bytes.withUnsafeBytes { decoder.append($0) }
                while let frame = (try? decoder.next()) ?? nil {
                    _ = try? StartupPacket(frame)
                    _ = try? FrontendMessage(frame)
                }
            }
        }
    }

    @Test func skipsUntilSync() {
        var machine = ConversationMachine()
        let parse = Frame(type: UInt8(ascii: "P"), body: [0] + Array("select 1".utf8) + [0, 0, 0])
        guard case .perform = machine.receive(parse) else { return #expect(Bool(false)) }
        let isReady = machine.failed(parse.type)
        #expect(!isReady)
        for type in "BDECHQ".utf8 {
            guard case .ignore = machine.receive(Frame(type: type, body: [1, 2, 3])) else {
                return #expect(Bool(false))
            }
        }
        guard case .perform(.sync) = machine.receive(Frame(type: UInt8(ascii: "S"), body: [])) else {
            return #expect(Bool(false))
        }
        #expect(!machine.isSkipping)
    }
}
