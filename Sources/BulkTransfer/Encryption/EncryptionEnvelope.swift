import Platform
import SQLTypes

/// How one file is encrypted: a key of its own, sealed by the master key, stands beside it, with what reading needs
/// besides. The forms are those of AWS's encryption clients ("Amazon S3 Encryption Client Developer Guide"):
///
/// | notes | key sealed by | content |
/// |---|---|---|
/// | `x-amz-key`, `x-amz-iv` | AES/ECB with padding | AES/CBC with padding |
/// | `x-amz-key-v2`, `x-amz-wrap-alg` | AESWrap, AES/GCM | by `x-amz-cek-alg`: AES/GCM, AES/CBC |
struct EncryptionEnvelope: Sendable {
    enum Content: Sendable {
        case chained, authenticated
    }
    let content: Content
    let key: [UInt8]
    let start: [UInt8]
    /// Of the content before it was encrypted, where the client has noted it.
    var contentBytes: Int64?

    /// A fresh one, in the form that all of the clients read.
    init(random: SharedRandom) {
        content = .chained
        key = random.bytes(AESCipher.keyBytes)
        start = random.bytes(AESCipher.blockBytes)
    }

    /// What stands beside a file of ``init(random:)``.
    func notes(_ master: MasterSymmetricKey) throws -> ObjectNotes {
        guard let sealed = AESCipher(.codebook, key: master.bytes, seals: true)?.whole(key) else {
            throw SQLError(.internalError, "OpenSSL cannot encrypt with AES")
        }
        return ObjectNotes([
            "x-amz-key": Base64.encode(sealed), "x-amz-iv": Base64.encode(start), "x-amz-matdesc": "{}",
        ])
    }

    // MARK: Reading

    /// - Parameter name: of the file, for errors.
    init(_ notes: ObjectNotes, _ master: MasterSymmetricKey, name: String) throws {
        func bytes(_ note: String) throws -> [UInt8] {
            guard let text = notes[note], let bytes = Base64.decode(text) else {
                throw SQLError(
                    .dataException, "The encryption metadata of file '\(name)' are damaged",
                    detail: "\(note) is missing, or is not base64.")
            }
            return bytes
        }
        let algorithm: String
        let opened: [UInt8]?
        if notes["x-amz-key-v2"] != nil {
            algorithm = notes["x-amz-cek-alg"] ?? ""
            opened = try EncryptionEnvelope.opened(
                try bytes("x-amz-key-v2"), by: notes["x-amz-wrap-alg"] ?? "", for: algorithm, master, name)
        } else {
            algorithm = "AES/CBC/PKCS5Padding"
            opened = AESCipher(.codebook, key: master.bytes, seals: false)?.whole(try bytes("x-amz-key"))
        }
        guard let opened, opened.count == AESCipher.keyBytes else {
            throw SQLError(
                .invalidParameterValue, "The master symmetric key is not the one of file '\(name)'",
                detail: "It does not open the file's own key.")
        }
        key = opened
        start = try bytes("x-amz-iv")
        contentBytes = notes["x-amz-unencrypted-content-length"].flatMap { Int64($0) }
        let length: Int
        switch algorithm {
        case "AES/CBC/PKCS5Padding": (content, length) = (.chained, 16)
        case "AES/GCM/NoPadding":
            (content, length) = (.authenticated, 12)
            guard notes["x-amz-tag-len"] ?? "128" == "128" else {
                throw EncryptionEnvelope.unknown("a tag of \(notes["x-amz-tag-len"] ?? "") bits", name)
            }
        default: throw EncryptionEnvelope.unknown("content encryption \"\(algorithm)\"", name)
        }
        if start.count != length {
            throw SQLError(
                .dataException, "The encryption metadata of file '\(name)' are damaged",
                detail: "x-amz-iv has \(start.count) bytes in place of \(length).")
        }
    }

    private static func opened(
        _ sealed: [UInt8], by method: String, for algorithm: String, _ master: MasterSymmetricKey, _ name: String
    ) throws -> [UInt8]? {
        switch method {
        case "AESWrap": return AESCipher(.keyWrap, key: master.bytes, seals: false)?.whole(sealed)
        case "AES/GCM":
            guard sealed.count == 12 + AESCipher.keyBytes + AESCipher.tagBytes,
                let cipher = AESCipher(
                    .authenticated, key: master.bytes, start: Array(sealed.prefix(12)), seals: false),
                cipher.authenticate(Array(algorithm.utf8)), cipher.expect(tag: Array(sealed.suffix(16)))
            else { return nil }
            return cipher.whole(Array(sealed[12..<sealed.count - AESCipher.tagBytes]))
        case "kms", "kms+context":
            throw SQLError(
                .featureNotSupported, "The key of file '\(name)' is in AWS KMS",
                hint: "MASTER_SYMMETRIC_KEY opens files that were encrypted with a symmetric key of the client's own.")
        default: throw unknown("key wrapping \"\(method)\"", name)
        }
    }

    private static func unknown(_ what: String, _ name: String) -> SQLError {
        SQLError(.featureNotSupported, "The file '\(name)' is encrypted with \(what), which is not supported")
    }

    // MARK: Sizes

    /// Of a file of ``init(random:)`` with so many bytes of rows.
    static func storedBytes(_ contentBytes: Int64) -> Int64 { (contentBytes / 16 + 1) * 16 }
    /// The most that encryption adds.
    static let largestOverheadBytes: Int64 = 16
}
