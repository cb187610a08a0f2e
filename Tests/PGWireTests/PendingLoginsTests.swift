import Synchronization
import Testing

@testable import PGWire

/// Who makes way when too many connections have not logged in.
struct PendingLoginsTests {
    private static let second: Int64 = 1_000_000_000

    @Test func theOldestMakesWayAfterAMoment() throws {
        let logins = PendingLogins(limit: 2)
        let closed = Atomic<Int>(0)
        func add(_ now: Int64, _ bit: Int) -> Int? {
            logins.add(nowNanoseconds: now) { closed.bitwiseOr(bit, ordering: .relaxed) }
        }
        #expect(add(0, 1) != nil)
        let other = try #require(add(10, 2))
        #expect(add(Self.second - 1, 4) == nil)
        #expect(closed.load(ordering: .relaxed) == 0)
        #expect(add(Self.second, 8) != nil)
        #expect(closed.load(ordering: .relaxed) == 1)
        #expect(logins.count == 2)
        logins.remove(other)
        logins.remove(other)
        #expect(logins.count == 1)
        #expect(add(Self.second, 16) != nil)
        #expect(closed.load(ordering: .relaxed) == 1)
    }
}
