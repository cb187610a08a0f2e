import COpenSSL

/// Digests of secrets and signatures, by OpenSSL. (Those of SQL's functions are ``VectorEngine``'s own, for rows.)
package enum Digest {
    package static func sha256(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { sha256($0) } }
    package static func sha256(_ bytes: UnsafeRawBufferPointer) -> [UInt8] { digest(bytes, EVP_sha256(), 32) }
    package static func md5(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { digest($0, EVP_md5(), 16) } }

    private static func digest(_ bytes: UnsafeRawBufferPointer, _ kind: OpaquePointer?, _ count: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: count)
        let isMade = EVP_Digest(bytes.baseAddress, bytes.count, &result, nil, kind, nil) == 1
        return isMade ? result : unmatchable(count)
    }

    /// HMAC-SHA-256 (RFC 2104).
    package static func hmac(key: [UInt8], _ bytes: [UInt8]) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let made = HMAC(EVP_sha256(), key, Int32(clamping: key.count), bytes, bytes.count, &result, nil)
        return made != nil ? result : unmatchable(32)
    }

    /// PBKDF2 with HMAC-SHA-256 and 32 bytes, SCRAM's `Hi` (RFC 5802).
    package static func stretched(_ password: [UInt8], salt: [UInt8], iterations: Int) -> [UInt8] {
        var result = [UInt8](repeating: 0, count: 32)
        let isMade = password.withUnsafeBytes { password in
            PKCS5_PBKDF2_HMAC(
                password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(clamping: password.count), salt,
                Int32(clamping: salt.count), Int32(clamping: max(iterations, 1)), EVP_sha256(), 32, &result)
        }
        return isMade == 1 ? result : unmatchable(32)
    }

    /// Where OpenSSL is set up without the digest (FIPS knows no MD5) nobody can log in by it; zeros would be a secret
    /// that everybody knows.
    private static func unmatchable(_ count: Int) -> [UInt8] { SharedRandom().bytes(count) }
}
