import Foundation
import SQLTypes
import Testing

@testable import SQLSyntax

/// Mutated statements from Tests/Fuzz/sql.txt: an error of the right kind, or a tree that survives printing.
struct FuzzTests {
    private static let corpus = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Fuzz/sql.txt")
    private static let environment = ProcessInfo.processInfo.environment
    private static let rounds = environment["REDBARN_FUZZ_ROUNDS"].flatMap { Int($0) } ?? 5_000
    private static let seed = environment["REDBARN_FUZZ_SEED"].flatMap { UInt64($0) } ?? 1

    private struct Random {
        var state: UInt64
        mutating func below(_ limit: Int) -> Int {
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return Int(state % UInt64(limit))
        }
    }

    /// Words and characters change places: most results are nearly SQL.
    private func mutated(_ corpus: [String], _ random: inout Random) -> String {
        var words = corpus[random.below(corpus.count)].split(separator: " ").map(String.init)
        for _ in 0...random.below(4) {
            let place = random.below(words.count + 1)
            let other = corpus[random.below(corpus.count)].split(separator: " ")
            switch random.below(6) {
            case 0 where place < words.count: words.remove(at: place)
            case 1 where place < words.count: words[place] = String(other[random.below(other.count)])
            case 2: words.insert(String(other[random.below(other.count)]), at: place)
            case 3 where place < words.count: words.swapAt(place, random.below(words.count))
            case 4 where place < words.count:
                var bytes = Array(words[place].utf8)
                bytes[random.below(bytes.count)] = UInt8(32 + random.below(95))
                words[place] = String(decoding: bytes, as: UTF8.self)
            default:
                words.insert(
                    ["(", ")", ",", "'", "\"", ";", "$1", "::", "--", "/*", "é"][random.below(11)], at: place)
            }
            if words.isEmpty { words = ["select"] }
        }
        return words.joined(separator: " ")
    }

    private func check(_ sql: String) {
        let statements: [ParsedStatement]
        do {
            statements = try Parser.parse(sql)
        } catch {
            let state = SQLError(error).state.code
            #expect(["42", "54", "22", "0A"].contains(String(state.prefix(2))), "\(sql): \(state)")
            return
        }
        for statement in statements {
            let printed = SQLPrinter.print(statement.statement)
            let again = try? Parser.parse(printed)
            #expect(again?.first?.statement == statement.statement, "\(sql)\n\(printed)")
        }
        checkTemplate(sql)
    }

    /// The literals put back give the text that they were taken from.
    private func checkTemplate(_ sql: String) {
        guard let template = StatementTemplate(sql) else { return }
        var text = template.text
        for (index, literal) in template.literals.enumerated().reversed() {
            text = text.replacing("$\(index + 1)", with: String(literal), maxReplacements: 1)
        }
        #expect(template.literals.isEmpty ? text == sql : text.utf8.count <= sql.utf8.count, "\(sql)")
        #expect((try? Parser.parse(template.text))?.count == 1, "\(sql)")
    }

    @Test func statements() throws {
        let text = try String(contentsOf: FuzzTests.corpus, encoding: .utf8)
        let corpus = text.split(separator: "\n").map { String($0).replacing("\\\\", with: "\\") }
        try #require(corpus.count > 20)
        var random = Random(state: FuzzTests.seed &* 0x9E37_79B9_7F4A_7C15 | 1)
        for sql in corpus { check(sql) }
        for _ in 0..<FuzzTests.rounds { check(mutated(corpus, &random)) }
    }
}
