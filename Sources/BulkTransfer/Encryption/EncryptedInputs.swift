import Glibc
import Platform
import SQLTypes

/// The bytes that are opened at a time.
private let pieceBytes = 256 << 10

/// A file whose blocks depend on the one before (CBC), read from any place. Safe from any thread.
final class ChainedInput: LoadInput {
    private let input: any LoadInput
    private let envelope: EncryptionEnvelope
    private let sizeBytes: Int64

    init(_ input: any LoadInput, _ envelope: EncryptionEnvelope, _ sizeBytes: Int64) {
        self.input = input
        self.envelope = envelope
        self.sizeBytes = sizeBytes
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try readBlocks(
            buffer, offset, of: sizeBytes, before: AESCipher.blockBytes, from: input
        ) { sealed, block, output in
            // The block in front is where the chain goes on.
            let start = block == 0 ? envelope.start : Array(sealed.prefix(AESCipher.blockBytes))
            let body = block == 0 ? sealed : UnsafeRawBufferPointer(rebasing: sealed.dropFirst(AESCipher.blockBytes))
            return AESCipher(.chained, key: envelope.key, start: start, seals: false, isPadded: false)?
                .update(body, into: output)
        }
    }
}

/// A file with a tag over all of it (GCM). It is read to its end before anything of it is used; a small one is kept,
/// a large one is read again. Safe from any thread.
final class AuthenticatedInput: LoadInput {
    private let input: any LoadInput
    private let envelope: EncryptionEnvelope
    private let sizeBytes: Int64
    private let kept: [UInt8]?
    private static let largestKept: Int64 = 8 << 20
    /// Blocks are counted with 32 bits, and two of the numbers have another use.
    private static let largestBytes: Int64 = ((1 << 32) - 2) * 16

    init(
        _ input: any LoadInput, _ envelope: EncryptionEnvelope, name: String, _ sizeBytes: Int64,
        _ cancellation: CancellationToken
    ) throws {
        self.input = input
        self.envelope = envelope
        self.sizeBytes = sizeBytes
        guard sizeBytes <= AuthenticatedInput.largestBytes else {
            throw EncryptedLoadSource.changed(name, "It is longer than AES/GCM allows.")
        }
        var tag = [UInt8](repeating: 0, count: AESCipher.tagBytes)
        let tagBytes = try tag.withUnsafeMutableBytes { try input.read(into: $0, at: sizeBytes) }
        let cipher = AESCipher(.authenticated, key: envelope.key, start: envelope.start, seals: false)
        guard tagBytes == tag.count, let cipher, cipher.expect(tag: tag) else {
            throw EncryptedLoadSource.changed(name, "Its tag is missing.")
        }
        let keeps = sizeBytes <= AuthenticatedInput.largestKept
        var content: [UInt8] = []
        var sealed = [UInt8](repeating: 0, count: pieceBytes)
        var opened = [UInt8](repeating: 0, count: pieceBytes + AESCipher.blockBytes)
        var done: Int64 = 0
        while done < sizeBytes {
            try cancellation.check()
            let wanted = Int(min(Int64(pieceBytes), sizeBytes - done))
            let count = try sealed.withUnsafeMutableBytes {
                try input.read(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<wanted]), at: done)
            }
            let written = sealed.withUnsafeBytes { source in
                opened.withUnsafeMutableBytes { target in
                    target.baseAddress.flatMap {
                        cipher.update(UnsafeRawBufferPointer(rebasing: source[..<count]), into: $0)
                    }
                }
            }
            guard count == wanted, let written else {
                throw EncryptedLoadSource.changed(name, "It became shorter while it was read.")
            }
            if keeps { content.append(contentsOf: opened[..<written]) }
            done += Int64(count)
        }
        let last = opened.withUnsafeMutableBytes { target in target.baseAddress.flatMap { cipher.finish(into: $0) } }
        if last == nil { throw EncryptedLoadSource.changed(name, "Its tag does not fit its bytes.") }
        kept = keeps ? content : nil
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        guard let kept else { return try readAgain(into: buffer, at: offset) }
        guard let start = buffer.baseAddress, offset >= 0, offset < Int64(kept.count) else { return 0 }
        let count = min(buffer.count, kept.count - Int(offset))
        kept.withUnsafeBytes { bytes in if let base = bytes.baseAddress { memcpy(start, base + Int(offset), count) } }
        return count
    }

    private func readAgain(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
        try readBlocks(buffer, offset, of: sizeBytes, before: 0, from: input) { sealed, block, output in
            // Content begins with number two.
            let number = UInt32(truncatingIfNeeded: block + 2).bigEndian
            let start = envelope.start + withUnsafeBytes(of: number) { Array($0) }
            return AESCipher(.counter, key: envelope.key, start: start, seals: false)?.update(sealed, into: output)
        }
    }
}

/// Opens the blocks that have the wanted bytes, some at a time, and copies those bytes.
///
/// - Parameter before: so many bytes in front of a block are needed to open it, if there is anything in front.
private func readBlocks(
    _ buffer: UnsafeMutableRawBufferPointer, _ offset: Int64, of sizeBytes: Int64, before: Int,
    from input: any LoadInput,
    _ open: (_ sealed: UnsafeRawBufferPointer, _ block: Int64, _ output: UnsafeMutableRawPointer) -> Int?
) throws -> Int {
    guard let target = buffer.baseAddress, offset >= 0, offset < sizeBytes else { return 0 }
    let block = Int64(AESCipher.blockBytes)
    let wanted = Int(min(Int64(buffer.count), sizeBytes - offset))
    let capacity = min(pieceBytes, (wanted / AESCipher.blockBytes + 2) * AESCipher.blockBytes)
    var sealed = [UInt8](repeating: 0, count: capacity + before)
    var opened = [UInt8](repeating: 0, count: capacity + AESCipher.blockBytes)
    var done = 0
    while done < wanted {
        let place = offset + Int64(done)
        let first = place / block
        let front = first == 0 ? 0 : Int64(before)
        let skipped = Int(place - first * block)
        let read = try sealed.withUnsafeMutableBytes { bytes in
            try input.read(
                into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<(capacity + Int(front))]),
                at: first * block - front)
        }
        let count = sealed.withUnsafeBytes { bytes in
            opened.withUnsafeMutableBytes { output in
                output.baseAddress.flatMap { open(UnsafeRawBufferPointer(rebasing: bytes[..<read]), first, $0) }
            }
        }
        guard let count, count > skipped else {
            throw SQLError(.ioError, "an encrypted file became shorter while it was loaded")
        }
        let copied = min(count - skipped, wanted - done)
        opened.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress { memcpy(target + done, base + skipped, copied) }
        }
        done += copied
    }
    return done
}
