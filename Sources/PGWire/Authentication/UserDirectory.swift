import Crypto
import SQLTypes

/// Who may connect, and how they prove who they are.
public struct UserDirectory: Sendable {
    public enum Method: String, Sendable, CaseIterable {
        case scram
        case md5
        /// Only sensible over TLS.
        case password
    }
    struct Secret: Sendable {
        var scram: ScramKeys
        /// `md5(password + user)` in hex; nil when only SCRAM keys are known.
        var md5: String?
    }
    private var secrets: [String: Secret] = [:]
    /// Makes salts for unknown users that stay the same.
    private let mockSecret: [UInt8]
    public var method = Method.scram

    public init() { mockSecret = RandomBytes.make(32) }

    public var isEmpty: Bool { secrets.isEmpty }
    public var users: [String] { secrets.keys.sorted() }

    /// Lines of `user:password` or `user:SCRAM-SHA-256$...`; `#` begins a comment line.
    public init(text: String) throws {
        self.init()
        for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let line = line.last == "\r" ? line.dropLast() : line
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let colon = line.firstIndex(of: ":"), colon > line.startIndex,
                line.index(after: colon) < line.endIndex
            else {
                throw SQLError(.invalidParameterValue, "line \(number + 1) of the user file is not user:password")
            }
            add(String(line[..<colon]), password: String(line[line.index(after: colon)...]))
        }
    }

    public mutating func add(_ user: String, password: String) {
        if let keys = ScramKeys(stored: password) {
            secrets[user] = Secret(scram: keys, md5: nil)
        } else {
            let keys = ScramKeys(password: password, salt: RandomBytes.make(16))
            secrets[user] = Secret(scram: keys, md5: UserDirectory.hexMD5(Array((password + user).utf8)))
        }
    }

    /// Keys for an exchange; those of an unknown user are made up.
    func scramKeys(_ user: String) -> (keys: ScramKeys, isReal: Bool) {
        if let secret = secrets[user] { return (secret.scram, true) }
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
        let stored = secrets[user]?.md5 ?? UserDirectory.hexMD5(mockSecret)
        let expected = "md5" + UserDirectory.hexMD5(Array(stored.utf8) + salt)
        return ConstantTime.equal(Array(expected.utf8), Array(answer.utf8)) && secrets[user]?.md5 != nil
    }

    func accepts(password: String, user: String) -> Bool {
        let (keys, isReal) = scramKeys(user)
        let given = ScramKeys(password: password, salt: keys.salt, iterations: keys.iterations)
        return ConstantTime.equal(given.storedKey, keys.storedKey) && isReal
    }

    private static func hexMD5(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef".utf8)
        return String(
            decoding: Insecure.MD5.hash(data: bytes).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] },
            as: UTF8.self)
    }
}

enum RandomBytes {
    static func make(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
