import Platform
import SQLTypes

/// What a server keeps of a password for SCRAM-SHA-256 (RFC 5802, RFC 7677): enough to check a proof, not enough to
/// make one.
package struct ScramKeys: Sendable, Hashable {
    package var salt: [UInt8]
    package var iterations: Int
    package var storedKey: [UInt8]
    package var serverKey: [UInt8]

    package static let iterations = 4096

    package init(password: String, salt: [UInt8], iterations: Int = ScramKeys.iterations) {
        self.salt = salt
        self.iterations = iterations
        let salted = ScramKeys.saltedPassword(password, salt, iterations)
        storedKey = Digest.sha256(ScramKeys.hmac(salted, Array("Client Key".utf8)))
        serverKey = ScramKeys.hmac(salted, Array("Server Key".utf8))
    }

    /// PostgreSQL's stored form, `SCRAM-SHA-256$4096:<salt>$<stored key>:<server key>`; nil when it is not one.
    package init?(stored text: String) {
        let parts = text.split(separator: "$")
        guard parts.count == 3, parts[0] == "SCRAM-SHA-256" else { return nil }
        let head = parts[1].split(separator: ":")
        let keys = parts[2].split(separator: ":")
        guard head.count == 2, keys.count == 2, let iterations = Int(head[0]), (1...1_000_000).contains(iterations),
            let salt = Base64.decode(head[1]), let stored = Base64.decode(keys[0]), stored.count == 32,
            let server = Base64.decode(keys[1]), server.count == 32
        else { return nil }
        self.salt = salt
        self.iterations = iterations
        storedKey = stored
        serverKey = server
    }

    /// As ``init(stored:)`` reads it.
    package var stored: String {
        "SCRAM-SHA-256$\(iterations):\(Base64.encode(salt))$\(Base64.encode(storedKey)):\(Base64.encode(serverKey))"
    }

    package static func hmac(_ key: [UInt8], _ data: [UInt8]) -> [UInt8] {
        Digest.hmac(key: key, data)
    }

    package static func saltedPassword(_ password: String, _ salt: [UInt8], _ iterations: Int) -> [UInt8] {
        Digest.stretched(PreparedPassword.bytes(password), salt: salt, iterations: iterations)
    }
}

package enum ConstantTime {
    /// Takes the same time wherever the bytes differ.
    package static func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }
}
