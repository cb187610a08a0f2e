import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

/// Files of Tests/Fixtures/BulkTransfer, which fastavro has written (make.py says what is in them).
@Suite struct AvroTests {
    static let codecs = ["null", "deflate", "snappy", "zstandard", "bzip2"]
    private let columns: [(String, SQLType)] = [
        ("id", .bigint), ("flag", .boolean), ("small", .smallint), ("ratio", .double), ("single", .real),
        ("name", .varchar(20)), ("price", .decimal(precision: 12, scale: 2)),
        ("tax", .decimal(precision: 18, scale: 4)),
        ("day", .date), ("moment", .timestamp), ("exact", .timestamptz), ("clock", .time), ("kind", .char(3)),
        ("tags", .varchar(40)), ("attributes", .varchar(40)), ("address", .varchar(80)),
    ]

    private func load(
        _ bytes: [UInt8], _ columns: [(String, SQLType)], _ mapping: String = "auto", more: [RawCopyOption] = [],
        workers: Int = 1
    ) throws -> (rows: [String], result: CopyResult) {
        let folder = TemporaryFolder()
        let file = try folder.write("data", bytes)
        var mapping = mapping
        if mapping.hasPrefix("{") { mapping = try folder.write("paths", mapping) }
        let options = try CopyOptions(parsing: [RawCopyOption("AVRO", [.string(mapping)])] + more)
        let table = TableDefinition(
            id: ObjectID(1), schema: "public", name: "t",
            columns: columns.enumerated().map { ColumnDefinition(id: Int32($0), name: $1.0, type: $1.1) })
        let sink = MemorySink()
        let job = try CopyJob(
            table: table, columns: CopyColumns(fields: Array(table.columns.indices)),
            source: LocalLoadSource(location: file), options: options, sink: sink,
            workers: StatementWorkers(WorkerPool(workers: workers)))
        let result = try withExtendedLifetime(folder) { try job.run() }
        return (workers == 1 ? sink.inOrder : sink.sorted, result)
    }

    @Test(arguments: codecs) func types(codec: String) throws {
        let (rows, _) = try load(try fixture("orders_\(codec).avro"), columns, "auto ignorecase")
        #expect(rows.count == 60)
        let start: Int64 = 1_795_515_630_123_000  // 2026-11-24 10:20:30.123 UTC
        #expect(
            rows[0]
                == "-5|1|NULL|-1.0|0.0|né \"0\"|-100|0|-2|\(start)|\(start)|3720005000|OLD|[]|{}|"
                + #"{"city":"c0","next":{"city":"x\\y","next":null}}"#)
        #expect(
            rows[11]
                == "10999999995|0|-29|0.375|2.75|né \"11\"|-23|-11|9|\(start + 11_000_000)|\(start + 11)|"
                + "3731005000|NEW|"
                + #"["t0","t1"]|{"k":11}|NULL"#)
        #expect(rows[4].contains("|NULL|-72|"))
        // Names must agree exactly with 'auto'.
        #expect(try load(try fixture("orders_\(codec).avro"), columns).rows[0].hasSuffix("|{}|NULL"))
    }

    @Test func otherColumns() throws {
        let file = try fixture("orders_null.avro")
        let (rows, _) = try load(
            file,
            [("id", .varchar(20)), ("flag", .varchar(5)), ("day", .timestamp), ("price", .double), ("none", .integer)])
        #expect(rows[0] == "-5|true|\(-2 * 86_400_000_000)|-1.0|NULL")
        let paths =
            "{\"jsonpaths\":[\"$.Address.city\",\"$['Address']['next'].city\",\"$.attributes.k\","
            + "\"$.id\",\"$.Address\"]}"
        let nested = try load(
            file, [("a", .varchar(9)), ("b", .varchar(9)), ("c", .integer), ("d", .bigint), ("e", .varchar(99))], paths)
        #expect(nested.rows[1] == #"c1|x\y|1|999999995|{"city":"c1","next":{"city":"x\\y","next":null}}"#)
        #expect(nested.rows[3] == "NULL|NULL|3|2999999995|NULL")
        let tolerant = [RawCopyOption("MAXERROR", [.number("100")])]
        let elements = try load(file, [("a", .varchar(9))], "{\"jsonpaths\":[\"$.tags[0]\"]}", more: tolerant)
        #expect(elements.rows.count == 40 && elements.result.errorCount == 20)
        #expect(elements.result.errors.first?.reason == "Invalid JSONPath format: Array index out of range.")
        let small = try load(file, [("id", .integer), ("name", .varchar(7))], more: tolerant)
        #expect(small.rows == ["-5|né \"0\"", "999999995|né \"1\"", "1999999995|né \"2\""])
        #expect(small.result.errors.first?.reason == "Overflow for integer")
        #expect(small.result.errors.first?.line == 4)
        #expect(small.result.errors.first?.rawField == "2999999995")
        let two = try load(file, [("id", .bigint)], workers: 2)
        #expect(two.rows.count == 60 && Set(two.rows).count == 60)
    }

    @Test(arguments: codecs) func damage(codec: String) throws {
        let file = try fixture("orders_\(codec).avro")
        for seed in 0..<Damage.variants {
            do {
                _ = try load(
                    Damage.variant(file, seed), columns, "auto ignorecase", more: [RawCopyOption("IGNOREALLERRORS")])
            } catch is SQLError {} catch is LoadFailure {}
        }
        for cut in [0, 3, 100, file.count / 2, file.count - 1] where cut > 0 {
            #expect(throws: SQLError.self) { try load(Array(file[..<cut]), columns) }
        }
        #expect(throws: SQLError.self) { try load(Array("Obj1 no avro".utf8), columns) }
    }

    @Test func schemas() throws {
        func parse(_ text: String) throws -> AvroSchema { try AvroSchema(parsing: Array(text.utf8), name: "f") }
        for bad in [
            "{}", "[]", "7", "\"unknown\"", #"{"type":"record","name":"r"}"#, #"{"type":"array"}"#,
            #"{"type":"fixed","name":"f","size":-1}"#, #"{"type":"fixed","name":"f","size":99999999999}"#,
            #"{"type":"enum","name":"e","symbols":[1]}"#, #"{"type":"record","name":"r","fields":[{"name":"a"}]}"#,
            String(repeating: "[", count: 5000), String(repeating: #"{"type":"#, count: 150) + "\"int\"",
        ] { #expect(throws: SQLError.self, "\(bad.prefix(50))") { try parse(bad) } }
        let circle = try parse(
            #"{"type":"record","name":"a.r","fields":[{"name":"x","type":["null","r"]},{"name":"y","type":"a.r"}]}"#)
        #expect(circle.types.count == 3)
    }
}
