import Testing

@testable import SQLTypes

/// SUPER's binary form: what is written is read, and damaged bytes are an error or another value, never more.
@Suite struct SuperFormTests {
    private func bytes(_ json: String) throws -> [UInt8] {
        let builder = SuperBuilder()
        try Array(json.utf8).withUnsafeBufferPointer { try SuperParser.parse($0, into: builder) }
        return Array(builder.bytes)
    }

    private func text(_ bytes: [UInt8]) throws -> String {
        let buffer = TextBuffer()
        try bytes.withUnsafeBufferPointer { try SuperText.append(SuperView($0), to: buffer) }
        return buffer.string
    }

    private func key(_ json: String) throws -> [UInt8] {
        let buffer = TextBuffer()
        try bytes(json).withUnsafeBufferPointer { try SuperKey.append(SuperView($0), to: buffer) }
        return buffer.array
    }

    private static let documents: [String] = [
        "null", "true", "false", "0", "-1", "127", "128", "-32768", "40000", "-3000000000", "9223372036854775807",
        "1.5", "-0.001", "99999999999999999999999999999999999999", "1e+100", "0.1", "\"\"", "\"a\\\"b\\\\c\\n\"",
        "[]", "{}", "[[],[[]],{}]", "{\"b\":1,\"a\":{\"c\":[1,2,{\"d\":null}]},\"\":[]}",
        "[" + Array(repeating: "12", count: 300).joined(separator: ",") + "]",
        "{" + (0..<300).map { "\"key\($0)\":\($0)" }.joined(separator: ",") + "}",
        "[\"" + String(repeating: "x", count: 70_000) + "\",1]",
    ]

    @Test(arguments: documents) func readsWhatItWrote(_ json: String) throws {
        #expect(try text(bytes(json)) == json)
        #expect(try bytes(text(bytes(json))) == bytes(json))
    }

    @Test func membersAreFoundByName() throws {
        for count in [0, 1, 3, 4, 5, 8, 100, 1_000] {
            let json = "{" + (0..<count).map { "\"k\($0 * 7 % 1_009)\":\($0)" }.joined(separator: ",") + "}"
            try bytes(json).withUnsafeBufferPointer { pointer in
                let container = try SuperView(pointer).container()
                for index in 0..<count {
                    let found = try Array("k\(index * 7 % 1_009)".utf8).withUnsafeBufferPointer {
                        try container.member($0)?.integer()
                    }
                    #expect(found == Int64(index))
                }
                #expect(try Array("none".utf8).withUnsafeBufferPointer { try container.member($0) } == nil)
            }
        }
    }

    @Test func keysAreOrderedAsValues() throws {
        let ordered = [
            "null", "false", "true", "-1e300", "-1234567890123456789012", "-10", "-9.99", "-1", "-0.5", "-1e-300", "0",
            "1e-300", "0.001", "0.5", "0.50001", "1", "1.5", "9", "10", "99999999999999999999", "1e300", "\"\"",
            "\"a\"",
            "\"aa\"", "\"b\"", "[]", "[null]", "[1]", "[1,1]", "[2]", "[\"a\"]", "{}", "{\"a\":1}", "{\"a\":1,\"b\":0}",
            "{\"a\":2}", "{\"b\":0}",
        ]
        let keys = try ordered.map(key)
        for index in 1..<keys.count {
            #expect(
                keys[index - 1].lexicographicallyPrecedes(keys[index]), "\(ordered[index - 1]) before \(ordered[index])"
            )
        }
        for (one, other) in [
            ("1", "1.0"), ("1", "1e0"), ("0", "-0.0"), ("0.1", "1e-1"), ("100", "1e2"), ("[1.0]", "[1]"),
            ("{\"a\":1,\"b\":2}", "{\"b\":2.0,\"a\":1}"), ("12300", "1.23e4"), ("-5", "-5.00"),
        ] {
            #expect(try key(one) == key(other), "\(one) and \(other)")
        }
    }

    /// Everything that anybody does with a value; errors are fine.
    private func use(_ bytes: [UInt8]) {
        let buffer = TextBuffer()
        let builder = SuperBuilder()
        bytes.withUnsafeBufferPointer { pointer in
            let view = SuperView(pointer)
            func attempt(_ body: () throws -> Void) { do { try body() } catch {} }
            attempt { try SuperText.append(view, to: buffer) }
            attempt { try SuperKey.append(view, to: buffer) }
            attempt { _ = try view.depth() }
            attempt { _ = try SuperKey.order(view, view, buffer) }
            attempt { _ = try SuperArithmetic.append(.multiply, view, view, to: builder) }
            for type in [SQLType.integer, .decimal(precision: 10, scale: 2), .double, .varchar(10), .date, .boolean] {
                attempt { _ = try SuperCasts.datum(view, to: type, { DatetimeContext() }) }
            }
            attempt {
                let container = try view.container()
                for index in -1...min(container.count, 400) {
                    attempt { _ = try container.value(index).kind() }
                    attempt { _ = try container.name(index) }
                    attempt { _ = try container.ordered(index) }
                }
                attempt { _ = try Array("key7".utf8).withUnsafeBufferPointer { try container.member($0)?.kind() } }
            }
        }
    }

    @Test func damagedValuesAreErrors() throws {
        var generator = SystemRandomNumberGenerator()
        for json in Self.documents where json.utf8.count < 5_000 {
            let whole = try bytes(json)
            for place in whole.indices.prefix(600) {
                for value in [0, 1, 0x7F, 0x80, 0xFF, whole[place] ^ 0x10] {
                    var copy = whole
                    copy[place] = value
                    use(copy)
                }
            }
            for end in 0..<min(whole.count, 300) { use(Array(whole[..<end])) }
        }
        for _ in 0..<20_000 {
            let length = Int.random(in: 0...40, using: &generator)
            use((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
            var container = [UInt8]((0..<length).map { _ in UInt8.random(in: 0...12, using: &generator) })
            if !container.isEmpty { container[0] = [7, 8, 0x17, 0x18, 0x27, 0x28][length % 6] }
            use(container)
        }
    }

    @Test func invalidUTF8IsNoJSON() {
        let builder = SuperBuilder()
        for bad: [UInt8] in [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80], [0],
        ] {
            let text = [0x22] + bad + [0x22]
            #expect(text.withUnsafeBufferPointer { !SuperParser.accepts($0, builder) })
            #expect(bad.withUnsafeBufferPointer { !SuperParser.accepts($0, builder) })
        }
    }

    @Test func valuesHaveALimit() throws {
        let builder = SuperBuilder()
        let half = [UInt8](repeating: 0x61, count: SuperForm.maximumBytes / 2)
        let long = [0x22] + half + half + half + [0x22]
        #expect(throws: SQLError.self) { try long.withUnsafeBufferPointer { try SuperParser.parse($0, into: builder) } }
        let fits = [0x22] + half + [0x22]
        try fits.withUnsafeBufferPointer { try SuperParser.parse($0, into: builder) }
        #expect(builder.bytes.count == half.count + 1)
    }
}
