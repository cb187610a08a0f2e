import Glibc
import SQLTypes

/// Decodes DEFLATE (RFC 1951) into a window of its own, two to three times as fast as the system's zlib: whole words of
/// input, tables that give a symbol with its extra bits in one look-up, copies of whole words. One thread at a time.
final class InflateDecoder {
    private enum State {
        case blockHeader
        case stored(Int)
        case coded
        case finished
    }
    var input: BitInput
    private var state = State.finished
    private var isLastBlock = false
    private let literals = HuffmanTable(rootBits: 11, symbols: 288)
    private let distances = HuffmanTable(rootBits: 8, symbols: 32)
    private let lengthCodes = HuffmanTable(rootBits: 7, symbols: 19)

    private static let history = 32 << 10
    private static let step = 256 << 10
    /// A match is written without looking for the end, up to 15 bytes too far.
    private static let slack = 512
    private let window: UnsafeMutablePointer<UInt8>
    /// Output behind `out` is to come; output before `fetched` has been fetched.
    private var out = 0
    private var fetched = 0

    init(_ input: CompressedInput) {
        self.input = BitInput(input)
        window = .allocate(capacity: InflateDecoder.history + InflateDecoder.step + InflateDecoder.slack)
    }
    deinit { window.deallocate() }

    /// Begins a new stream at the input's present place.
    func begin() {
        state = .blockHeader
        isLastBlock = false
        out = 0
        fetched = 0
    }

    /// The next decoded bytes, at most so many; valid until the next call, none at the end of the stream.
    func fetch(most: Int) throws -> UnsafeBufferPointer<UInt8> {
        if fetched == out { try decode() }
        let count = min(most, out - fetched)
        defer { fetched += count }
        return UnsafeBufferPointer(start: window + fetched, count: count)
    }

    private func decode() throws {
        if out > InflateDecoder.history {
            memmove(window, window + out - InflateDecoder.history, InflateDecoder.history)
            out = InflateDecoder.history
        }
        fetched = out
        let limit = InflateDecoder.history + InflateDecoder.step
        while out < limit {
            switch state {
            case .finished: return
            case .blockHeader: try readHeader()
            case .stored(let left): try copyStored(left, limit)
            case .coded:
                try decodeFast(limit)
                if case .coded = state { try decodeSymbol() }
            }
        }
    }

    private func endBlock() { state = isLastBlock ? .finished : .blockHeader }

    // MARK: Blocks

    private func readHeader() throws {
        isLastBlock = try input.take(1) == 1
        switch try input.take(2) {
        case 0:
            input.alignToByte()
            let length = try input.take(16)
            guard try input.take(16) == ~length & 0xFFFF else { throw input.error("invalid stored block lengths") }
            state = .stored(length)
        case 1:
            var lengths = [UInt8](repeating: 8, count: 288)
            for symbol in 144..<256 { lengths[symbol] = 9 }
            for symbol in 256..<280 { lengths[symbol] = 7 }
            try build(literals: lengths[...], distances: [UInt8](repeating: 5, count: 32)[...])
        case 2: try readCodes()
        default: throw input.error("invalid block type")
        }
    }

    private func copyStored(_ left: Int, _ limit: Int) throws {
        if left == 0 { return endBlock() }
        let count = try input.copyBytes(window + out, min(left, limit - out))
        out += count
        state = .stored(left - count)
    }

    /// The code lengths of a block with codes of its own.
    private func readCodes() throws {
        let literalCount = try input.take(5) + 257, distanceCount = try input.take(5) + 1
        let lengthCount = try input.take(4) + 4
        guard literalCount <= 286, distanceCount <= 30 else { throw input.error("too many length or distance symbols") }
        var first = [UInt8](repeating: 0, count: 19)
        for index in 0..<lengthCount { first[DeflateSymbols.lengthOrder[index]] = UInt8(try input.take(3)) }
        let isCode = first.withUnsafeBufferPointer { lengthCodes.build($0, DeflateSymbols.lengths) }
        guard isCode else { throw input.error("invalid code lengths set") }
        var lengths: [UInt8] = []
        let total = literalCount + distanceCount
        while lengths.count < total {
            let symbol = try takeSymbol(lengthCodes)
            if symbol < 16 {
                lengths.append(UInt8(symbol))
                continue
            }
            let previous = lengths.last
            guard symbol != 16 || previous != nil else { throw input.error("invalid bit length repeat") }
            let repeats =
                symbol == 16 ? try input.take(2) + 3 : symbol == 17 ? try input.take(3) + 3 : try input.take(7) + 11
            guard lengths.count + repeats <= total else { throw input.error("invalid bit length repeat") }
            lengths += [UInt8](repeating: symbol == 16 ? previous ?? 0 : 0, count: repeats)
        }
        guard lengths[256] > 0 else { throw input.error("invalid code -- missing end-of-block") }
        try build(literals: lengths[..<literalCount], distances: lengths[literalCount...])
    }

