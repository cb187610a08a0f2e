import Platform
import SQLTypes
import Warehouse

/// The server's side of one SCRAM-SHA-256 exchange. A state machine without input or output of its own; randomness is
/// given to it.
struct ScramExchange {
    private enum State {
        case first
        case final(clientFirstBare: String, serverFirst: String, nonce: String, header: String)
        case ended
    }
    static let mechanism = "SCRAM-SHA-256"
    private var state = State.first
    let keys: ScramKeys
    /// False for unknown users: the exchange looks the same and always fails.
    private let isReal: Bool
    private let serverNonce: String

    init(keys: ScramKeys, isReal: Bool, nonce: [UInt8]) {
        self.keys = keys
        self.isReal = isReal
        serverNonce = Base64.encode(nonce)
    }

    enum Reply {
        case challenge([UInt8])
        case success([UInt8])
        case failure
    }

    mutating func receive(_ message: [UInt8]) throws -> Reply {
        guard let text = String(validating: message, as: UTF8.self) else { throw malformed }
        switch state {
        case .first: return try receiveFirst(text)
        case .final(let bare, let serverFirst, let nonce, let header):
            state = .ended
            return try receiveFinal(text, bare, serverFirst, nonce, header)
        case .ended: throw malformed
        }
    }

    private mutating func receiveFirst(_ text: String) throws -> Reply {
        // gs2-header: channel binding flag, authorization identity, then the bare message.
        let parts = text.split(separator: ",", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "n" || parts[0] == "y", parts[1].isEmpty || parts[1].hasPrefix("a=")
        else { throw malformed }
        let bare = String(parts[2])
        let fields = bare.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 2, fields[0].hasPrefix("n="), fields[1].hasPrefix("r="), fields[1].count > 2
        else { throw malformed }
        let nonce = String(fields[1].dropFirst(2)) + serverNonce
        let challenge = "r=\(nonce),s=\(Base64.encode(keys.salt)),i=\(keys.iterations)"
        let header = Base64.encode(Array("\(parts[0]),\(parts[1]),".utf8))
        state = .final(clientFirstBare: bare, serverFirst: challenge, nonce: nonce, header: header)
        return .challenge(Array(challenge.utf8))
    }

    private func receiveFinal(
        _ text: String, _ bare: String, _ serverFirst: String, _ nonce: String, _ header: String
    ) throws -> Reply {
        guard let split = text.lastRange(of: ",p=") else { throw malformed }
        let withoutProof = String(text[..<split.lowerBound])
        guard let proof = Base64.decode(text[split.upperBound...]), proof.count == 32 else { throw malformed }
        let fields = withoutProof.split(separator: ",", omittingEmptySubsequences: false)
        guard fields.count >= 2, fields[0] == "c=\(header)", fields[1] == "r=\(nonce)" else { throw malformed }
        let message = Array("\(bare),\(serverFirst),\(withoutProof)".utf8)
        let signature = ScramKeys.hmac(keys.storedKey, message)
        let clientKey = zip(proof, signature).map { $0 ^ $1 }
        let stored = Digest.sha256(clientKey)
        guard ConstantTime.equal(stored, keys.storedKey), isReal else { return .failure }
        let answer = "v=" + Base64.encode(ScramKeys.hmac(keys.serverKey, message))
        return .success(Array(answer.utf8))
    }

    private var malformed: SQLError { ProtocolViolation.error("malformed SCRAM message") }
}

extension String {
    /// Where a text begins last.
    fileprivate func lastRange(of text: String) -> Range<String.Index>? {
        let bytes = Array(utf8)
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return nil }
        for start in stride(from: bytes.count - wanted.count, through: 0, by: -1)
        where bytes[start..<start + wanted.count].elementsEqual(wanted) {
            let lower = utf8.index(utf8.startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: wanted.count)
        }
        return nil
    }
}
