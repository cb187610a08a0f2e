import COpenSSL

/// AES with a key of 256 bits, by OpenSSL, fed piece by piece. Every failure is nil or false: what does not fit a mode,
/// and, where something is opened, padding or a tag that is not right. One thread at a time.
package final class AESCipher {
    package enum Mode: Sendable, Hashable {
        /// Each block by itself: for keys, which have no patterns.
        case codebook
        /// Each block depends on the one before.
        case chained
        /// With a tag that tells whether anything was changed (GCM, 16 bytes).
        case authenticated
        /// The stream of ``authenticated`` from any block on, without its tag.
        case counter
        /// RFC 3394.
        case keyWrap
    }
    package static let blockBytes = 16
    package static let keyBytes = 32
    package static let tagBytes = 16
    private let context: OpaquePointer
    private static let largestCall = 1 << 30

    /// - Parameter start: 16 bytes, for ``Mode/authenticated`` 12, for codebook and key wrapping none.
    package init?(_ mode: Mode, key: [UInt8], start: [UInt8] = [], seals: Bool, isPadded: Bool = true) {
        guard key.count == AESCipher.keyBytes, start.count == mode.startBytes, let context = EVP_CIPHER_CTX_new()
        else { return nil }
        self.context = context
        if mode == .keyWrap { EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW) }
        let isReady = EVP_CipherInit_ex(context, mode.cipher, nil, key, start.isEmpty ? nil : start, seals ? 1 : 0) == 1
        guard isReady, isPadded || EVP_CIPHER_CTX_set_padding(context, 0) == 1 else {
            AESCipher.forgetErrors()
            return nil
        }
    }
    deinit { EVP_CIPHER_CTX_free(context) }

    /// Connections look at the thread's list of errors: nothing of ours may stay there.
    private static func forgetErrors() { ERR_clear_error() }

    /// - Parameter output: has room for one block more than comes in.
    /// - Returns: how many bytes came out.
    package func update(_ bytes: UnsafeRawBufferPointer, into output: UnsafeMutableRawPointer) -> Int? {
        var done = 0, written = 0
        while done < bytes.count {
            let piece = UnsafeRawBufferPointer(rebasing: bytes[done..<min(done + AESCipher.largestCall, bytes.count)])
            var count: Int32 = 0
            let target = (output + written).assumingMemoryBound(to: UInt8.self)
            let source = piece.baseAddress?.assumingMemoryBound(to: UInt8.self)
            guard EVP_CipherUpdate(context, target, &count, source, Int32(piece.count)) == 1 else {
                AESCipher.forgetErrors()
                return nil
            }
            written += Int(count)
            done += piece.count
        }
        return written
    }

    /// The last bytes: nil when padding or tag are wrong.
    package func finish(into output: UnsafeMutableRawPointer) -> Int? {
        var count: Int32 = 0
        if EVP_CipherFinal_ex(context, output.assumingMemoryBound(to: UInt8.self), &count) == 1 { return Int(count) }
        AESCipher.forgetErrors()
        return nil
    }

    /// Bytes that the tag covers beside those that are sealed; before all others.
    package func authenticate(_ bytes: [UInt8]) -> Bool {
        var count: Int32 = 0
        if EVP_CipherUpdate(context, nil, &count, bytes, Int32(clamping: bytes.count)) == 1 { return true }
        AESCipher.forgetErrors()
        return false
    }

    /// What ``finish(into:)`` of opening compares with.
    package func expect(tag: [UInt8]) -> Bool {
        guard tag.count == AESCipher.tagBytes else { return false }
        var tag = tag
        if EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), &tag) == 1 { return true }
        AESCipher.forgetErrors()
        return false
    }

    /// What sealing has made of all that came; nil without a tag.
    package func tag() -> [UInt8]? {
        var tag = [UInt8](repeating: 0, count: AESCipher.tagBytes)
        if EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tag.count), &tag) == 1 { return tag }
        AESCipher.forgetErrors()
        return nil
    }

    /// All of a short text at once.
    package func whole(_ bytes: [UInt8]) -> [UInt8]? {
        var result = [UInt8](repeating: 0, count: bytes.count + 2 * AESCipher.blockBytes)
        let count: Int? = bytes.withUnsafeBytes { source in
            result.withUnsafeMutableBytes { target in
                guard let start = target.baseAddress, let count = update(source, into: start),
                    let last = finish(into: start + count)
                else { return nil }
                return count + last
            }
        }
        return count.map { Array(result.prefix($0)) }
    }
}

extension AESCipher.Mode {
    fileprivate var startBytes: Int {
        switch self {
        case .codebook, .keyWrap: 0
        case .chained, .counter: 16
        case .authenticated: 12
        }
    }
    fileprivate var cipher: OpaquePointer? {
        switch self {
        case .codebook: EVP_aes_256_ecb()
        case .chained: EVP_aes_256_cbc()
        case .authenticated: EVP_aes_256_gcm()
        case .counter: EVP_aes_256_ctr()
        case .keyWrap: EVP_aes_256_wrap()
        }
    }
}