    private func takeSymbol(_ table: HuffmanTable) throws -> Int {
        try input.fill()
        let entry = table.entries[Int(input.bits & UInt64(1 << table.rootBits - 1))]
        guard entry & HuffmanTable.literal != 0 else { throw input.error("invalid code lengths set") }
        let length = Int(entry & 0xFF)
        guard length <= input.count else { throw input.error("unexpected end of file") }
        input.drop(length)
        return Int(entry >> 16 & 0xFF)
    }

    private func build(literals lengths: ArraySlice<UInt8>, distances more: ArraySlice<UInt8>) throws {
        guard lengths.withUnsafeBufferPointer({ literals.build($0, DeflateSymbols.literals) }) else {
            throw input.error("invalid literal/lengths set")
        }
        guard more.withUnsafeBufferPointer({ distances.build($0, DeflateSymbols.distances) }) else {
            throw input.error("invalid distances set")
        }
        state = .coded
    }

    // MARK: Symbols

    /// One symbol, with little input left.
    private func decodeSymbol() throws {
        try input.fill()
        let entry = try entry(literals, "invalid literal/length code")
        if entry & HuffmanTable.literal != 0 {
            window[out] = UInt8(truncatingIfNeeded: entry >> 16)
            out += 1
            return
        }
        if entry & HuffmanTable.endOfBlock != 0 { return endBlock() }
        let length = try value(entry)
        try input.fill()
        let distance = try value(try self.entry(distances, "invalid distance code"))
        guard distance <= out else { throw input.error("invalid distance too far back") }
        for index in out..<out + length { window[index] = window[index - distance] }
        out += length
    }

    /// The next entry that is no link. Literals and ends have been dropped, others not yet.
    private func entry(_ table: HuffmanTable, _ reason: String) throws -> HuffmanTable.Entry {
        var entry = table.entries[Int(input.bits & UInt64(1 << table.rootBits - 1))]
        if entry & HuffmanTable.link != 0 {
            guard table.rootBits <= input.count else { throw input.error("unexpected end of file") }
            input.drop(table.rootBits)
            let bits = Int(entry >> 8 & 31)
            entry = table.entries[Int(entry >> 16) + Int(input.bits & UInt64(1 << bits - 1))]
        }
        let isEnd = entry & HuffmanTable.endOfBlock != 0
        if entry & HuffmanTable.exceptional != 0 && !isEnd { throw input.error(reason) }
        guard Int(entry & 0xFF) <= input.count else { throw input.error("unexpected end of file") }
        if entry & HuffmanTable.literal != 0 || isEnd { input.drop(Int(entry & 0xFF)) }
        return entry
    }

    private func value(_ entry: HuffmanTable.Entry) throws -> Int {
        let total = Int(entry & 0xFF), code = Int(entry >> 8 & 31)
        let extra = input.bits & (1 << UInt64(total) - 1)
        input.drop(total)
        return Int(entry >> 16) + Int(extra >> UInt64(code))
    }

    /// Symbols while there is plenty of input and room.
    private func decodeFast(_ limit: Int) throws {
        var run = InflateRun(bits: input.bits, count: input.count, next: input.next, out: window + out)
        let end = run.decode(
            literals.entries, distances.entries, inputEnd: input.fastEnd, outputEnd: window + limit, oldest: window)
        input.bits = run.bits
        input.count = run.count
        input.next = run.next
        out = run.out - window
        switch end {
        case .exhausted: break
        case .endOfBlock: endBlock()
        case .invalidLiteral: throw input.error("invalid literal/length code")
        case .invalidDistance: throw input.error("invalid distance code")
        case .tooFarBack: throw input.error("invalid distance too far back")
        }
    }
}
