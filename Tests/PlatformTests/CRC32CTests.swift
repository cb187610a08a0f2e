import Platform
import Testing

@Suite struct CRC32CTests {
    /// Check values of RFC 3720, appendix B.4.
    @Test func referenceValues() {
        #expect(CRC32C.checksum(Array("123456789".utf8)) == 0xE306_9283)
        #expect(CRC32C.checksum([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(CRC32C.checksum([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(CRC32C.checksum((0..<32).map { UInt8($0) }) == 0x46DD_794E)
    }

    @Test func continuesOverPieces() {
        let bytes = (0..<100).map { UInt8($0 * 7 & 255) }
        for cut in [0, 1, 7, 8, 50, 100] {
            let first = CRC32C.checksum(Array(bytes[..<cut]))
            #expect(CRC32C.checksum(Array(bytes[cut...]), seed: first) == CRC32C.checksum(bytes))
        }
    }
}
