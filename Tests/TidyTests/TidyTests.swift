import Foundation
import Testing

/// Habits of the code base that a compiler does not check.
struct TidyTests {
    private let sources: [SourceFile]
    private static let longestFile = 1_000
    private static let longestFunction = 80
    private static let longestLine = 120

    /// Places where a broken promise of our own code may stop the process. User data must never lead here.
    private static let stopsAllowed: [String: String] = [
        "Sources/ColumnStore/Cache/CacheArena.swift":
            "its accounting of free pages is wrong: going on would corrupt blocks"
    ]

    private static let read = Result { try SourceFile.all(below: "Sources") }

    init() throws { sources = try TidyTests.read.get() }

    private func expectNone(_ problems: [String], _ rule: String) {
        if problems.isEmpty { return }
        Issue.record("\(rule); \(problems.count) do not:\n\(problems.prefix(40).joined(separator: "\n"))")
    }

    /// `path:line` of code lines that hold a text.
    private func places(of text: String, in files: [SourceFile]) -> [String] {
        files.flatMap { file in
            file.code.indices.filter { file.code[$0].contains(text) }.map { "\(file.path):\($0 + 1)" }
        }
    }

    @Test func findsTheSources() { #expect(sources.count > 100) }

    @Test func filesAreShort() throws {
        let files = try sources + SourceFile.all(below: "Tests")
        expectNone(
            files.filter { $0.lines.count > TidyTests.longestFile + 1 }.map { "\($0.path): \($0.lines.count)" },
            "files have at most 1,000 lines")
    }

    @Test func linesAreShort() {
        expectNone(
            sources.flatMap { file in
                file.lines.indices.filter {
                    file.lines[$0].utf8.count > TidyTests.longestLine
                        && file.lines[$0].count > TidyTests.longestLine
                }.map { "\(file.path):\($0 + 1)" }
            }, "lines have at most 120 characters")
    }

    @Test func functionsAreShort() {
        var problems: [String] = []
        for file in sources {
            for (line, length) in functionLengths(file.code) where length > TidyTests.longestFunction {
                problems.append("\(file.path):\(line + 1): \(length) lines")
            }
        }
        expectNone(problems, "functions have at most 80 lines")
    }

    /// First line and length of every function and initializer.
    private func functionLengths(_ code: [String]) -> [(Int, Int)] {
        var found: [(Int, Int)] = []
        var open: [(start: Int, depth: Int)] = []
        var waiting: Int?
        var depth = 0
        var parentheses = 0
        for (number, line) in code.enumerated() {
            if waiting == nil && declaresFunction(line) {
                waiting = number
                parentheses = 0
            }
            for byte in line.utf8 {
                switch byte {
                case UInt8(ascii: "("): parentheses += 1
                case UInt8(ascii: ")"): parentheses -= 1
                case UInt8(ascii: "{"):
                    if let start = waiting, parentheses <= 0 {
                        open.append((start, depth))
                        waiting = nil
                    }
                    depth += 1
                case UInt8(ascii: "}"):
                    depth -= 1
                    if let last = open.last, last.depth == depth {
                        found.append((last.start, number - last.start + 1))
                        open.removeLast()
                    }
                    // A protocol's requirement has no body: the protocol ends before one comes.
                    waiting = nil
                default: break
                }
            }
        }
        return found
    }

    private func declaresFunction(_ line: String) -> Bool {
        let words = line.split { !($0.isLetter || $0.isNumber || $0 == "_" || $0 == ".") }
        guard let place = words.firstIndex(where: { $0 == "func" || $0 == "init" }) else { return false }
        let modifiers: Set<Substring> = [
            "public", "private", "fileprivate", "internal", "package", "static", "final", "override", "mutating",
            "convenience", "required", "inline", "__always", "never", "inlinable", "discardableResult", "Sendable",
            "nonisolated", "class", "isolated", "unsafe", "Test", "usableFromInline", "specialize", "escaping",
        ]
        return words[..<place].allSatisfy { modifiers.contains($0) }
    }

    /// The printer of SQL has functions of that name.
    @Test func librariesDoNotPrint() {
        let libraries = sources.filter {
            !["RedbarnCommand", "RedbarnSLT"].contains($0.target) && !$0.path.hasPrefix("Sources/SQLSyntax/Printer/")
        }
        let problems = libraries.flatMap { file in
            file.code.indices.filter { line in
                file.code[line].contains("print(") && file.code[line].firstMatch(of: /(^|[^.\w])print\(/) != nil
            }.map { "\(file.path):\($0 + 1)" }
        }
        expectNone(problems, "only commands print")
    }

    @Test func nothingIsForced() {
        expectNone(places(of: "try!", in: sources), "errors are handled, not forced")
        expectNone(places(of: "as!", in: sources), "casts are checked, not forced")
    }

    @Test func processesAreNotStopped() {
        let files = sources.filter { TidyTests.stopsAllowed[$0.path] == nil }
        let problems = places(of: "fatalError(", in: files) + places(of: "preconditionFailure(", in: files)
        expectNone(problems, "problems are thrown; a place that must stop is listed with its reason")
    }

    /// Each look wraps such a function twice more, see ``MemoryBudget``.
    @Test func locksHoldNoBareFunctions() {
        expectNone(places(of: "Lock<(@", in: sources) + places(of: "Lock<((", in: sources), "locks hold structures")
    }

    @Test func todosSayWhy() {
        expectNone(
            sources.flatMap { file in
                file.lines.indices.filter { index in
                    guard let place = file.lines[index].range(of: "TODO") else { return false }
                    return file.lines[index][place.upperBound...].count < 12
                }.map { "\(file.path):\($0 + 1)" }
            }, "a TODO says what is missing and why")
    }

    @Test func uncheckedSendableIsExplained() {
        expectNone(
            sources.flatMap { file in
                file.code.indices.filter { index in
                    guard file.code[index].contains("@unchecked Sendable") else { return false }
                    let before = index > 0 ? file.lines[index - 1].trimmingCharacters(in: .whitespaces) : ""
                    return !file.lines[index].contains("//") && !before.hasPrefix("//")
                }.map { "\(file.path):\($0 + 1)" }
            }, "@unchecked Sendable has a comment that says what makes it safe")
    }

    @Test func targetsExplainThemselves() throws {
        let manager = FileManager.default
        let folder = SourceFile.root.appendingPathComponent("Sources")
        var problems: [String] = []
        for name in try manager.contentsOfDirectory(atPath: folder.path) where Set(sources.map(\.target)).contains(name)
        {
            let readme = folder.appendingPathComponent(name).appendingPathComponent("README.md")
            let length = (try? String(contentsOf: readme, encoding: .utf8))?.count ?? 0
            if length < 200 { problems.append("Sources/\(name)/README.md") }
        }
        expectNone(problems, "each target has a README")
    }
}
