import SQLTypes
import Testing

@testable import BulkTransfer

/// Pieces of any size must give the rows and error lines of reading byte by byte from the start.
@Suite struct SplittingTests {
    /// Delimited text without quotes, as simple as it gets.
    private func naive(_ text: String) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
    }

    @Test(arguments: Array(1...64)) func plainPieces(bytes: Int) throws {
        var text = ""
        for row in 0..<60 { text += "\(row * 7919)|\(String(repeating: "x", count: row % 23))\n" }
        let table = makeTable([.integer, .varchar(50)])
        let sink = MemorySink()
        let result = try load(
            Array(text.utf8), table, sink: sink, pieceBytes: bytes, windowBytes: 65 - bytes, workers: 2)
        #expect(sink.sorted == naive(text).sorted())
        #expect(result.rowsScanned == 60)
    }

    @Test(arguments: Array(1...64)) func errorLines(bytes: Int) throws {
        var text = "h\n"
        var bad: [Int] = []
        for row in 0..<50 {
            if row % 7 == 3 { bad.append(row + 2) }
            text += row % 7 == 3 ? "oops|1\n" : "\(row)|\(row)\n"
        }
        let options = [RawCopyOption("MAXERROR", [.number("100")]), RawCopyOption("IGNOREHEADER", [.number("1")])]
        for (compressed, extra) in [(false, []), (true, [RawCopyOption("ESCAPE")])] {
            let sink = MemorySink()
            let result = try load(
                Array(text.utf8), makeTable([.integer, .integer]), options + extra, sink: sink, pieceBytes: bytes,
                windowBytes: bytes, workers: 2)
            #expect(result.errors.map(\.line) == bad, "stream \(compressed)")
        }
    }

    /// Fields from a small alphabet, written as CSV; the parser must give them back.
    @Test(arguments: Array(1...64)) func quotedPieces(bytes: Int) throws {
        var random = SeededNumbers(state: UInt64(bytes) &* 0x9E37_79B9_7F4A_7C15)
        let pieces = ["a", "\"", ",", "\n", "bb", "\r\n", " ", ""]
        var text = ""
        var expected: [String] = []
        for row in 0..<40 {
            let field = (0..<random.next(6)).map { _ in pieces[random.next(pieces.count)] }.joined()
            let special = field.unicodeScalars.contains { ["\"", ",", "\n", "\r"].contains($0) }
            let quoted = special || random.next(2) == 0
            var written = ""
            for scalar in field.unicodeScalars {
                written.unicodeScalars.append(scalar)
                if scalar == "\"" { written += "\"" }
            }
            text += "\(row)," + (quoted ? "\"\(written)\"" : field) + "\n"
            expected.append("\(row)|\(field)")
        }
        let sink = MemorySink()
        try load(
            Array(text.utf8), makeTable([.integer, .varchar(100)]), [RawCopyOption("CSV")], sink: sink,
            pieceBytes: bytes, windowBytes: bytes, workers: 2)
        #expect(sink.sorted == expected.sorted())
    }

    /// Any bytes at all: quotes in wrong places give errors, but never other rows than with one large piece.
    @Test(arguments: Array(1...64)) func wildQuotes(bytes: Int) throws {
        var random = SeededNumbers(state: UInt64(bytes) &* 0xD1B5_4A32_D192_ED03)
        let alphabet = Array("a\",\n1".utf8)
        let text = (0..<400).map { _ in alphabet[random.next(alphabet.count)] }
        let options = [RawCopyOption("CSV"), RawCopyOption("IGNOREALLERRORS")]
        let whole = MemorySink()
        let table = makeTable([.varchar(500), .varchar(500)])
        let expected = try load(text, table, options, sink: whole)
        let sink = MemorySink()
        let result = try load(
            text, table, options, sink: sink, pieceBytes: bytes, windowBytes: bytes, workers: 2)
        #expect(sink.sorted == whole.sorted)
        #expect(result.errors.map(\.line) == expected.errors.map(\.line))
        #expect(naiveCSV(text) == whole.inOrder)
    }

    /// A state machine over single bytes; rows that are not two well-formed fields are left out.
    private func naiveCSV(_ text: [UInt8]) -> [String] {
        var rows: [String] = []
        var index = 0
        while index < text.count {
            var fields: [[UInt8]] = [[]]
            var good = true
            var atStart = true
            while index < text.count && text[index] != 10 {
                let byte = text[index]
                index += 1
                if byte == UInt8(ascii: ",") {
                    fields.append([])
                    atStart = true
                } else if byte == UInt8(ascii: "\"") && atStart {
                    atStart = false
                    var closed = false
                    while index < text.count && !closed {
                        if text[index] != UInt8(ascii: "\"") {
                            fields[fields.count - 1].append(text[index])
                        } else if index + 1 < text.count && text[index + 1] == UInt8(ascii: "\"") {
                            fields[fields.count - 1].append(text[index])
                            index += 1
                        } else {
                            closed = true
                        }
                        index += 1
                    }
                    let next = index < text.count ? text[index] : 10
                    if !closed || (next != 10 && next != UInt8(ascii: ",")) { good = false }
                } else {
                    atStart = false
                    if byte == UInt8(ascii: "\"") { good = false }
                    fields[fields.count - 1].append(byte)
                }
            }
            index += 1
            if fields.count == 3 && fields[2].isEmpty && text[index - 2] == UInt8(ascii: ",") { fields.removeLast() }
            if good && fields.count == 2 {
                rows.append(fields.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "|"))
            }
        }
        return rows
    }
}

/// A small reproducible generator.
struct SeededNumbers {
    var state: UInt64
    mutating func next(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(bound))
    }
}
