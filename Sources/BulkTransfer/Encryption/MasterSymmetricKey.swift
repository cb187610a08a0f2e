import Platform
import SQLTypes

/// MASTER_SYMMETRIC_KEY: what opens the keys of files that a client has encrypted. Only the statement has it.
package struct MasterSymmetricKey: Sendable, Hashable {
    let bytes: [UInt8]

    /// - Parameter text: 256 bits in base64.
    init(_ text: String) throws {
        guard let bytes = Base64.decode(text), bytes.count == AESCipher.keyBytes else {
            throw SQLError(
                .invalidParameterValue, "invalid master symmetric key",
                hint: "It must be a base64-encoded AES key of 256 bits: 44 characters.")
        }
        self.bytes = bytes
    }
}
