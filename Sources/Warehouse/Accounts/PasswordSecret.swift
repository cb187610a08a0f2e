import Catalog
import Platform
import SQLTypes

/// A stored password, ready to check logins against.
package enum PasswordSecret: Sendable {
    case scram(ScramKeys)
    /// Hexadecimal MD5 of password and user name.
    case md5(String)
    /// Hexadecimal SHA-256 of password and salt.
    case sha256(digest: String, salt: String)

    /// nil for texts of no known form.
    package init?(stored: String) {
        if let keys = ScramKeys(stored: stored) {
            self = .scram(keys)
        } else if let digest = PasswordSecret.md5Digest(stored) {
            self = .md5(digest)
        } else if stored.hasPrefix("sha256|") {
            let parts = stored.split(separator: "|", omittingEmptySubsequences: false)
            guard (2...3).contains(parts.count), PasswordSecret.isHexadecimal(parts[1], 64) else { return nil }
            self = .sha256(digest: parts[1].lowercased(), salt: parts.count == 3 ? String(parts[2]) : "")
        } else {
            return nil
        }
    }

    /// The digest of `md5...`; nil for other texts.
    static func md5Digest(_ text: String) -> String? {
        guard text.hasPrefix("md5"), isHexadecimal(text.dropFirst(3), 32) else { return nil }
        return String(text.dropFirst(3)).lowercased()
    }

    static func isHexadecimal(_ text: some StringProtocol, _ count: Int) -> Bool {
        text.utf8.count == count && text.utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0 | 32) }
    }

    /// Whether a password that came over the wire is the right one. Takes as long for a wrong one.
    package func accepts(password: String, user: String) -> Bool {
        switch self {
        case .scram(let keys):
            let given = ScramKeys(password: password, salt: keys.salt, iterations: keys.iterations)
            return ConstantTime.equal(given.storedKey, keys.storedKey)
        case .md5(let digest):
            let given = PasswordSecret.hexMD5(Array((password + user).utf8))
            return ConstantTime.equal(Array(given.utf8), Array(digest.utf8))
        case .sha256(let digest, let salt):
            let given = HexadecimalText.text(Digest.sha256(Array((password + salt).utf8)))
            return ConstantTime.equal(Array(given.utf8), Array(digest.utf8))
        }
    }

    package static func hexMD5(_ bytes: [UInt8]) -> String { HexadecimalText.text(Digest.md5(bytes)) }
}
