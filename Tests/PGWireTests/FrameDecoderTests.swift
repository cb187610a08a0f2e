import SQLTypes
import Testing

@testable import PGWire

struct FrameDecoderTests {
    private func feed(_ decoder: inout FrameDecoder, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { decoder.append($0) }
    }

    @Test func framesComeOutWhole() throws {
        var decoder = FrameDecoder(maximumLength: 1000)
        decoder.isStartup = false
        let query: [UInt8] = [0x51, 0, 0, 0, 7, 0x3B, 0x3B, 0]
        for byte in query.dropLast() {
            feed(&decoder, [byte])
            #expect(try decoder.next() == nil)
        }
        feed(&decoder, [0, 0x53, 0, 0, 0, 4])
        let first = try #require(try decoder.next())
        #expect(first.type == 0x51 && first.body == [0x3B, 0x3B, 0])
        let second = try #require(try decoder.next())
        #expect(second.type == 0x53 && second.body.isEmpty)
        #expect(decoder.bufferedBytes == 0)
    }

    @Test(arguments: [
        [0x51, 0, 0, 0, 3], [0x51, 0xFF, 0xFF, 0xFF, 0xFF], [0x51, 0, 0, 4, 0], [0x51, 0x80, 0, 0, 0],
        [0x21, 0, 0, 0, 4], [0x00],
    ] as [[UInt8]])
    func badHeadersEndTheStream(_ bytes: [UInt8]) {
        var decoder = FrameDecoder(maximumLength: 1000)
        decoder.isStartup = false
        feed(&decoder, bytes)
        #expect(throws: SQLError.self) { try decoder.next() }
        feed(&decoder, [0x53, 0, 0, 0, 4])
        #expect((try? decoder.next()) == .some(nil))
        #expect(decoder.bufferedBytes == 0)
    }

    @Test func startupPacketsAreSmall() {
        var decoder = FrameDecoder()
        feed(&decoder, [0, 0, 0x40, 0, 0, 3, 0, 0])
        #expect(throws: SQLError.self) { try decoder.next() }
    }
}
