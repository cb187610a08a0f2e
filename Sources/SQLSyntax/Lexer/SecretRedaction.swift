/// Statements as logs may keep them: passwords and keys of object stores are not shown.
public enum SecretRedaction {
    private static let secretWords: Set<String> = [
        "password", "credentials", "secret_access_key", "access_key_id", "session_token", "master_symmetric_key",
        "secret_arn",
    ]
    private static let fillWords: Set<String> = ["as", "with"]

    /// The text with `'***'` in place of every literal that is a secret.
    public static func redacted(_ text: String) -> String {
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var copied = 0
        bytes.withUnsafeBufferPointer { buffer in
            var lexer = Lexer(buffer)
            var isSecret = false
            var isReplaced = false
            while let token = try? lexer.next(), token.kind != .endOfInput {
                if token.kind.isString {
                    guard isSecret else { continue }
                    result += bytes[copied..<token.start]
                    // Pieces of one literal on several lines become one.
                    if !isReplaced { result += Array("'***'".utf8) }
                    isReplaced = true
                    copied = token.end
                } else if token.kind == .word {
                    let word = String(decoding: bytes[token.start..<token.end], as: UTF8.self).lowercased()
                    if isSecret && !isReplaced && fillWords.contains(word) { continue }
                    isSecret = secretWords.contains(word)
                    isReplaced = false
                } else if token.kind != .equal || isReplaced {
                    isSecret = false
                }
            }
        }
        return String(decoding: result + bytes[copied...], as: UTF8.self)
    }
}

extension Statement {
    /// Whether its text may hold what logs must not keep.
    public var mayHoldSecrets: Bool {
        switch self {
        case .createUser, .alterUser, .copy, .unload, .createExternalSchema, .generic: true
        case .explain(let explain): explain.statement.mayHoldSecrets
        default: false
        }
    }
}
