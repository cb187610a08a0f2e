import SQLTypes

/// One ORC file: footers, and the streams of its stripes. Safe from any thread, since it only reads.
final class ORCFile: Sendable {
    let index: Int
    let name: String
    let footer: ORCFooter
    private let input: any LoadInput
    private let size: Int64
    private let codec: BlockDecoder
    private let blockSize: Int
    /// Stripes are a few hundred megabytes at most; one column of one may not take more than this.
    private static let largestStream = 1 << 30

    init(_ input: any LoadInput, index: Int, name: String, size: Int64) throws {
        self.input = input
        self.index = index
        self.name = name
        self.size = size
        do {
            let tail = min(size, 256)
            guard size > 3, let last = try ORCFile.read(input, size - tail, Int(tail), size).last,
                Int64(last) < size - 1
            else { throw ORCDamage.message }
            let postscript = try ORCPostscript(
                try ORCFile.read(input, size - 1 - Int64(last), Int(last), size)[...])
            codec = try postscript.codec(name)
            blockSize = postscript.blockSize
            let start = size - 1 - Int64(last) - Int64(postscript.footerLength)
            let bytes = try ORCFile.read(input, start, postscript.footerLength, size)
            footer = try ORCFooter(try ORCFile.decode(bytes, codec, blockSize)[...])
        } catch let damage as ORCDamage {
            throw ORCFile.damaged(name, damage)
        }
    }

    static func damaged(_ name: String, _ damage: ORCDamage) -> SQLError {
        SQLError(.dataException, "ORC file \"\(name)\" is damaged: \(damage.reason)")
    }

    private static func read(_ input: any LoadInput, _ offset: Int64, _ count: Int, _ size: Int64) throws -> [UInt8] {
        guard offset >= 0, count >= 0, count <= largestStream, Int64(count) <= size, offset <= size - Int64(count)
        else { throw ORCDamage(reason: "a part lies outside of the file") }
        var bytes = [UInt8](repeating: 0, count: count)
        let got = try bytes.withUnsafeMutableBytes { try input.read(into: $0, at: offset) }
        guard got == count else { throw ORCDamage(reason: "the file became shorter while it was loaded") }
        return bytes
    }

    /// Streams and footers are cut into blocks, each with a length of three bytes whose lowest bit says that the block
    /// is stored as it is.
    private static func decode(_ bytes: [UInt8], _ codec: BlockDecoder, _ blockSize: Int) throws -> [UInt8] {
        if codec == .none { return bytes }
        var output: [UInt8] = []
        var block: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard index + 3 <= bytes.count else { throw ORCDamage.ended }
            let header = Int(bytes[index]) | Int(bytes[index + 1]) << 8 | Int(bytes[index + 2]) << 16
            index += 3
            let count = header >> 1
            guard count <= bytes.count - index else { throw ORCDamage.ended }
            if header & 1 == 1 {
                output += bytes[index..<index + count]
            } else {
                let isGood = bytes.withUnsafeBufferPointer {
                    codec.decode(UnsafeBufferPointer(rebasing: $0[index..<index + count]), into: &block)
                }
                guard isGood, block.count <= blockSize else {
                    throw ORCDamage(reason: "a block cannot be decompressed")
                }
                output += block
            }
            if output.count > largestStream { throw ORCDamage(reason: "a stream is too large") }
            index += count
        }
        return output
    }

    func stripeFooter(_ stripe: ORCFooter.Stripe) throws -> ORCStripeFooter {
        let (start, overflow) = stripe.offset.addingReportingOverflow(stripe.indexLength)
        let (end, tooLarge) = start.addingReportingOverflow(stripe.dataLength)
        if overflow || tooLarge { throw ORCDamage.message }
        let bytes = try ORCFile.read(input, Int64(end), stripe.footerLength, size)
        return try ORCStripeFooter(try ORCFile.decode(bytes, codec, blockSize)[...])
    }

    /// The decoded streams of some columns, by column and kind.
    func streams(
        _ stripe: ORCFooter.Stripe, _ footer: ORCStripeFooter, of columns: Set<Int>
    ) throws -> [Int: [Int: [UInt8]]] {
        var result: [Int: [Int: [UInt8]]] = [:]
        var offset = stripe.offset
        for stream in footer.streams {
            // Kinds from 6 on are indices and filters.
            if columns.contains(stream.column), stream.kind < 6 {
                let bytes = try ORCFile.read(input, Int64(offset), stream.length, size)
                result[stream.column, default: [:]][stream.kind] = try ORCFile.decode(bytes, codec, blockSize)
            }
            let (next, overflow) = offset.addingReportingOverflow(stream.length)
            if overflow { throw ORCDamage.message }
            offset = next
        }
        return result
    }
}
