import Testing

@testable import PGWire

/// Wrong passwords make their user wait, and nobody else.
struct FailedLoginsTests {
    private static let second: Int64 = 1_000_000_000
    private let ann = FailedLogins.Client(user: "ann", address: "10.0.0.1")

    @Test func theDelayGrowsToItsBound() {
        let logins = FailedLogins()
        var delays: [Int64] = []
        for _ in 0..<9 {
            delays.append(logins.delayNanoseconds(ann, now: 0))
            logins.failed(ann, now: 0)
        }
        #expect(delays.map { $0 / 1_000_000 } == [0, 100, 200, 400, 800, 1600, 3200, 5000, 5000])
        for _ in 0..<10_000 { logins.failed(ann, now: 0) }
        #expect(logins.delayNanoseconds(ann, now: 0) == 5 * Self.second)
        for other in [("bob", "10.0.0.1"), ("ann", "10.0.0.2")] {
            #expect(logins.delayNanoseconds(.init(user: other.0, address: other.1), now: 0) == 0)
        }
        #expect(logins.delayNanoseconds(ann, now: FailedLogins.memoryNanoseconds) == 0)
        logins.succeeded(ann)
        #expect(logins.delayNanoseconds(ann, now: 0) == 0)
        #expect(logins.count == 0)
    }

    @Test func theTableIsBoundedAndKeepsTheWorst() {
        let logins = FailedLogins(capacity: 100)
        for _ in 0..<5 { logins.failed(ann, now: 0) }
        for number in 0..<10_000 {
            logins.failed(.init(user: "user\(number)", address: "10.0.0.1"), now: Int64(number + 1))
        }
        #expect(logins.count == 100)
        #expect(logins.delayNanoseconds(ann, now: 20_000) == 1_600_000_000)
        logins.failed(.init(user: "late", address: ""), now: 2 * FailedLogins.memoryNanoseconds)
        #expect(logins.count == 1)
    }
}
