import Platform
import Testing

/// What the parent of a serving process reads of its sessions.
struct CrashTableTests {
    @Test func tellsWhatRuns() throws {
        let (table, descriptor) = try #require(CrashTable.make(slots: 2))
        let slot = try #require(table.takeSlot(session: 7, userName: "dev"))
        let other = try #require(table.takeSlot(session: 8, userName: "x"))
        #expect(table.takeSlot(session: 9, userName: "y") == nil)
        #expect(table.running.isEmpty)
        let long = String(repeating: "é", count: StatementSlot.textBytes)
        slot.begin("select 1", hash: 42, user: 100, startMicroseconds: 7)
        slot.setQuery(5)
        #expect(table.running.map(\.session) == [7])
        let running = try #require(table.running.first)
        #expect(running.text == "select 1" && running.hash == 42 && running.user == 100 && running.query == 5)
        #expect(running.userName == "dev" && running.startMicroseconds > 0)
        slot.end()
        other.begin(long, hash: 1, user: 1, startMicroseconds: 8)
        #expect(table.running.map(\.text) == [String(repeating: "é", count: StatementSlot.textBytes / 2)])
        other.end()
        #expect(table.running.isEmpty && table.death == nil && table.stack.isEmpty)

        // The other side sees the same memory.
        table.port = 5439
        let child = try #require(CrashTable.adopt(descriptor: descriptor))
        #expect(child.port == 5439 && !child.isReady)
        child.isReady = true
        #expect(table.isReady)
        table.clear()
        #expect(!child.isReady && child.port == 5439)
    }

    /// Files of crashes hold them, so they must never change.
    @Test func hashesAreTheSameInEveryProcess() {
        // Worked out apart.
        #expect(StatementHash.of("select count(*) from t") == 0xF307_3BD0_C789_91D8)
        #expect(StatementHash.of("select 1") != StatementHash.of("select 2"))
        #expect(StatementHash.of("select 10") != StatementHash.of("select 1"))
        #expect(StatementHash.of("") != StatementHash.of("\0"))
    }
}
