import Platform
import SQLTypes

/// Files that a client has encrypted, as if they were not: names are the same, sizes are those of the content. Opening
/// a file checks it as far as its form allows: the tag over all of it, or the padding at its end.
final class EncryptedLoadSource: LoadSource {
    private let source: any LoadSource
    private let master: MasterSymmetricKey
    private let cancellation: CancellationToken
    private struct Sealed: Sendable {
        var object: LoadObject
        var envelope: EncryptionEnvelope
        var contentBytes: Int64
    }
    private let sealed = Lock<[LoadObject.Key: Sealed]>([:])

    init(_ source: any LoadSource, _ master: MasterSymmetricKey, _ cancellation: CancellationToken) {
        self.source = source
        self.master = master
        self.cancellation = cancellation
    }

    func list() throws -> [LoadObject] {
        let objects = try source.list().filter { !$0.name.hasSuffix(ObjectNotes.fileSuffix) }
        if objects.isEmpty { throw SQLError(.undefinedFile, "There are instruction files, but no files to load") }
        return try objects.map { object in
            try cancellation.check()
            guard let notes = try source.notes(of: object), notes.isOfEncryption else {
                // Markers of folders are no files.
                if object.sizeBytes == 0 { return object }
                throw SQLError(
                    .dataException, "The file '\(object.name)' has no encryption metadata",
                    detail: "Neither has the object x-amz-key or x-amz-key-v2, nor is there an instruction file.",
                    hint: "Files that are not encrypted by their client are loaded without ENCRYPTED.")
            }
            let found = try open(object, try EncryptionEnvelope(notes, master, name: object.name))
            sealed.withLock { $0[object.key] = found }
            return LoadObject(name: object.name, sizeBytes: found.contentBytes)
        }
    }

    private func open(_ object: LoadObject, _ envelope: EncryptionEnvelope) throws -> Sealed {
        let contentBytes: Int64
        switch envelope.content {
        case .authenticated: contentBytes = object.sizeBytes - Int64(AESCipher.tagBytes)
        case .chained: contentBytes = try unpaddedBytes(object, envelope)
        }
        guard contentBytes >= 0, contentBytes == envelope.contentBytes ?? contentBytes else {
            throw EncryptedLoadSource.changed(object.name, "It is too short or too long.")
        }
        return Sealed(object: object, envelope: envelope, contentBytes: contentBytes)
    }

    /// By the last block: each byte of the padding says how many they are.
    private func unpaddedBytes(_ object: LoadObject, _ envelope: EncryptionEnvelope) throws -> Int64 {
        let block = Int64(AESCipher.blockBytes)
        guard object.sizeBytes >= block, object.sizeBytes % block == 0 else {
            throw EncryptedLoadSource.changed(object.name, "It has no whole number of blocks.")
        }
        let hasOneBlock = object.sizeBytes == block
        let wanted = hasOneBlock ? block : 2 * block
        let tail = try source.read(object, at: object.sizeBytes - wanted, Int(wanted))
        let start = hasOneBlock ? envelope.start : Array(tail.prefix(AESCipher.blockBytes))
        let cipher = AESCipher(.chained, key: envelope.key, start: start, seals: false, isPadded: false)
        guard let last = cipher?.whole(Array(tail.suffix(AESCipher.blockBytes))), let count = last.last,
            (1...16).contains(count), last.suffix(Int(count)).allSatisfy({ $0 == count })
        else { throw EncryptedLoadSource.changed(object.name, "Its padding is wrong.") }
        return object.sizeBytes - Int64(count)
    }

    static func changed(_ name: String, _ detail: String) -> SQLError {
        SQLError(.dataException, "The encrypted file '\(name)' was changed, or is not complete", detail: detail)
    }

    func open(_ object: LoadObject) throws -> any LoadInput {
        guard let found = sealed.withLock({ $0[object.key] }) else { return try source.open(object) }
        let input = try source.open(found.object)
        switch found.envelope.content {
        case .chained: return ChainedInput(input, found.envelope, found.contentBytes)
        case .authenticated:
            return try AuthenticatedInput(
                input, found.envelope, name: object.name, found.contentBytes, cancellation)
        }
    }

    /// JSONPaths files and manifests are not encrypted.
    func readCompanion(_ location: String, limit: Int) throws -> [UInt8] {
        try source.readCompanion(location, limit: limit)
    }
}
