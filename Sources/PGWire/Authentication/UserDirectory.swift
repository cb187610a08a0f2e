import Platform
import SQLTypes
import Warehouse

/// Who may connect, and how they prove who they are. Asks for a user's stored password at every login, so that changes
/// count at once.
package struct UserDirectory: Sendable {
    package enum Method: String, Sendable, CaseIterable {
        case scram
        case md5
        /// Only sensible over TLS.
        case password
    }
    /// What a client is asked for.
    enum Proof {
        case scram
        case md5
        case password
    }
    package var method = Method.scram
    /// nil for users who cannot log in.
    private let secret: @Sendable (String) -> PasswordSecret?
    /// Makes salts for unknown users that stay the same.
    private let mockSecret: [UInt8]

    /// The users of a warehouse.
    package init(_ warehouse: Warehouse) {
        secret = { warehouse.passwordSecret(of: $0) }
        mockSecret = warehouse.random.bytes(32)
    }
    init(_ random: SharedRandom = SharedRandom(), _ secret: @escaping @Sendable (String) -> PasswordSecret?) {
        self.secret = secret
        mockSecret = random.bytes(32)
    }

    /// Lines of `user:password`, where the password may be a verifier; `#` begins a comment line.
    package static func logins(inFile text: String) throws -> [(user: String, password: String)] {
        var result: [(String, String)] = []
        let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
        for (number, line) in lines.enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line.index(after: colon) < line.endIndex
            else {
                throw SQLError(.invalidParameterValue, "line \(number + 1) of the user file is not user:password")
            }
            result.append((String(line[..<colon]), String(line[line.index(after: colon)...])))
        }
        return result
    }

    /// SCRAM as far as what is stored allows it. A password in clear is asked for over TLS only.
    func proof(of user: String, isEncrypted: Bool) -> Proof {
        if method == .password { return .password }
        switch secret(user) {
        case .scram: return .scram
        case .md5: return .md5
        case .sha256: return isEncrypted ? .password : .scram
        case nil: return method == .md5 ? .md5 : .scram
        }
    }

    /// Keys for an exchange; those of an unknown user are made up.
    func scramKeys(_ user: String) -> (keys: ScramKeys, isReal: Bool) {
        if case .scram(let keys)? = secret(user) { return (keys, true) }
        let salt = Array(ScramKeys.hmac(mockSecret, Array(user.utf8)).prefix(16))
        let key = ScramKeys.hmac(mockSecret, salt)
        var mock = ScramKeys(password: "", salt: salt, iterations: 1)
        mock.iterations = ScramKeys.iterations
        mock.storedKey = key
        mock.serverKey = key
        return (mock, false)
    }

    /// The answer to an MD5 challenge: `md5` and the hex digest of the stored digest and the salt.
    func accepts(md5 answer: String, user: String, salt: [UInt8]) -> Bool {
        let digest: String? = if case .md5(let digest)? = secret(user) { digest } else { nil }
        let stored = digest ?? PasswordSecret.hexMD5(mockSecret)
        let expected = "md5" + PasswordSecret.hexMD5(Array(stored.utf8) + salt)
        return ConstantTime.equal(Array(expected.utf8), Array(answer.utf8)) && digest != nil
    }

    func accepts(password: String, user: String) -> Bool {
        // An unknown user takes as long to refuse as a wrong password.
        let known = secret(user)
        let isRight = (known ?? .scram(scramKeys(user).keys)).accepts(password: password, user: user)
        return isRight && known != nil
    }
}
