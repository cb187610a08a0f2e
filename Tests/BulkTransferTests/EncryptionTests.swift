import Glibc
import Platform
import SQLTypes
import TestSupport
import Testing

@testable import BulkTransfer

/// Bytes of encrypted files from any place, and what becomes of damaged ones. Files that others have made are in
/// Tests/SQL/encrypted_files.slt and Tests/S3.
struct EncryptionTests {
    private let master: MasterSymmetricKey
    private let random = SharedRandom(SeededRandom(seed: 14))

    init() throws { master = try MasterSymmetricKey(Base64.encode(Array(0..<32))) }

    /// An object in memory.
    private final class Bytes: LoadInput {
        let bytes: [UInt8]
        init(_ bytes: [UInt8]) { self.bytes = bytes }
        func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws -> Int {
            guard offset < Int64(bytes.count) else { return 0 }
            let count = min(buffer.count, bytes.count - Int(offset))
            for index in 0..<count { buffer[index] = bytes[Int(offset) + index] }
            return count
        }
    }
    private struct Source: LoadSource {
        var bytes: [UInt8]
        var stored: ObjectNotes?
        func list() throws -> [LoadObject] { [LoadObject(name: "file", sizeBytes: Int64(bytes.count))] }
        func open(_ object: LoadObject) throws -> any LoadInput { Bytes(bytes) }
        func notes(of object: LoadObject) throws -> ObjectNotes? { stored }
    }

    private func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 8) }
    }

    /// By one of the forms that are read.
    private func sealed(_ content: [UInt8], isAuthenticated: Bool) throws -> Source {
        let envelope = EncryptionEnvelope(random: random)
        guard isAuthenticated else {
            let cipher = try #require(
                AESCipher(.chained, key: envelope.key, start: envelope.start, seals: true))
            return Source(bytes: try #require(cipher.whole(content)), stored: try envelope.notes(master))
        }
        let start = random.bytes(12)
        let wrapped = try #require(AESCipher(.keyWrap, key: master.bytes, seals: true)?.whole(envelope.key))
        let cipher = try #require(AESCipher(.authenticated, key: envelope.key, start: start, seals: true))
        let body = try #require(cipher.whole(content))
        let notes = ObjectNotes([
            "x-amz-key-v2": Base64.encode(wrapped), "x-amz-wrap-alg": "AESWrap", "x-amz-cek-alg": "AES/GCM/NoPadding",
            "x-amz-iv": Base64.encode(start), "x-amz-tag-len": "128",
        ])
        return Source(bytes: body + (try #require(cipher.tag())), stored: notes)
    }

    private func input(_ source: Source) throws -> (object: LoadObject, input: any LoadInput) {
        let encrypted = EncryptedLoadSource(source, master, CancellationToken())
        let object = try #require(try encrypted.list().first)
        return (object, try encrypted.open(object))
    }

    @Test(arguments: [true, false], [0, 1, 15, 16, 17, 4096, 262_144, 600_001])
    func anyPlaceCanBeRead(isAuthenticated: Bool, count: Int) throws {
        let content = content(count)
        let (object, input) = try input(sealed(content, isAuthenticated: isAuthenticated))
        #expect(object.sizeBytes == Int64(count))
        for (offset, wanted) in [(0, count + 10), (1, 16), (15, 2), (16, 1), (count / 2, 300_000), (count - 1, 5)] {
            let offset = max(offset, 0)
            var read = [UInt8](repeating: 0, count: wanted)
            let got = try read.withUnsafeMutableBytes { try input.read(into: $0, at: Int64(offset)) }
            #expect(Array(read.prefix(got)) == Array(content.dropFirst(offset).prefix(wanted)), "\(offset) \(wanted)")
        }
    }

    /// More than is kept in memory: it is read again from any block on.
    @Test func largeAuthenticatedFilesAreReadAgain() throws {
        let content = content((9 << 20) + 5)
        let (_, input) = try input(sealed(content, isAuthenticated: true))
        for offset in [0, 7, 1 << 20, (5 << 20) + 3, content.count - 20] {
            var read = [UInt8](repeating: 0, count: 100_000)
            let got = try read.withUnsafeMutableBytes { try input.read(into: $0, at: Int64(offset)) }
            #expect(Array(read.prefix(got)) == Array(content.dropFirst(offset).prefix(100_000)))
        }
    }

    /// Every byte of a file with a tag counts.
    @Test func changesAreFound() throws {
        let source = try sealed(content(40), isAuthenticated: true)
        for index in source.bytes.indices {
            var changed = source
            changed.bytes[index] ^= 0x10
            #expect(throws: SQLError.self, "\(index)") { try input(changed) }
        }
        for count in 0..<source.bytes.count {
            var cut = source
            cut.bytes = Array(source.bytes.prefix(count))
            #expect(throws: SQLError.self, "\(count)") { try input(cut) }
        }
    }

    /// Of a file without a tag, its length and its end; whatever is read then, nothing traps.
    @Test func damagedChainsAreErrorsOrBytes() throws {
        let source = try sealed(content(100), isAuthenticated: false)
        for count in 0..<source.bytes.count where count % 16 != 0 || count == 0 {
            var cut = source
            cut.bytes = Array(source.bytes.prefix(count))
            #expect(throws: SQLError.self, "\(count)") { try input(cut) }
        }
        var generator = SeededRandom(seed: 3)
        for _ in 0..<500 {
            var changed = source
            changed.bytes[Int(generator.next() % UInt64(source.bytes.count))] ^= UInt8(generator.next() % 255 + 1)
            do {
                let (object, input) = try input(changed)
                var read = [UInt8](repeating: 0, count: 200)
                let got = try read.withUnsafeMutableBytes { try input.read(into: $0, at: 0) }
                #expect(got == Int(object.sizeBytes) && got <= 112)
            } catch let error as SQLError {
                #expect(error.state == .dataException)
            }
        }
    }

    /// Each file has a key of its own.
    @Test func keysAreFresh() throws {
        let (one, other) = (EncryptionEnvelope(random: random), EncryptionEnvelope(random: random))
        #expect(one.key != other.key && one.start != other.start)
    }

    @Test func notesSurviveTheirFile() throws {
        let notes = try EncryptionEnvelope(random: random).notes(master)
        #expect(try ObjectNotes(file: notes.file, name: "x") == notes)
        #expect(
            ObjectNotes(headers: Dictionary(uniqueKeysWithValues: notes.headers.map { ($0.name, $0.value) })) == notes)
        for text in ["", "[]", "{\"x-amz-key\": {}}", "{\"x-amz-key\": \"!\"}"] {
            #expect(throws: SQLError.self) {
                try EncryptionEnvelope(try ObjectNotes(file: Array(text.utf8), name: "x"), master, name: "x")
            }
        }
    }
}
