import Catalog
import ColumnVectors
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

let json = [RawCopyOption("JSON", [.string("auto")])]

/// Loads a JSON text; columns are c1, c2 and so on.
@discardableResult
func loadJSON(
    _ bytes: [UInt8], _ table: TableDefinition, _ options: [RawCopyOption] = json, sink: MemorySink,
    paths: String? = nil, pieceBytes: Int = 1 << 20, windowBytes: Int = 64 << 10, readsBytes: Bool = false
) throws -> CopyResult {
    let folder = TemporaryFolder()
    let file = try folder.write("data", bytes)
    var raw = options
    if let paths { raw = [RawCopyOption("JSON", [.string(try folder.write("paths", paths))])] + options }
    let parsed = try CopyOptions(parsing: raw)
    var tuning = CopyJob.Tuning(pieceBytes: pieceBytes, windowBytes: windowBytes)
    tuning.readsBytes = readsBytes
    let job = try CopyJob(
        table: table, columns: CopyColumns(fields: Array(table.columns.indices)),
        source: LocalLoadSource(location: file), options: parsed, sink: sink,
        workers: StatementWorkers(WorkerPool(workers: 1)),
        cancellation: CancellationToken(), context: DatetimeContext(), progress: nil, tuning: tuning)
    return try withExtendedLifetime(folder) { try job.run() }
}

/// What a load gives: its rows, then its errors.
func outcome(
    _ bytes: [UInt8], _ table: TableDefinition, _ options: [RawCopyOption], paths: String? = nil,
    pieceBytes: Int = 1 << 20, windowBytes: Int = 64 << 10, readsBytes: Bool = false
) -> [String] {
    let sink = MemorySink()
    func show(_ errors: [LoadError]) -> [String] {
        errors.map { "\($0.line) \($0.code) \($0.reason) <\($0.column):\($0.rawField)> \($0.rawLine)" }
    }
    do {
        let result = try loadJSON(
            bytes, table, options, sink: sink, paths: paths, pieceBytes: pieceBytes, windowBytes: windowBytes,
            readsBytes: readsBytes)
        return sink.inOrder + show(result.errors)
    } catch let failure as LoadFailure {
        return show(failure.loadErrors)
    } catch {
        return ["\(error)"]
    }
}

@Suite struct JSONTests {
    let pair: [SQLType] = [.integer, .varchar(40)]
    let tolerant = json + [RawCopyOption("MAXERROR", [.number("1000")])]

    /// The same result from every way of cutting and reading.
    private func check(
        _ text: String, _ types: [SQLType], _ expected: [String], options: [RawCopyOption]? = nil,
        paths: String? = nil, at location: SourceLocation = #_sourceLocation
    ) {
        let table = makeTable(types)
        for (piece, window, bytes) in [
            (1 << 20, 64 << 10, false), (1 << 20, 64 << 10, true), (1, 1, false), (7, 3, false), (33, 65, false),
            (64, 1, true), (200, 128, false),
        ] {
            let found = outcome(
                Array(text.utf8), table, paths == nil ? options ?? tolerant : (options ?? []), paths: paths,
                pieceBytes: piece, windowBytes: window, readsBytes: bytes)
            #expect(found == expected, "piece \(piece), window \(window), bytes \(bytes)", sourceLocation: location)
        }
    }

    @Test func shapes() {
        check("{\"c1\":1,\"c2\":\"a\"}\n{\"c1\":2,\"c2\":\"b\"}\n", pair, ["1|a", "2|b"])
        check("{\"c1\":1,\"c2\":\"a\"}{\"c2\":\"b\",\"c1\":2} {\"c1\":3}", pair, ["1|a", "2|b", "3|NULL"])
        check("\n {\n  \"c1\" : 1 ,\n\t\"c2\" : \"a\"\r\n}\r\n\r\n{ \"c2\" :\"b\" }  ", pair, ["1|a", "NULL|b"])
        check("\u{FEFF}{\"c1\":1}", pair, ["1|NULL"])
        check("{}\n{ }\n", pair, ["NULL|NULL", "NULL|NULL"])
        check("", pair, [])
        check("  \n ", pair, [])
        check("{\"x\":{\"c1\":9,\"y\":[1,{\"z\":[]}]},\"c1\":1,\"w\":[],\"v\":{},\"c2\":\"\"}", pair, ["1|"])
        // The last of members with the same name counts.
        check("{\"c1\":1,\"c2\":\"x\",\"c1\":2,\"c2\":null}", pair, ["2|NULL"])
        check("{\"C1\":1,\"c1 \":2,\"c\":3,\"c12345678901234567\":4}", pair, ["NULL|NULL"])
    }

