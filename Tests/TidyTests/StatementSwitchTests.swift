import Testing

/// Switches over statements name every statement: a `default` would let a new one do, without a word, what somebody
/// once found good enough for the others.
struct StatementSwitchTests {
    /// Cases that nothing but ``Statement`` and ``BoundStatement`` has.
    private static let names: Set<String> = [
        ".createTableAs", ".alterTable", ".createView", ".alterView", ".createSchema", ".alterSchema", ".alterDatabase",
        ".declareCursor", ".closeCursor", ".createUser", ".createExternalTable", ".grantRole",
    ]

    /// Lines of `default:` in such switches, counted from 1.
    static func defaults(_ code: [String]) -> [Int] {
        var found: [Int] = []
        /// Indentation of open switches, and whether they are over statements.
        var open: [(indent: Int, isOverStatements: Bool)] = []
        for (index, line) in code.enumerated() {
            let trimmed = line.drop { $0 == " " }
            let indent = line.count - trimmed.count
            while let last = open.last, indent < last.indent || (indent == last.indent && trimmed.hasPrefix("}")) {
                open.removeLast()
            }
            if trimmed.contains("switch "), trimmed.hasSuffix("{") { open.append((indent, false)) }
            guard let last = open.last, last.indent == indent else { continue }
            let pattern = trimmed.prefix { $0 != ":" }
            if trimmed.hasPrefix("case "), names.contains(where: { hasCase(pattern, $0) }) {
                open[open.count - 1].isOverStatements = true
            }
            if trimmed.hasPrefix("default:"), last.isOverStatements { found.append(index + 1) }
        }
        return found
    }

    private static func hasCase(_ line: Substring, _ name: String) -> Bool {
        guard let range = line.firstRange(of: name) else { return false }
        guard let next = line[range.upperBound...].first else { return true }
        return !next.isLetter
    }

    @Test func switchesOverStatementsHaveNoDefault() throws {
        let problems = try SourceFile.all(below: "Sources").flatMap { file in
            Self.defaults(file.code).map { "\(file.path):\($0)" }
        }
        #expect(problems.isEmpty, "name the statements:\n\(problems.joined(separator: "\n"))")
    }

    @Test func theRuleFindsWhatItShould() {
        let code = """
            switch statement {
            case .query: true
            case .createTableAs(let node):
                switch node.kind {
                case .a: 1
                default: 2
                }
            default: false
            }
            """
        #expect(Self.defaults(code.split(separator: "\n").map(String.init)) == [8])
    }
}
