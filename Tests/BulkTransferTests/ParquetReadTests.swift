import Catalog
import SQLTypes
import Synchronization
import Testing

@testable import BulkTransfer

/// Files of pyarrow and DuckDB give the values that those say they have.
struct ParquetReadTests {
    @Test(arguments: [
        "codec_none", "codec_snappy", "codec_gzip", "codec_zstd", "codec_lz4", "groups_v1", "groups_v2", "plain",
        "plain_v2", "dictionary_overflow", "deltas", "deltas_v2", "datetimes", "int96", "decimals_bytes",
        "decimals_plain", "decimals_integers", "decimals_other", "integers", "floats", "strings", "duckdb_v1",
        "duckdb_v2", "duckdb_lz4",
    ])
    func valuesAreEqual(_ name: String) throws {
        let (types, expected) = try ParquetFixtures.expected(name)
        let rows = try ParquetFixtures.rows(name, types)
        #expect(rows.count == expected.count)
        for (index, pair) in zip(rows, expected).enumerated() where pair.0 != pair.1 {
            Issue.record("\(name), row \(index):\n\(pair.0)\n\(pair.1)")
            break
        }
    }

    /// More rows than a step has, and pages of many rows.
    @Test func longColumns() throws {
        let rows = try ParquetFixtures.rows("long", [.bigint, .varchar(1), .integer, .integer])
        #expect(rows.count == 9000)
        for (index, row) in rows.enumerated() {
            let some = index / 1000 % 2 == 1 ? "\\N" : "\(index)"
            guard row == "\(index)\tx\t\\N\t\(some)" else {
                Issue.record("row \(index): \(row)")
                return
            }
        }
    }

    @Test func filesAndRowGroupsAreShared() throws {
        let folder = TemporaryFolder()
        for name in ["groups_v1", "groups_v2", "plain"] {
            try folder.write("in/\(name).parquet", try ParquetFixtures.bytes(name))
        }
        try folder.write("in/empty", [])
        let (types, _) = try ParquetFixtures.expected("plain")
        let sink = MemorySink()
        let result = try ParquetFixtures.load(folder.path + "/in", makeTable(types), sink: sink, workers: 3)
        let expected = try ["groups_v1", "groups_v2", "plain"].flatMap { try ParquetFixtures.expected($0).rows }
        #expect(sink.rows.withLock { $0.map(ParquetFixtures.show) }.sorted() == expected.sorted())
        #expect(result.files.map(\.rowsScanned).sorted() == [0, 120, 350, 350])
        #expect(result.bytesRead > 0)
    }

    @Test func columnListsDefaultsAndNulls() throws {
        let sink = MemorySink()
        try ParquetFixtures.load(
            ParquetFixtures.path("overflow"), makeTable([.decimal(precision: 10, scale: 2), .integer, .bigint]),
            fields: [2, 0], sink: sink)
        #expect(sink.inOrder == ["100|42|1", "200|42|1099511627776", "9999999999|42|NULL"])
    }

