import Platform
import SQLTypes

/// Files of an UNLOAD with MASTER_SYMMETRIC_KEY: those with rows are encrypted on their way, each with a key of its
/// own; manifests are not, for COPY reads them before it has anything to open.
final class EncryptedFileSet: OutputFileSet {
    private let files: any OutputFileSet
    private let master: MasterSymmetricKey
    private let random: SharedRandom

    init(_ files: any OutputFileSet, _ master: MasterSymmetricKey, _ random: SharedRandom) {
        self.files = files
        self.master = master
        self.random = random
    }

    func createRows(_ name: String) throws -> any OutputObject {
        let envelope = EncryptionEnvelope(random: random)
        let notes = try envelope.notes(master)
        return try EncryptedOutputObject(try files.create(name, notes: notes), envelope)
    }
    func storedBytes(_ rowBytes: Int64) -> Int64 { EncryptionEnvelope.storedBytes(rowBytes) }

    func create(_ name: String, notes: ObjectNotes?) throws -> any OutputObject {
        try files.create(name, notes: notes)
    }
    func shown(_ name: String) -> String { files.shown(name) }
    func useFolder() { files.useFolder() }
    func checkEmpty() throws { try files.checkEmpty() }
    func publish(last: String?, replacing: OutputReplacement) throws -> [String] {
        try files.publish(last: last, replacing: replacing)
    }
    func abandon() { files.abandon() }
}

/// A file that is encrypted as it is written.
final class EncryptedOutputObject: OutputObject {
    private let object: any OutputObject
    private let cipher: AESCipher
    private var sealed = [UInt8](repeating: 0, count: EncryptedOutputObject.pieceBytes + AESCipher.blockBytes)
    private static let pieceBytes = 64 << 10

    init(_ object: any OutputObject, _ envelope: EncryptionEnvelope) throws {
        guard let cipher = AESCipher(.chained, key: envelope.key, start: envelope.start, seals: true) else {
            throw EncryptedOutputObject.failed
        }
        self.object = object
        self.cipher = cipher
    }

    func append(_ bytes: UnsafeRawBufferPointer) throws {
        var rest = bytes
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(EncryptedOutputObject.pieceBytes))
            try write { cipher.update(piece, into: $0) }
            rest = UnsafeRawBufferPointer(rebasing: rest[piece.count...])
        }
    }
    func rest() { object.rest() }
    func close() throws {
        try write { cipher.finish(into: $0) }
        try object.close()
    }

    private func write(_ seal: (UnsafeMutableRawPointer) -> Int?) throws {
        try sealed.withUnsafeMutableBytes { output in
            guard let start = output.baseAddress, let count = seal(start) else { throw EncryptedOutputObject.failed }
            try object.append(UnsafeRawBufferPointer(start: start, count: count))
        }
    }
    private static let failed = SQLError(.internalError, "OpenSSL cannot encrypt with AES")
}
