import SQLTypes
import Testing

@testable import PGWire

struct FrameDecoderTests {
    private func feed(_ decoder: inout FrameDecoder, _ bytes: [UInt8]) {
        bytes.withUnsafeBytes { decoder.append($0) }
    }

    /// Whether the next frame is an error; without one there is no frame either.
    private func fails(_ decoder: inout FrameDecoder) -> Bool {
        do {
            return try decoder.next() != nil
        } catch {
            return true
        }
    }

    @Test func framesComeOutWhole() throws {
        var decoder = FrameDecoder(maximumLength: 1000)
        decoder.isStartup = false
        let query: [UInt8] = [0x51, 0, 0, 0, 7, 0x3B, 0x3B, 0]
        for byte in query.dropLast() {
            feed(&decoder, [byte])
            let frame = try decoder.next()
            #expect(frame == nil)
        }
        feed(&decoder, [0, 0x53, 0, 0, 0, 4])
        let frames = [try decoder.next(), try decoder.next()].compactMap { $0 }
        try #require(frames.count == 2)
        let first = frames[0]
        #expect(first.type == 0x51 && first.body == [0x3B, 0x3B, 0])
        let second = frames[1]
        #expect(second.type == 0x53 && second.body.isEmpty)
        #expect(decoder.bufferedBytes == 0)
    }

    @Test(
        arguments: [
            [0x51, 0, 0, 0, 3], [0x51, 0xFF, 0xFF, 0xFF, 0xFF], [0x51, 0, 0, 4, 0], [0x51, 0x80, 0, 0, 0],
            [0x21, 0, 0, 0, 4], [0x00],
        ] as [[UInt8]])
    func badHeadersEndTheStream(_ bytes: [UInt8]) {
        var decoder = FrameDecoder(maximumLength: 1000)
        decoder.isStartup = false
        feed(&decoder, bytes)
        let isRefused = fails(&decoder)
        #expect(isRefused)
        feed(&decoder, [0x53, 0, 0, 0, 4])
        let goesOn = fails(&decoder)
        #expect(!goesOn)
        #expect(decoder.bufferedBytes == 0)
    }

    @Test func startupPacketsAreSmall() {
        var decoder = FrameDecoder()
        feed(&decoder, [0, 0, 0x40, 0, 0, 3, 0, 0])
        let isRefused = fails(&decoder)
        #expect(isRefused)
    }
}
