/// Statements as logs may keep them: passwords and keys of object stores are not shown.
package enum SecretRedaction {
    private static let secretWords: Set<String> = [
        "password", "credentials", "secret_access_key", "access_key_id", "session_token", "master_symmetric_key",
        "secret_arn", "token",
    ]
    private static let fillWords: Set<String> = ["as", "with"]

    /// The text with `'***'` in place of every literal that is a secret, and of all that follows what is no SQL.
    package static func redacted(_ text: String) -> String { redacted(text, depth: 0) }

    /// Bodies in bodies so deep are not looked into any more, and not shown.
    private static let deepest = 4

    private static func redacted(_ text: String, depth: Int) -> String {
        guard mayHaveSecret(text) else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var copied = 0
        var end = 0
        bytes.withUnsafeBufferPointer { buffer in
            var lexer = Lexer(buffer)
            var isSecret = false
            var isReplaced = false
            while true {
                guard let token = try? lexer.next() else {
                    result += bytes[copied..<max(copied, end)] + Array("'***'".utf8)
                    copied = bytes.count
                    return
                }
                if token.kind == .endOfInput { return }
                end = token.end
                if token.kind.isString {
                    if !isSecret, token.kind == .dollarString, let body = redactedBody(bytes, token, depth) {
                        result += bytes[copied..<token.start] + body
                        copied = token.end
                    }
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

    /// Of a routine or another text that is SQL itself; nil where nothing in it is a secret.
    private static func redactedBody(_ bytes: [UInt8], _ token: Token, _ depth: Int) -> [UInt8]? {
        guard let tagEnd = bytes[(token.start + 1)..<token.end].firstIndex(of: UInt8(ascii: "$")) else { return nil }
        let tag = tagEnd + 1 - token.start
        guard token.end - token.start >= 2 * tag else { return nil }
        let inside = token.start + tag..<token.end - tag
        let text = String(decoding: bytes[inside], as: UTF8.self)
        let shown = depth < deepest || !mayHaveSecret(text) ? redacted(text, depth: depth + 1) : "***"
        if shown == text { return nil }
        return bytes[token.start..<inside.lowerBound] + Array(shown.utf8) + bytes[inside.upperBound..<token.end]
    }

    /// One pass for the statements that have none: nearly all.
    private static func mayHaveSecret(_ text: String) -> Bool {
        var text = text
        return text.withUTF8 { bytes in
            guard bytes.count > 5 else { return false }
            for index in 0..<bytes.count - 4 {
                // passw..., crede..., _key, token
                switch bytes[index] | 32 {
                case UInt8(ascii: "p"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "a"), bytes[index + 4] | 32 == 119 { return true }
                case UInt8(ascii: "c"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "r"), bytes[index + 3] | 32 == 100 { return true }
                case UInt8(ascii: "k"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "e"), bytes[index + 2] | 32 == 121 { return true }
                case UInt8(ascii: "t"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "o"), bytes[index + 2] | 32 == 107 { return true }
                case UInt8(ascii: "s"):
                    if bytes[index + 1] | 32 == UInt8(ascii: "e"), bytes[index + 2] | 32 == 99 { return true }
                default: continue
                }
            }
            return false
        }
    }
}

extension Statement {
    /// Whether its text may hold what logs must not keep.
    package var mayHoldSecrets: Bool {
        switch self {
        case .createUser, .alterUser, .copy, .copyJob, .unload, .createExternalSchema, .createRoutine, .generic: true
        case .explain(let explain): explain.statement.mayHoldSecrets
        case .prepare(let prepare): prepare.statement.mayHoldSecrets
        case .query, .insert, .update, .delete, .merge, .truncate, .copyOut, .createTable, .createTableAs, .alterTable,
            .createView, .createMaterializedView, .refreshMaterializedView, .alterMaterializedView, .createSchema,
            .alterSchema, .createDatabase, .alterDatabase, .drop, .comment, .analyze, .vacuum, .set, .reset, .show,
            .transaction, .lock, .execute, .deallocate, .declareCursor, .fetch, .closeCursor, .grant, .grantRole,
            .createGroup, .alterGroup, .createRole, .alterRole, .call, .alterProcedure, .createExternalTable, .use,
            .alterSystem, .cancel, .snapshot, .resize:
            false
        }
    }
}
