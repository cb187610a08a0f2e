import Foundation
import SQLTypes
import Testing

@testable import PGWire

/// Both ends of encrypted connections without a network: what one end says is fed to the other.
struct TLSSessionTests {
    private struct Certificate {
        var chain: String
        var key: String

        /// For `localhost` and 127.0.0.1, signed by itself.
        init() throws {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            chain = folder.appendingPathComponent("chain.pem").path
            key = folder.appendingPathComponent("key.pem").path
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days", "1", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", key, "-out", chain,
            ]
            process.standardError = FileHandle.nullDevice
            try process.run()
            process.waitUntilExit()
            try #require(process.terminationStatus == 0)
        }
    }

    private static func move(_ from: TLSSession, to: TLSSession, pieceBytes: Int) {
        var bytes: [UInt8] = []
        from.takeOutput { bytes += $0 }
        for start in stride(from: 0, to: bytes.count, by: pieceBytes) {
            let piece = bytes[start..<min(start + pieceBytes, bytes.count)]
            piece.withUnsafeBytes { #expect(to.feed($0)) }
        }
    }

    /// - Returns: why it failed; nil when both ends are done.
    private static func shakeHands(_ server: TLSSession, _ client: TLSSession, pieceBytes: Int) -> String? {
        for _ in 0..<20 {
            let mine = client.handshake()
            move(client, to: server, pieceBytes: pieceBytes)
            let other = server.handshake()
            move(server, to: client, pieceBytes: pieceBytes)
            if case .failed(let reason) = mine { return reason }
            if case .failed(let reason) = other { return reason }
            if case .done = mine, case .done = other { return nil }
        }
        return "no end"
    }

    private static func read(_ session: TLSSession, bytes: Int) -> [UInt8] {
        var result: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: bytes)
        while case .bytes(let count) = buffer.withUnsafeMutableBytes({ session.read(into: $0) }) {
            result += buffer[..<count]
        }
        return result
    }

    private static func address(_ text: String, root: String?) throws -> ServerAddress {
        var address = try ServerAddress(text)
        address.rootCertificate = root
        return address
    }

    @Test(arguments: [1, 7, 1 << 20]) func bytesArriveInAnyPieces(pieceBytes: Int) throws {
        let certificate = try Certificate()
        let server = try TLSContext.server(chain: certificate.chain, key: certificate.key).makeSession()
        let address = try TLSSessionTests.address(
            "postgres://localhost/dev?sslmode=verify-full", root: certificate.chain)
        let client = try TLSContext.client(address).makeSession(name: "localhost")
        #expect(TLSSessionTests.shakeHands(server, client, pieceBytes: pieceBytes) == nil)
        #expect(server.version == "TLSv1.3")
        for count in [1, 100, 16_384, 16_385, 200_000] {
            let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
            #expect(sent.withUnsafeBytes { server.write($0) })
            TLSSessionTests.move(server, to: client, pieceBytes: max(pieceBytes, 7))
            #expect(client.hasBytes)
            #expect(TLSSessionTests.read(client, bytes: 1_000) == sent)
            #expect(!client.hasBytes)
        }
        client.sayGoodbye()
        TLSSessionTests.move(client, to: server, pieceBytes: pieceBytes)
        var byte: UInt8 = 0
        let received = withUnsafeMutableBytes(of: &byte) { server.read(into: $0) }
        guard case .end = received else { return #expect(Bool(false), "the end was not seen") }
    }

    @Test func certificatesAreChecked() throws {
        let certificate = try Certificate()
        func failure(_ text: String, root: String?, name: String) throws -> String? {
            let server = try TLSContext.server(chain: certificate.chain, key: certificate.key).makeSession()
            let client = try TLSContext.client(try TLSSessionTests.address(text, root: root)).makeSession(name: name)
            return TLSSessionTests.shakeHands(server, client, pieceBytes: 1 << 20)
        }
        #expect(try failure("postgres://x/dev?sslmode=require", root: nil, name: "x") == nil)
        #expect(try failure("postgres://x/dev?sslmode=verify-ca", root: nil, name: "x") != nil)
        #expect(try failure("postgres://x/dev?sslmode=verify-ca", root: certificate.chain, name: "x") == nil)
        let wrong = try failure("postgres://x/dev?sslmode=verify-full", root: certificate.chain, name: "x")
        #expect(wrong?.contains("mismatch") == true)
        let address = "postgres://127.0.0.1/dev?sslmode=verify-full"
        #expect(try failure(address, root: certificate.chain, name: "127.0.0.1") == nil)
    }

    @Test func brokenBytesEndTheConnection() throws {
        let certificate = try Certificate()
        let server = try TLSContext.server(chain: certificate.chain, key: certificate.key).makeSession()
        let client = try TLSContext.client(try ServerAddress("postgres://x/dev?sslmode=require")).makeSession(name: "x")
        #expect(TLSSessionTests.shakeHands(server, client, pieceBytes: 1 << 20) == nil)
        #expect([UInt8](repeating: 1, count: 100).withUnsafeBytes { client.write($0) })
        var bytes: [UInt8] = []
        client.takeOutput { bytes += $0 }
        bytes[bytes.count - 1] ^= 1
        #expect(bytes.withUnsafeBytes { server.feed($0) })
        var buffer = [UInt8](repeating: 0, count: 200)
        guard case .end = buffer.withUnsafeMutableBytes({ server.read(into: $0) }) else {
            return #expect(Bool(false), "changed bytes were taken")
        }
    }

    @Test func startPacketsAreNoHandshake() throws {
        let certificate = try Certificate()
        let server = try TLSContext.server(chain: certificate.chain, key: certificate.key).makeSession()
        #expect([UInt8](repeating: 0, count: 64).withUnsafeBytes { server.feed($0) })
        guard case .failed = server.handshake() else { return #expect(Bool(false), "zeros were taken") }
    }

    @Test func missingFilesAreErrors() {
        #expect(throws: SQLError.self) { try TLSContext.server(chain: "/nowhere", key: "/nowhere") }
    }
}