    @Test func fillRecordAndColumnCounts() throws {
        #expect(
            try ParquetFixtures.rows(
                "overflow", [.bigint, .decimal(precision: 10, scale: 2), .varchar(3)], [RawCopyOption("FILLRECORD")])
                == ["1\t100\t\\N", "1099511627776\t200\t\\N", "\\N\t9999999999\t\\N"])
        let path = ParquetFixtures.path("overflow")
        #expect(
            ParquetFixtures.failure("overflow", [.bigint])
                == "XX000 Spectrum Scan Error: Unmatched number of columns between table and file. "
                + "Table columns: 1, Data columns: 2, File name: \(path)")
    }

    @Test func valuesThatCannotBeLoaded() throws {
        #expect(
            ParquetFixtures.failure("too_long", [.integer, .varchar(10)])
                == "2 c2 1204 The length of the data column c2 is longer than the length defined in the table. "
                + "Table: 10, Data: 24")
        #expect(
            ParquetFixtures.failure("too_long_plain", [.integer, .varchar(10)])
                == "3 c2 1204 The length of the data column c2 is longer than the length defined in the table. "
                + "Table: 10, Data: 300")
        #expect(ParquetFixtures.failure("too_long", [.integer, .char(30)]).hasPrefix("2 c2 1215 Multibyte character"))
        #expect(
            ParquetFixtures.failure("too_long", [.integer, .varchar(30)], notNull: [1])
                == "3 c2 1213 Missing data for not-null field")
        #expect(
            ParquetFixtures.failure("not_utf8", [.varchar(10)]).hasPrefix(
                "2 c1 1220 String contains invalid or unsupported UTF8 codepoints. Bad UTF8 hex sequence: ff"))
        #expect(
            ParquetFixtures.failure("overflow", [.integer, .decimal(precision: 10, scale: 2)])
                == "2 c1 1222 Overflow for integer, Value '1099511627776'")
        #expect(
            ParquetFixtures.failure("overflow", [.bigint, .decimal(precision: 9, scale: 2)])
                == "3 c2 1209 Overflow for decimal, Value '9999999999'")
    }

    @Test func charactersCanBeReplaced() throws {
        #expect(
            try ParquetFixtures.rows("too_long", [.integer, .varchar(24)], [RawCopyOption("ACCEPTINVCHARS")]).count == 3
        )
        // NUL is an error all the same, as in text files.
        #expect(
            ParquetFixtures.failure("not_utf8", [.varchar(10)], [RawCopyOption("ACCEPTINVCHARS", [.string("^")])])
                .hasPrefix("3 c1 1218"))
    }

    @Test func incompatibleColumns() throws {
        let path = ParquetFixtures.path("overflow")
        #expect(
            ParquetFixtures.failure("overflow", [.varchar(20), .decimal(precision: 10, scale: 2)])
                == "42804 Spectrum Scan Error: File '\(path)' has an incompatible Parquet schema for column 'c1'. "
                + "Column type: CHARACTER VARYING(20), Parquet schema: optional int64 a")
        #expect(ParquetFixtures.failure("overflow", [.bigint, .bigint]).contains("DECIMAL(10,2)"))
        #expect(ParquetFixtures.failure("brotli", [.integer]).hasPrefix("0A000 Parquet files with BROTLI"))
    }

    @Test func momentsOfTheSession() throws {
        let zone = ZoneRules(name: "X", offsetSeconds: 3600, abbreviation: "X")
        let sink = MemorySink()
        let (types, expected) = try ParquetFixtures.expected("datetimes")
        var local = types
        local[4] = .timestamptz
        try ParquetFixtures.load(ParquetFixtures.path("datetimes"), makeTable(local), sink: sink, zone: zone)
        let rows = sink.rows.withLock { $0.map(ParquetFixtures.show) }
        let before = expected[3].split(separator: "\t").map(String.init)
        var after = before
        after[4] = "\((Int(before[4]) ?? 0) - 3_600_000_000)"
        #expect(rows[3] == after.joined(separator: "\t"))
    }

    @Test func optionsOfParquet() throws {
        func message(_ options: RawCopyOption...) -> String {
            do { _ = try CopyOptions(parsing: options) } catch let error as SQLError {
                return "\(error.state) \(error.message)"
            } catch { return "\(error)" }
            return "none"
        }
        #expect(
            message(RawCopyOption("PARQUET"), RawCopyOption("MAXERROR", [.number("1")]))
                == "0A000 MAXERROR argument is not supported for PARQUET based COPY")
        #expect(
            message(RawCopyOption("FORMAT", [.word("parquet")]), RawCopyOption("GZIP"))
                == "0A000 GZIP argument is not supported for PARQUET based COPY")
        #expect(
            message(RawCopyOption("SERIALIZETOJSON")) == "42601 SERIALIZETOJSON can only be used with PARQUET and ORC")
        #expect(
            message(
                RawCopyOption("FORMAT", [.word("parquet")]), RawCopyOption("SERIALIZETOJSON"),
                RawCopyOption("IAM_ROLE", [.word("default")]), RawCopyOption("MANIFEST"),
                RawCopyOption("STATUPDATE", [.word("off")])) == "none")
    }
}

/// SERIALIZETOJSON makes JSON of nested columns.
struct ParquetNestedTests {
    private static let types: [SQLType] = [.integer] + Array(repeating: .varchar(1000), count: 5)

    @Test(arguments: ["nested_v1", "nested_v2"])
    func nestedColumnsBecomeJSON(_ name: String) throws {
        let sink = MemorySink()
        try ParquetFixtures.load(
            ParquetFixtures.path(name), makeTable(Self.types), [RawCopyOption("SERIALIZETOJSON")], sink: sink)
        #expect(
            sink.inOrder == [
                #"1|["a",null,"b\"q"]|{"x":1,"y":2.5}|{"k":1,"l":null}|[[1,2],[],null,[3]]|"#
                    + #"[{"p":1,"q":["x"]},null,{"p":null,"q":null}]"#,
                "2|[]|NULL|{}|[]|[]",
                #"3|NULL|{"x":null,"y":null}|NULL|NULL|NULL"#,
                #"4|["é\n"]|{"x":-7,"y":1e+100}|{"z":26}|[null]|[{"p":2147483647,"q":[]}]"#,
            ])
    }

    @Test func nestedColumnsNeedTheOptionAndRoom() {
        #expect(
            ParquetFixtures.failure("nested_v1", Self.types).hasPrefix(
                "0A000 column \"tags\" of the Parquet file is nested"))
        var types = Self.types
        types[5] = .varchar(20)
        #expect(
            ParquetFixtures.failure("nested_v1", types, [RawCopyOption("SERIALIZETOJSON")])
                == "1 c6 1204 The length of the data column c6 is longer than the length defined in the table. "
                + "Table: 20, Data: 44")
        types[5] = .bigint
        #expect(
            ParquetFixtures.failure("nested_v1", types, [RawCopyOption("SERIALIZETOJSON")]).contains(
                "Parquet schema: optional group list"))
    }
}
