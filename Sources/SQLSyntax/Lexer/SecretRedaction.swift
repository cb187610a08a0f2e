/// Statements as logs may keep them: passwords and keys of object stores are not shown.
package enum SecretRedaction {
    private static let secretWords: Set<String> = [
        "password", "credentials", "secret_access_key", "access_key_id", "session_token", "master_symmetric_key",
        "secret_arn", "token",
    ]
    private static let fillWords: Set<String> = ["as", "with"]

    /// The text with `'***'` in place of every literal that is a secret, and of all that follows what is no SQL.
    package static func redacted(_ text: String) -> String {
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
        case .createUser, .alterUser, .copy, .copyJob, .unload, .createExternalSchema, .generic: true
        case .explain(let explain): explain.statement.mayHoldSecrets
        case .prepare(let prepare): prepare.statement.mayHoldSecrets
        case .query, .insert, .update, .delete, .merge, .truncate, .copyOut, .createTable, .createTableAs, .alterTable,
            .createView, .createMaterializedView, .refreshMaterializedView, .alterMaterializedView, .createSchema,
            .alterSchema, .createDatabase, .alterDatabase, .drop, .comment, .analyze, .vacuum, .set, .reset, .show,
            .transaction, .lock, .execute, .deallocate, .declareCursor, .fetch, .closeCursor, .grant, .grantRole,
            .createGroup, .alterGroup, .createRole, .alterRole, .call, .createRoutine, .createExternalTable, .use,
            .alterSystem, .cancel, .snapshot, .resize:
            false
        }
    }
}
