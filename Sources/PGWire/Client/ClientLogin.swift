import Platform
import SQLTypes
import Warehouse

/// A client's answers to a server's requests for a password. Plain state; gets messages, gives messages.
struct ClientLogin {
    private let address: ServerAddress
    private var nonce = ""
    private var firstBare = ""
    private var expectedSignature: [UInt8]?

    init(_ address: ServerAddress) { self.address = address }

    /// The body of the password message to send; nil when nothing is to be said.
    mutating func answer(_ request: [UInt8]) throws -> [UInt8]? {
        var reader = MessageReader(request)
        switch try reader.int32() {
        case 0: return nil
        case 3: return Array(try password().utf8) + [0]
        case 5:
            let salt = try reader.bytes(4)
            let inner = ClientLogin.hexMD5(Array((try password() + address.user).utf8))
            return Array("md5\(ClientLogin.hexMD5(Array(inner.utf8) + salt))".utf8) + [0]
        case 10: return try first()
        case 11: return try final(reader.rest())
        case 12:
            try verify(reader.rest())
            return nil
        case let code: throw SQLError("0A000", "the server wants an unknown form of authentication (\(code))")
        }
    }

    private func password() throws -> String {
        guard let password = address.password else {
            throw SQLError("28P01", "the server wants a password", hint: "Put it into the address or into PGPASSWORD.")
        }
        return password
    }

    private static func hexMD5(_ bytes: [UInt8]) -> String {
        Digest.md5(bytes).map { byte in
            let text = String(byte, radix: 16)
            return text.utf8.count == 1 ? "0" + text : text
        }.joined()
    }

    // MARK: SCRAM-SHA-256 (RFC 7677)

    private mutating func first() throws -> [UInt8] {
        nonce = Base64.encode(SharedRandom().bytes(18))
        firstBare = "n=,r=\(nonce)"
        let message = Array("n,,\(firstBare)".utf8)
        let length = UInt32(message.count).bigEndian
        return Array("\(ScramExchange.mechanism)".utf8) + [0] + withUnsafeBytes(of: length) { Array($0) } + message
    }

    private mutating func final(_ challenge: [UInt8]) throws -> [UInt8] {
        let text = String(decoding: challenge, as: UTF8.self)
        var fields: [Character: Substring] = [:]
        for field in text.split(separator: ",") where field.dropFirst().first == "=" {
            if let name = field.first { fields[name] = field.dropFirst(2) }
        }
        guard let whole = fields["r"], whole.hasPrefix(nonce), whole.count > nonce.count,
            let salt = fields["s"].flatMap({ Base64.decode($0) }), let iterations = fields["i"].flatMap({ Int($0) }),
            (1...1_000_000).contains(iterations)
        else { throw SQLError("08P01", "malformed SCRAM message") }
        let salted = ScramKeys.saltedPassword(try password(), salt, iterations)
        let clientKey = ScramKeys.hmac(salted, Array("Client Key".utf8))
        let stored = Digest.sha256(clientKey)
        let withoutProof = "c=biws,r=\(whole)"
        let message = Array("\(firstBare),\(text),\(withoutProof)".utf8)
        let proof = zip(clientKey, ScramKeys.hmac(stored, message)).map { $0 ^ $1 }
        expectedSignature = ScramKeys.hmac(ScramKeys.hmac(salted, Array("Server Key".utf8)), message)
        return Array("\(withoutProof),p=\(Base64.encode(proof))".utf8)
    }

    /// The server shows that it knows the password too.
    private func verify(_ message: [UInt8]) throws {
        let text = String(decoding: message, as: UTF8.self)
        guard text.hasPrefix("v="), let signature = Base64.decode(text.dropFirst(2)), let expectedSignature,
            ConstantTime.equal(signature, expectedSignature)
        else { throw SQLError("28000", "the server does not know the password") }
    }
}
