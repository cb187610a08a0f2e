/// Cuts a shell's input into statements and tells what is missing, without parsing. Works on incomplete text.
package struct StatementSplitter: Sendable {
    /// What the text behind the last `;` is.
    package enum Remainder: Sendable, Hashable {
        /// Blanks and comments only.
        case empty
        /// A statement without its `;`.
        case missingSemicolon
        case openString
        case openName
        case openComment
        case openDollarQuote
    }
    /// Byte ranges of complete statements, without the `;`, leading blanks and comments.
    package let statements: [Range<Int>]
    /// What is left over behind the last `;`.
    package let rest: Range<Int>
    package let remainder: Remainder

    package var isComplete: Bool { remainder == .empty }

    package init(_ text: String) { self.init(Array(text.utf8)) }

    package init(_ bytes: [UInt8]) {
        self = bytes.withUnsafeBufferPointer { Self(scanning: $0) }
    }

    private init(scanning bytes: UnsafeBufferPointer<UInt8>) {
        var lexer = Lexer(bytes)
        var statements: [Range<Int>] = []
        var first: Int?
        var lastEnd = 0
        var restStart = 0
        var remainder = Remainder.empty
        scan: while true {
            do throws(Lexer.Failure) {
                let token = try lexer.next()
                if token.kind == .endOfInput {
                    remainder = first == nil ? .empty : .missingSemicolon
                    break scan
                }
                if token.kind == .semicolon {
                    if let start = first { statements.append(start..<lastEnd) }
                    first = nil
                    restStart = token.end
                } else {
                    first = first ?? token.start
                    lastEnd = token.end
                }
            } catch {
                if case .emptyName = error {
                    first = first ?? lexer.offset
                    lastEnd = lexer.offset
                    continue scan
                }
                remainder = Self.remainder(error)
                break scan
            }
        }
        self.statements = statements
        self.remainder = remainder
        rest = restStart..<bytes.count
    }

    private static func remainder(_ failure: Lexer.Failure) -> Remainder {
        switch failure {
        case .openString: .openString
        case .openName, .emptyName: .openName
        case .openComment: .openComment
        case .openDollarQuote: .openDollarQuote
        }
    }
}
