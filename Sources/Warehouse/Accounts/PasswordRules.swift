import Catalog
import Platform
import SQLTypes

/// From the PASSWORD of a statement to what is kept of it.
enum PasswordRules {
    static let lengths = 8...64
    private static let forbidden = Set("'\"\\/@ ".utf8)

    /// `md5...`, `sha256|digest|salt` and SCRAM verifiers are kept as they are; anything else is a password in clear,
    /// `sha256|password` included, and becomes a SCRAM verifier or, where the session asks for it, an MD5 digest.
    ///
    /// - Parameter encryption: of passwords in clear, the value of `password_encryption`.
    static func verifier(_ text: String, user: String, encryption: String, _ random: SharedRandom) throws
        -> PasswordVerifier
    {
        if PasswordSecret(stored: text) != nil { return PasswordVerifier(stored: text) }
        if text.hasPrefix("md5") && text.utf8.count == 35 {
            throw SQLError(.invalidParameterValue, "invalid MD5 hash of a password")
        }
        let password = text.hasPrefix("sha256|") ? String(text.dropFirst(7)) : text
        try check(password)
        if encryption == "md5" && password == text {
            return PasswordVerifier(stored: "md5" + PasswordSecret.hexMD5(Array((password + user).utf8)))
        }
        return PasswordVerifier(stored: ScramKeys(password: password, salt: random.bytes(16)).stored)
    }

    private static func check(_ password: String) throws {
        let bytes = Array(password.utf8)
        guard lengths.contains(bytes.count) else {
            throw refused("it must be \(lengths.lowerBound) to \(lengths.upperBound) characters long")
        }
        // Letters of other scripts are allowed beside what is documented, as clusters do.
        guard bytes.allSatisfy({ $0 > 126 ? $0 != 127 : $0 > 32 && !forbidden.contains($0) }) else {
            throw refused("it may contain printable characters except ' \" \\ / @ and blanks")
        }
        let kinds: [(ClosedRange<UInt8>, String)] = [
            (65...90, "an uppercase letter"), (97...122, "a lowercase letter"), (48...57, "a number"),
        ]
        for (range, name) in kinds where !bytes.contains(where: { range.contains($0) }) {
            throw refused("it must contain at least \(name)")
        }
    }

    private static func refused(_ reason: String) -> SQLError {
        SQLError(
            .invalidParameterValue, "the password does not meet the rules: \(reason)",
            hint: "Passwords have 8 to 64 characters with an uppercase letter, a lowercase letter and a number.")
    }
}
