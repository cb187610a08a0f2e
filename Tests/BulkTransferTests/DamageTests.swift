import Glibc
import Platform
import SQLTypes
import Testing

@testable import BulkTransfer

/// Files that are cut off or whose bits are wrong: an error or some rows, never a trap. `REDBARN_LONG_TESTS=1` tries
/// many more variants.
enum Damage {
    static let variants = getenv("REDBARN_LONG_TESTS") == nil ? 150 : 5_000

    /// xorshift: the same variants in every run.
    struct Random {
        var state: UInt64
        init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
        mutating func next(_ limit: Int) -> Int {
            state ^= state &<< 13
            state ^= state &>> 7
            state ^= state &<< 17
            return Int(state % UInt64(max(limit, 1)))
        }
    }

    static func variant(_ bytes: [UInt8], _ seed: Int) -> [UInt8] {
        var random = Random(UInt64(seed) + 1)
        var copy = bytes
        if seed % 4 == 0 { copy.removeLast(random.next(copy.count)) }
        for _ in 0..<(seed % 4 == 0 ? random.next(2) : 1 + random.next(4)) where !copy.isEmpty {
            let place = random.next(copy.count)
            switch random.next(4) {
            case 0: copy[place] = UInt8(random.next(256))
            case 1: copy[place] = 0xFF
            default: copy[place] ^= 1 << UInt8(random.next(8))
            }
        }
        return copy
    }
}

func fixture(_ name: String, file: StaticString = #filePath) throws -> [UInt8] {
    let here = "\(file)".split(separator: "/").dropLast(2).joined(separator: "/")
    return try LocalFileSystem().readAll("/" + here + "/Fixtures/BulkTransfer/" + name)
}

@Suite struct DamageTests {
    @Test(arguments: ["GZIP", "BZIP2", "LZOP"]) func compressions(kind: String) throws {
        let text = Array((0..<500).map { "\($0)|value \($0 &* 2_654_435_761)\n" }.joined().utf8)
        let packed =
            kind == "GZIP" ? gzip(text) : kind == "BZIP2" ? bzip2(text) : Array(try fixture("lines_fast.lzo"))
        let options = [RawCopyOption(kind), RawCopyOption("MAXERROR", [.number("100000")])]
        for seed in 0..<Damage.variants {
            do {
                try load(
                    Damage.variant(packed, seed), makeTable([.integer, .varchar(60)]), options, sink: MemorySink())
            } catch is SQLError {} catch is LoadFailure {}
        }
    }

    /// JSON: also the same result from the index, from the reader of bytes, and from small pieces.
    @Test func json() throws {
        let records = [
            #"{"c1":12,"c2":"a\nb\u00e9","x":[1,{"y":null}],"c3":{"k":[true,"z"]}}"#,
            #"{ "c3" : [ ] , "c1" : -5 , "c2" : null }"#, "{\n  \"c1\": 7,\n  \"c2\": \"\\\\\"\n}", #"{}"#,
            #"{"long key of many bytes":"v","c2":"é\"","c1":null,"c1":3}"#,
        ]
        let structural = Array("{}[]:,\"\\ \nntf0-".utf8)
        let options = [RawCopyOption("JSON"), RawCopyOption("MAXERROR", [.number("1000")])]
        let table = makeTable([.integer, .varchar(30), .varchar(60)])
        for seed in 0..<Damage.variants * 4 {
            var random = Damage.Random(UInt64(seed) + 77)
            let text = (0..<6).map { _ in records[random.next(records.count)] + (random.next(4) == 0 ? "" : "\n") }
            var bytes = Array(text.joined().utf8)
            for _ in 0..<random.next(4) {
                let place = random.next(bytes.count)
                let byte = structural[random.next(structural.count)]
                switch random.next(4) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(byte, at: place)
                case 2: bytes[place] = byte
                default: bytes = Damage.variant(bytes, seed)
                }
                if bytes.isEmpty { bytes = [32] }
            }
            let expected = outcome(bytes, table, options, readsBytes: true).sorted()
            let indexed = outcome(bytes, table, options).sorted()
            #expect(indexed == expected, "\(String(decoding: bytes, as: UTF8.self))")
            let window = outcome(bytes, table, options, windowBytes: 1 + random.next(100)).sorted()
            #expect(window == expected, "\(String(decoding: bytes, as: UTF8.self))")
        }
    }
}
