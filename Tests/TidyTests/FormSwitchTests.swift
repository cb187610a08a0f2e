import Testing

/// A `default:` that means "64 bits" reads values of 128 bits, or those of a form that comes later, by a wrong width:
/// silent wrong answers were four times found to be that. Switches over forms say what they read. The rule sees text, so
/// it looks for the least: a `default:` with `Int64.self` behind a case of a narrower form.
struct FormSwitchTests {
    private static let targets: Set<String> = ["BulkTransfer", "ColumnStore", "ColumnVectors", "VectorEngine"]
    private static let narrow = [".uint8", ".uint16", ".int32"]

    private static func problems(in code: [String]) -> [Int] {
        var lastNarrowCase = -100
        var found: [Int] = []
        for (index, line) in code.enumerated() {
            let text = line.drop { $0 == " " }
            if text.hasPrefix("case "), narrow.contains(where: { text.contains($0) }) { lastNarrowCase = index }
            guard text.hasPrefix("default:"), index - lastNarrowCase <= 4 else { continue }
            let body = code[index..<min(index + 3, code.count)]
            if body.contains(where: { $0.contains("Int64.self") }) { found.append(index + 1) }
        }
        return found
    }

    @Test func noDefaultMeans64Bits() throws {
        var all: [String] = []
        for file in try SourceFile.all(below: "Sources") where FormSwitchTests.targets.contains(file.target) {
            all += FormSwitchTests.problems(in: file.code).map { "\(file.path):\($0)" }
        }
        if !all.isEmpty { Issue.record("forms are named, not left to default:\n\(all.joined(separator: "\n"))") }
    }

    @Test func theRuleFindsWhatItShould() {
        #expect(FormSwitchTests.problems(in: ["case .int32: run(Int32.self)", "default: run(Int64.self)"]) == [2])
        #expect(
            FormSwitchTests.problems(in: ["case .int32: run()", "default:", "assert(true)", "run(Int64.self)"]) == [2])
        #expect(FormSwitchTests.problems(in: ["case .int64: run(Int64.self)", "default: run(Int128.self)"]).isEmpty)
        #expect(FormSwitchTests.problems(in: ["case 4: run(UInt32.self)", "default: run(Int64.self)"]).isEmpty)
    }
}
