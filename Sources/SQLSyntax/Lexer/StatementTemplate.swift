/// A query with its integers taken out, so that texts that differ only there share one plan: `id = 42` becomes
/// `id = $1`. Only integers that are a whole operand of a comparison are taken: anywhere else a number may be part of
/// the statement's meaning (LIMIT, ORDER BY 1, lengths of types).
package struct StatementTemplate: Sendable {
    /// The text with `$1`, `$2` ... in place of the literals.
    package let text: String
    package let literals: [Int64]
    /// The statement's bytes in the original text, without blanks and `;`.
    package let byteRange: Range<Int>

    private static let maximumBytes = 64 << 10
    private static let maximumLiterals = 64

    /// nil for everything but a single query without parameters of its own.
    package init?(_ sql: String) {
        guard sql.utf8.count <= StatementTemplate.maximumBytes else { return nil }
        var sql = sql
        let scanned = sql.withUTF8 { bytes -> (text: [UInt8]?, literals: [Int64], range: Range<Int>)? in
            var scan = TemplateScan(bytes)
            guard scan.run() else { return nil }
            return (scan.literals.isEmpty ? nil : scan.text(), scan.literals.map(\.value), scan.range)
        }
        guard let scanned else { return nil }
        text = scanned.text.map { String(decoding: $0, as: UTF8.self) } ?? sql
        literals = scanned.literals
        byteRange = scanned.range
    }

    /// One pass over the tokens.
    private struct TemplateScan {
        struct Literal {
            var value: Int64
            var range: Range<Int>
        }
        let bytes: UnsafeBufferPointer<UInt8>
        var lexer: Lexer
        var literals: [Literal] = []
        var range = 0..<0
        /// Behind `BETWEEN 1`: the AND to come belongs to it.
        private var isInsideBetween = false

        init(_ bytes: UnsafeBufferPointer<UInt8>) {
            self.bytes = bytes
            lexer = Lexer(bytes)
        }

        private mutating func next() -> Token? { try? lexer.next() }

        mutating func run() -> Bool {
            guard var token = next(), token.keyword == .select || token.keyword == .with else {
                return false
            }
            let start = Int(token.offset)
            var end = start
            var previous = token
            while token.kind != .endOfInput {
                if token.kind == .semicolon {
                    guard let last = next(), last.kind == .endOfInput else { return false }
                    break
                }
                if token.kind == .parameter { return false }
                guard let following = next() else { return false }
                if token.kind == .integer { take(token, after: previous, before: following) }
                end = Int(token.offset) + Int(token.length)
                (previous, token) = (token, following)
            }
            range = start..<end
            return literals.count <= StatementTemplate.maximumLiterals
        }

        private mutating func take(_ token: Token, after previous: Token, before following: Token) {
            let opensBetween = previous.keyword == .between && following.keyword == .and
            let closesBetween = previous.keyword == .and && isInsideBetween
            isInsideBetween = false
            guard opensBetween || ((closesBetween || previous.isComparison) && following.endsOperand),
                token.length <= 18
            else { return }
            isInsideBetween = opensBetween
            let place = Int(token.offset)..<Int(token.offset) + Int(token.length)
            var value: Int64 = 0
            for index in place { value = value &* 10 &+ Int64(bytes[index] &- UInt8(ascii: "0")) }
            literals.append(Literal(value: value, range: place))
        }

        func text() -> [UInt8] {
            var result: [UInt8] = []
            result.reserveCapacity(bytes.count + literals.count * 2)
            var from = 0
            for (index, literal) in literals.enumerated() {
                result += bytes[from..<literal.range.lowerBound]
                result.append(UInt8(ascii: "$"))
                result += String(index + 1).utf8
                from = literal.range.upperBound
            }
            result += bytes[from...]
            return result
        }
    }
}

extension Token {
    fileprivate var isComparison: Bool {
        switch kind {
        case .equal, .notEqual, .less, .lessOrEqual, .greater, .greaterOrEqual: true
        default: false
        }
    }

    /// Nothing that binds more tightly than a comparison may follow.
    fileprivate var endsOperand: Bool {
        switch kind {
        case .endOfInput, .semicolon, .rightParenthesis: true
        case .word:
            switch keyword {
            case .and, .or, .group, .order, .limit, .having, .union: true
            default: false
            }
        default: false
        }
    }
}
