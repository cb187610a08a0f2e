import Platform
import Testing

@testable import Warehouse

/// The files of `crashes`.
@Suite struct CrashRecordTests {
    private static func record(_ microseconds: Int64) -> CrashRecord {
        var record = CrashRecord(microseconds: microseconds, process: 12, signal: 11, program: "1-2")
        record.address = 0xFFFF_FFFF_FFFF_FFF8
        record.statements = [
            CrashRecord.Statement(
                session: 3, user: 100, userName: "a\tb", query: 17, hash: .max, startMicroseconds: 5, isBlamed: true,
                text: "select '\\n',\n\t'ä'\r\n\\"),
            CrashRecord.Statement(
                session: 4, user: 101, userName: "", query: 0, hash: 0, startMicroseconds: 6, isBlamed: false,
                text: ""),
        ]
        record.stack = ["f(x: Int) + 3", "libc.so.6 + 0x10"]
        return record
    }

    @Test func survivesItsStoredForm() {
        #expect(CrashRecord(Self.record(9).encoded) == Self.record(9))
        #expect(CrashRecord([]) == nil)
        #expect(CrashRecord(Array("statement\t1\nno such line\n\n".utf8)) == nil)
        for length in Self.record(9).encoded.indices { _ = CrashRecord(Array(Self.record(9).encoded[..<length])) }
    }

    @Test func theNewestAreKept() throws {
        let directory = "/tmp/redbarn-crash-records-\(UInt64.random(in: 0 ... .max))"
        defer { try? LocalFileSystem().removeTree(directory) }
        let folder = CrashFolder(ofWarehouse: directory)
        #expect(folder.records.isEmpty)
        for number in 1...105 { try folder.add(Self.record(Int64(number) * 1_000)) }
        #expect(folder.records == (6...105).map { Self.record($0 * 1_000) })
    }
}