    @Test func values() {
        check(
            "{\"c2\":true}{\"c2\":false}{\"c2\":null}{\"c2\":-1.50e+3}", pair,
            [
                "NULL|true", "NULL|false", "NULL|NULL", "NULL|-1.50e+3",
            ])
        check("{\"c2\":{\"a\": [1, \"}\"]}}{\"c2\":[ 1,2 ]}", pair, ["NULL|{\"a\": [1, \"}\"]}", "NULL|[ 1,2 ]"])
        check("{\"c1\":\"12\"}{\"c1\":\"\"}{\"c1\":null}", pair, ["12|NULL", "NULL|NULL", "NULL|NULL"])
        check(
            "{\"c1\":true,\"c2\":\"2026-11-24\",\"c3\":12.345,\"c4\":\"2026-11-24 10:20:30.5\",\"c5\":-1e2}",
            [.boolean, .date, .decimal(precision: 10, scale: 2), .timestamp, .double],
            ["1|20781|1234|\(20781 * 86_400_000_000 + 37_230_500_000)|-100.0"])
        let rounded = json + [RawCopyOption("ROUNDEC")]
        check("{\"c1\":12.345}", [.decimal(precision: 10, scale: 2)], ["1235"], options: rounded)
        check(
            "{\"c1\":1700000000}", [.timestamp], ["1700000000000000"],
            options: json + [RawCopyOption("TIMEFORMAT", [.string("epochsecs")])])
        // \N is a string like others, and so are the words for NULL of other formats.
        check("{\"c2\":\"\\\\N\"}{\"c2\":\"NULL\"}", pair, ["NULL|\\N", "NULL|NULL"])
        check(
            "{\"c2\":\"  \"}{\"c2\":\"\"}", pair, ["NULL|NULL", "NULL|NULL"],
            options: json + [RawCopyOption("BLANKSASNULL"), RawCopyOption("EMPTYASNULL")])
        check(
            "{\"c2\":\"abcdef\"}", [.integer, .varchar(3)], ["NULL|abc"],
            options: json + [RawCopyOption("TRUNCATECOLUMNS")])
    }

