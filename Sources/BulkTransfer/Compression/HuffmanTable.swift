/// A Huffman code of DEFLATE (RFC 1951) as a look-up table: the next bits of the input are the index of an entry that
/// says what to do and how many bits to drop. Codes longer than the root lead to a second table. Not thread-safe.
final class HuffmanTable {
    /// An entry: bits 0-7 how many bits to drop, extra bits included; 8-12 how many of them are the code's; 16-30 a
    /// literal, the smallest length or distance, or where the second table begins (then 8-12 are its index bits).
    typealias Entry = UInt32
    static let literal: Entry = 1 << 31
    /// Neither a literal nor a length or distance.
    static let exceptional: Entry = 1 << 13
    static let link: Entry = 1 << 14
    static let endOfBlock: Entry = 1 << 15

    static let longestCode = 15
    let rootBits: Int
    let entries: UnsafeMutablePointer<Entry>
    private let capacity: Int

    /// - Parameter symbols: most symbols of a code.
    init(rootBits: Int, symbols: Int) {
        self.rootBits = rootBits
        // Every symbol with a long code may need a second table, of at most so many bits.
        capacity = 1 << rootBits + symbols << (HuffmanTable.longestCode - rootBits)
        entries = .allocate(capacity: capacity)
        entries.initialize(repeating: HuffmanTable.exceptional, count: capacity)
    }
    deinit { entries.deallocate() }

    /// Makes the table for code lengths, 0 where a symbol has none. `meanings` are entries without the code's length.
    /// False when the lengths are no code: more codes than there is room for, or less unless it is a single bit.
    func build(_ lengths: UnsafeBufferPointer<UInt8>, _ meanings: UnsafePointer<Entry>) -> Bool {
        var counts = [Int](repeating: 0, count: HuffmanTable.longestCode + 1)
        for length in lengths { counts[Int(length)] += 1 }
        counts[0] = 0
        let longest = counts.lastIndex { $0 > 0 } ?? 0
        var next = [Int](repeating: 0, count: HuffmanTable.longestCode + 2)
        var left = 1
        for length in 1...HuffmanTable.longestCode {
            left = left << 1 - counts[length]
            if left < 0 { return false }
            next[length + 1] = (next[length] + counts[length]) << 1
        }
        if left > 0 && longest > 1 { return false }
        for index in 0..<1 << rootBits { entries[index] = HuffmanTable.exceptional }
        var free = 1 << rootBits
        for symbol in lengths.indices where lengths[symbol] > 0 {
            let length = Int(lengths[symbol])
            let code = HuffmanTable.reversed(next[length], length)
            next[length] += 1
            add(code, length, longest, meanings[symbol], &free)
        }
        return true
    }

    private func add(_ code: Int, _ length: Int, _ longest: Int, _ meaning: Entry, _ free: inout Int) {
        var start = 0, bits = rootBits, code = code, length = length
        if length > rootBits {
            let prefix = code & (1 << rootBits - 1)
            bits = longest - rootBits
            if entries[prefix] & HuffmanTable.link == 0 {
                entries[prefix] =
                    HuffmanTable.exceptional | HuffmanTable.link | Entry(free) << 16 | Entry(bits) << 8
                    | Entry(rootBits)
                for index in free..<free + 1 << bits { entries[index] = HuffmanTable.exceptional }
                free += 1 << bits
            }
            start = Int(entries[prefix] >> 16)
            code >>= rootBits
            length -= rootBits
        }
        let entry = meaning + Entry(length) << 8 + Entry(length)
        for index in stride(from: code, to: 1 << bits, by: 1 << length) { entries[start + index] = entry }
    }

    private static func reversed(_ code: Int, _ length: Int) -> Int {
        var result = 0
        for bit in 0..<length where code >> bit & 1 == 1 { result |= 1 << (length - 1 - bit) }
        return result
    }
}

/// What the symbols of DEFLATE's codes mean, as entries without the code's length (RFC 1951, 3.2.5).
enum DeflateSymbols {
    /// Literals, the end of a block, lengths; 286 and 287 are no symbols.
    static let literals: [HuffmanTable.Entry] = {
        var entries = (0..<256).map { HuffmanTable.literal | HuffmanTable.Entry($0) << 16 }
        entries.append(HuffmanTable.exceptional | HuffmanTable.endOfBlock)
        var length: HuffmanTable.Entry = 3
        for symbol in 257..<285 {
            let extra = symbol < 265 ? 0 : HuffmanTable.Entry(symbol - 261) / 4
            entries.append(length << 16 | extra)
            length += 1 << extra
        }
        entries.append(258 << 16)
        return entries + [HuffmanTable.exceptional, HuffmanTable.exceptional]
    }()

    /// 30 and 31 are no symbols.
    static let distances: [HuffmanTable.Entry] = {
        var entries: [HuffmanTable.Entry] = []
        var distance: HuffmanTable.Entry = 1
        for symbol in 0..<30 {
            let extra = symbol < 4 ? 0 : HuffmanTable.Entry(symbol - 2) / 2
            entries.append(distance << 16 | extra)
            distance += 1 << extra
        }
        return entries + [HuffmanTable.exceptional, HuffmanTable.exceptional]
    }()

    /// The codes in which code lengths are written: symbols as they are.
    static let lengths: [HuffmanTable.Entry] = (0..<19).map { HuffmanTable.literal | HuffmanTable.Entry($0) << 16 }
    static let lengthOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
}
