import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

@Suite struct RecordTests {
    let pair: [SQLType] = [.integer, .varchar(20)]

    @Test func lineEnds() throws {
        #expect(try rows("1|a\n2|b", pair) == ["1|a", "2|b"])
        #expect(try rows("1|a\r\n2|b\r\n", pair) == ["1|a", "2|b"])
        #expect(try rows("1|a|\n2|b|\n", pair) == ["1|a", "2|b"])
        #expect(try rows("1|a|\n2|b\n", pair) == ["1|a", "2|b"])
        #expect(try rows("1|a|\r\n2|b|\r\n", pair) == ["1|a", "2|b"])
        #expect(try rows("\u{FEFF}1|a\n", pair) == ["1|a"])
        #expect(try rows("", pair) == [])
    }

    @Test func fieldCounts() throws {
        let errors = try failures(
            Array("1|a\n2|b|c\n3\n\n5|e\n".utf8), makeTable(pair), [RawCopyOption("MAXERROR", [.number("2")])])
        #expect(
            errors.map { "\($0.line) \($0.code) \($0.reason)" } == [
                "2 1202 Extra column(s) found", "3 1203 Delimiter not found", "4 1211 Input line empty",
            ])
        #expect(errors.map(\.rawLine) == ["2|b|c", "3", ""])
        let types: [SQLType] = [.integer, .integer, .varchar(9)]
        #expect(try rows("1\n1|2\n", types, [RawCopyOption("FILLRECORD")]) == ["1|NULL|", "1|2|"])
        #expect(try rows("\n1|a\n\n2|b\n\n", pair, [RawCopyOption("IGNOREBLANKLINES")]) == ["1|a", "2|b"])
        #expect(try rows("\n1\n", [.integer], [RawCopyOption("IGNOREBLANKLINES")]) == ["1"])
        #expect(try rows("id|x\nmore\n2|b\n", pair, [RawCopyOption("IGNOREHEADER", [.number("2")])]) == ["2|b"])
    }

    @Test func csv() throws {
        let csv = [RawCopyOption("CSV")]
        #expect(
            try rows("1,\"a,b\"\n2,\"say \"\"hi\"\"\"\n3,plain\n4,\"\"\n", pair, csv)
                == ["1|a,b", "2|say \"hi\"", "3|plain", "4|"])
        #expect(try rows("1,\"two\nlines\"\r\n\"2\",\"x\"\r\n", pair, csv) == ["1|two\nlines", "2|x"])
        #expect(
            try rows(
                "1;%a;b%\n", pair,
                csv + [
                    RawCopyOption("QUOTE", [.string("%")]), RawCopyOption("DELIMITER", [.string(";")]),
                ]) == ["1|a;b"])
        let text = "1,a\n2,b\"c\n3,\"x\"y\n4,\"multi\nline\"\n5,\"open\n6,x\n"
        let errors = try failures(Array(text.utf8), makeTable(pair), csv + [RawCopyOption("MAXERROR", [.number("2")])])
        #expect(
            errors.map { "\($0.line) \($0.code) \($0.reason)" } == [
                "2 1214 Invalid quote formatting for CSV", "3 1214 Invalid quote formatting for CSV",
                "6 1214 Invalid quote formatting for CSV",
            ])
    }

    @Test func escapesAndQuotes() throws {
        let escape = [RawCopyOption("ESCAPE")]
        #expect(
            try rows("1|a\\|b\n2|two\\\nlines\n3|back\\\\\n4|\\N\n", pair, escape)
                == ["1|a|b", "2|two\nlines", "3|back\\", "4|NULL"])
        let remove = [RawCopyOption("REMOVEQUOTES")]
        #expect(try rows("'1'|\"a|b\"\n2|it's\n", pair, remove) == ["1|a|b", "2|it's"])
        #expect(try failures(Array("1|'open\n".utf8), makeTable(pair), remove).map(\.code) == [1214])
        #expect(try rows("\"1\"|\"a\\\"b\"\n", pair, remove + escape) == ["1|a\"b"])
    }

    @Test func fixedWidth() throws {
        let options = [RawCopyOption("FIXEDWIDTH", [.string("id:3,name:4")])]
        #expect(try rows("  1abcd\n22 é  x\n", pair, options) == ["1|abcd", "22|é  x"])
        #expect(try rows("   abcd\n", pair, options) == ["NULL|abcd"])
        #expect(try failures(Array("  1abcde\n".utf8), makeTable(pair), options).map(\.code) == [1202])
        #expect(try failures(Array("1\n".utf8), makeTable(pair), options).map(\.code) == [1214])
        #expect(throws: SQLError.self) { try rows("1\n", [.integer], options) }
    }

    @Test func toleratedErrors() throws {
        let sink = MemorySink()
        let text = "1|a\nx|b\n3|c\n4|d|e\n5|e\n"
        let result = try load(
            Array(text.utf8), makeTable(pair), [RawCopyOption("MAXERROR", [.number("2")])], sink: sink)
        #expect(sink.inOrder == ["1|a", "3|c", "5|e"])
        #expect(result.rowsLoaded == 3)
        #expect(result.rowsScanned == 5)
        #expect(result.errors.map(\.line) == [2, 4])
        let first = try #require(result.errors.first)
        #expect(first.column == "c1" && first.type == "int4" && first.rawField == "x" && first.rawLine == "x|b")
        #expect(!sink.wasAborted)
        let all = MemorySink()
        try load(Array(text.utf8), makeTable(pair), [RawCopyOption("IGNOREALLERRORS")], sink: all)
        #expect(all.inOrder == ["1|a", "3|c", "5|e"])
        let none = MemorySink()
        try load(Array("1|a\n".utf8), makeTable(pair), [RawCopyOption("NOLOAD")], sink: none)
        #expect(none.inOrder.isEmpty)
    }

    @Test func unmappedColumns() throws {
        struct Numbers: IdentityGenerator {
            func reserve(_ count: Int) throws -> (first: Int64, step: Int64) { (100, 2) }
        }
        let table = makeTable([.bigint, .integer, .varchar(5)])
        let folder = TemporaryFolder()
        let file = try folder.write("data", "7\nx\n8\n")
        let sink = MemorySink()
        let columns = CopyColumns(fields: [1], fills: [0: .identity(Numbers()), 2: .constant(.text("dflt"))])
        let options = try CopyOptions(parsing: [RawCopyOption("MAXERROR", [.number("1")])])
        _ = try CopyJob(
            table: table, columns: columns, source: LocalLoadSource(location: file), options: options, sink: sink,
            workers: StatementWorkers(WorkerPool(workers: 2))
        ).run()
        #expect(sink.inOrder == ["100|7|dflt", "102|8|dflt"])
    }
}