    @Test func escapes() {
        check(#"{"c2":"a\"b\\c\/d\n\t\u0041\u00e9\u20AC\ud83d\ude00"}"#, pair, ["NULL|a\"b\\c/d\n\tAé€😀"])
        check(#"{"c\u0032":"x","\u00631":5}"#, pair, ["5|x"])
        check(#"{"c2":"\\"}{"c2":"\\\\\""}{"c2":"x\\"}"#, pair, ["NULL|\\", "NULL|\\\\\"", "NULL|x\\"])
        let multibyte =
            "1 1215 Multibyte character not supported for CHAR (Hint: try using VARCHAR). "
            + "Invalid char: c3 a9 <c2:é> "
        check(
            #"{"c2":"é"}{"c2":"\u00e9"}"#, [.integer, .char(4)],
            [
                multibyte + "{\"c2\":\"é\"}",
                multibyte + #"{"c2":"\u00e9"}"#,
            ])
        let lone = outcome(Array(#"{"c1":1,"c2":"a\ud83dz"}"#.utf8), makeTable(pair), json)
        #expect(
            lone.count == 1
                && lone[0].hasPrefix(
                    "1 1220 String contains invalid or unsupported UTF8 codepoints. Bad UTF8 hex sequence: ed a0 bd")
        )
        check(#"{"c1":1,"c2":"a\ud83dz"}"#, pair, ["1|a???z"], options: json + [RawCopyOption("ACCEPTINVCHARS")])
        check(
            #"{"c1":1,"c2":"a\ude00\ud83d\u0041"}"#, pair, ["1|a??????A"],
            options: json + [RawCopyOption("ACCEPTINVCHARS")])
        check(#"{"c2":"\u0000"}"#, pair, ["1 1218 Nul terminator in mid-field <c2:\u{0}> {\"c2\":\"\\u0000\"}"])
        for bad in [#"\x"#, #"\u12G4"#, #"\u12"#, #"\U0041"#] {
            check("{\"c2\":\"\(bad)\"}", pair, ["1 1216 Invalid JSON: invalid escape sequence <:> {\"c2\":\"\(bad)\"}"])
        }
        let raw = [UInt8]("{\"c1\":1,\"c2\":\"a".utf8) + [0xFF] + [UInt8]("\"}".utf8)
        #expect(outcome(raw, makeTable(pair), json)[0].hasPrefix("1 1220 "))
        #expect(outcome(raw, makeTable(pair), json + [RawCopyOption("ACCEPTINVCHARS")]) == ["1|a?"])
    }

    @Test func badRecords() {
        func bad(
            _ what: String, _ reason: String = "unexpected character", at location: SourceLocation = #_sourceLocation
        ) {
            let text = "{\"c1\":1}\n\(what)\n{\"c1\":3}\n"
            check(text, pair, ["1|NULL", "3|NULL", "2 1216 Invalid JSON: \(reason) <:> \(what)"], at: location)
        }
        for what in [
            "{\"c1\":2,}", "{\"c1\":}", "{\"c1\"}", "{\"c1\" 2}", "{c1:2}", "{\"c1\":2 \"c2\":3}", "{\"c1\":2}}",
            "{\"c1\":2],", "{,}", "{\"c1\":2,,\"c2\":3}", "{\"c1\":\"a\"\"b\"}", "{\"c1\":\"a\" \"b\"}",
            "{\"c1\":[1,,2]}",
            "{\"c1\":[1,]}", "{\"c1\":{\"a\":1,}}", "{\"c1\":{\"a\"}}", "{\"c1\":{1:2}}", "{\"c1\":[1:2]}",
            "{\"c1\":[1}}",
            "{\"c1\":{\"a\":1]}", "{\"c1\":1 2}", "{\"x\":[1 2]}", "{\"c1\":{}x}", "{\"c1\":[] 1}", "nonsense", "17",
            "\"text\"", "null", "{1:2}", "{\"c1\"::2}", "{\"c1\":\"x\"{}}", "{[]}", "{\"a\":1}x", "]", ",", ":",
        ] {
            // Of a record with something after its end the record itself is good.
            if what.hasPrefix("{\"c1\":2}}") || what.hasSuffix("x") && what.hasPrefix("{\"a\"") { continue }
            bad(what)
        }
        for what in [
            "{\"c1\":nul}", "{\"c1\":True}", "{\"c1\":+1}", "{\"c1\":.5}", "{\"c1\":NaN}", "{\"c2\":01}", "{\"c2\":1.}",
            "{\"c2\":-}", "{\"x\":undefined}", "{\"c2\":1e}",
        ] {
            bad(what, "invalid value")
        }
        bad("{\"c1\":\"no end}", "control character in a string")
        bad("{\"c2\":\"tab\there\"}", "control character in a string")
        check(
            "{\"c1\":1}\n{\"c1\":2", pair,
            ["1|NULL", "2 1216 Invalid JSON: unexpected end of the record <:> {\"c1\":2"])
        check(
            "{\"c1\":1}\n{\"c1\":2,\n{\"c1\":3}\n", pair,
            ["1|NULL", "3|NULL", "2 1216 Invalid JSON: unexpected character <:> {\"c1\":2,"])
        check(
            "{\"c1\":1}{\"c1\":2}}\n{\"c1\":3}", pair,
            ["1|NULL", "2|NULL", "3|NULL", "1 1216 Invalid JSON: unexpected character <:> }"])
        check(
            "{\"c1\":1},\n{\"c1\":2}\n", pair, ["1|NULL", "2|NULL", "1 1216 Invalid JSON: unexpected character <:> ,"])
        check(
            "[1,\"a\"]\n{\"c1\":2}\n", pair,
            ["2|NULL", "1 1216 Invalid JSONPath format: Member is not an object. <:> [1,\"a\"]"])
        check(
            "{\"c1\":\"x\"}\n{\"c1\":2}\n", pair,
            ["2|NULL", "1 1207 Invalid digit, Value 'x', Pos 0, Type: Integer <c1:x> {\"c1\":\"x\"}"])
        check(
            "{\"c1\":\n\n\"x\"}\n\n{\n\"c1\":99999999999}\n", pair,
            [
                "1 1207 Invalid digit, Value 'x', Pos 0, Type: Integer <c1:x> {\"c1\":\n\n\"x\"}",
                "5 1222 Overflow for integer <c1:99999999999> {\n\"c1\":99999999999}",
            ])
        let strict = makeTable(pair, notNull: [0])
        #expect(
            outcome(Array("{\"c2\":\"x\"}".utf8), strict, json) == [
                "1 1213 Missing data for not-null field <c1:> {\"c2\":\"x\"}"
            ])
    }

    @Test func depths() {
        let deep = String(repeating: "[", count: 100_000)
        #expect(
            outcome(Array("{\"x\":\(deep)".utf8), makeTable(pair), json)[0].contains("nested deeper than 1000 levels"))
        let allowed = String(repeating: "[", count: 900) + String(repeating: "]", count: 900)
        check("{\"x\":\(allowed),\"c1\":1}", pair, ["1|NULL"])
        let objects = String(repeating: "{\"a\":", count: 1200) + "1" + String(repeating: "}", count: 1200)
        #expect(outcome(Array("{\"x\":\(objects)}\n{\"c1\":2}".utf8), makeTable(pair), tolerant).first == "2|NULL")
        let digits = String(repeating: "7", count: 10_000)
        check("{\"x\":\(digits),\"c1\":1}", pair, ["1|NULL"])
        #expect(
            outcome(Array("{\"c1\":\(digits)}".utf8), makeTable(pair), json)[0].hasPrefix("1 1222 Overflow for integer")
        )
    }

    @Test func paths() {
        let nested = "{\"jsonpaths\":[\"$.a.b\",\"$['c']['d e'][1]\",\"$.a\"]}"
        let types: [SQLType] = [.integer, .varchar(20), .varchar(60)]
        check(
            "{\"a\":{\"b\":1},\"c\":{\"d e\":[\"x\",\"y\\u0041\"]}}\n{\"c\":null}\n{\"a\":{\"x\":0}}", types,
            ["1|yA|{\"b\":1}", "NULL|NULL|NULL", "NULL|NULL|{\"x\":0}"], paths: nested)
        check("{\"a\":{\"b\":1},\"a\":{}}", types, ["NULL|NULL|{}"], paths: nested)
        check(
            "{\"a\":5}", types, ["1 1216 Invalid JSONPath format: Member is not an object. <:> {\"a\":5}"],
            paths: nested)
        check(
            "{\"c\":{\"d e\":[1]}}", types,
            ["1 1216 Invalid JSONPath format: Array index out of range. <:> {\"c\":{\"d e\":[1]}}"], paths: nested)
        check(
            "{\"c\":{\"d e\":{}}}", types,
            ["1 1216 Invalid JSONPath format: Member is not an array. <:> {\"c\":{\"d e\":{}}}"], paths: nested)
        check(
            "[1,\"a\"] [2,\"b\",3]\n[\n3,\n\"c\"]", pair, ["1|a", "2|b", "3|c"],
            paths: "{\"jsonpaths\":[\"$[0]\",\"$[1]\"]}")
        check(
            "{\"a\":\"x\\ty\"}", [.varchar(9), .varchar(9), .varchar(99)], ["x\ty|x\ty|{\"a\":\"x\\ty\"}"],
            paths: "{\"jsonpaths\":[\"$.a\",\"$['a']\",\"$\"]}")
        // A file without the member "jsonpaths" means 'auto'.
        check("{\"c1\":1}", pair, ["1|NULL"], paths: "{\"paths\":[\"$.a\"]}")
        for (file, message) in [
            ("{\"jsonpaths\":[\"$.a\"]}", "Number of jsonpaths and the number of columns should match"),
            ("{\"jsonpaths\":[\"$.a\",\"$.*\"]}", "Invalid JSONPath format: $.*"),
            ("{\"jsonpaths\":[\"$.a\",\"a\"]}", "Invalid JSONPath format: a"),
            ("{\"jsonpaths\":[\"$.a\",7]}", "must be an array of strings"),
            ("{\"jsonpaths\":7}", "must be an array of strings"),
            ("[]", "must contain one JSON object"), ("{", "is not valid JSON"),
            ("{\"jsonpaths\":[\"$.a\",\"$[99999999999]\"]}", "Invalid JSONPath format"),
        ] {
            let found = outcome([], makeTable(pair), [], paths: file)
            #expect(found.count == 1 && found[0].contains(message), "\(file): \(found)")
        }
    }

    @Test func ignoringCase() throws {
        let options = [RawCopyOption("JSON", [.string("auto ignorecase")])]
        check("{\"C1\":1,\"c2\":\"a\"}{\"c1\":2,\"C2\":\"b\"}", pair, ["1|a", "2|b"], options: options)
        let missing = #expect(throws: SQLError.self) {
            try loadJSON([], makeTable(pair), [RawCopyOption("JSON", [.string("/nothing/here")])], sink: MemorySink())
        }
        #expect(missing?.state == .undefinedFile)
    }

    /// What Python's json has written (Tests/Fixtures/BulkTransfer/make.py), by all ways of cutting and reading.
    @Test func otherWriters() throws {
        let table = makeTable([.integer, .varchar(100), .varchar(60_000)])
        let text = try fixture("values.json")
        let expected = String(decoding: try fixture("values.expected"), as: UTF8.self).split(separator: "\n")
        func hexadecimal(_ datum: Datum) -> String {
            guard case .string(let bytes) = datum else { return "\(datum)" }
            let digits = Array("0123456789abcdef")
            return bytes.map { "\(digits[Int($0 >> 4)])\(digits[Int($0 & 15)])" }.joined()
        }
        for (piece, window, readsBytes) in [(1 << 20, 64 << 10, false), (1 << 20, 1, true), (100, 70, false)] {
            let sink = MemorySink()
            try loadJSON(
                text, table, sink: sink, pieceBytes: piece, windowBytes: window, readsBytes: readsBytes)
            let rows = sink.rows.withLock { rows in
                rows.map { "\(show([$0[0]])) \(hexadecimal($0[1])) \(hexadecimal($0[2]))" }
            }
            #expect(rows.count == expected.count)
            for (row, line) in zip(rows, expected) where row != String(line) {
                Issue.record("\(row) is not \(line)")
                break
            }
        }
    }

    @Test func manyPieces() throws {
        let text = (0..<20_000).map { "{\"c1\":\($0),\"skip\":{\"a\":[\($0)]},\"c2\":\"v\\n\($0)\"}\n" }.joined()
        let sink = MemorySink()
        let result = try loadJSON(Array(text.utf8), makeTable(pair), sink: sink, pieceBytes: 4096)
        #expect(result.rowsLoaded == 20_000 && sink.inOrder.last == "19999|v\n19999")
        let packed = MemorySink()
        try loadJSON(gzip(Array(text.utf8)), makeTable(pair), json + [RawCopyOption("GZIP")], sink: packed)
        #expect(packed.inOrder == sink.inOrder)
    }
}
