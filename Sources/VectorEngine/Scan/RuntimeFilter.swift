import CIntrinsics
import ColumnVectors
import Glibc
import Platform
import QueryPlan
import SQLTypes

/// A condition that a finished build side puts on a column of the other side; scans apply it on encoded blocks, before
/// anything of the row is fetched. Rows whose column is NULL fail, unless the filter is negated.
struct RuntimeFilter {
    enum Test {
        /// Both bounds inclusive.
        case range(Int64, Int64)
        /// Exact: the row has a match. Negated: the row has none.
        case bitmap(KeyBitmap, negated: Bool)
        /// May let rows pass that have no match.
        case bloom(BloomFilter)
    }
    let column: ColumnID
    let test: Test
    /// Where the scan says that it applies the filter, so that the probe need not test again.
    let receipt: Receipt

    final class Receipt {
        var applied = false
    }

    init(column: ColumnID, test: Test, receipt: Receipt = Receipt()) {
        self.column = column
        self.test = test
        self.receipt = receipt
    }
    /// The same filter on another column with the same values.
    func renamed(_ column: ColumnID) -> RuntimeFilter { RuntimeFilter(column: column, test: test, receipt: receipt) }
}

/// A set of integers in a known range, one bit each. Filled by one thread or merged; read by all.
final class KeyBitmap: @unchecked Sendable {  // written before it is shared
    let base: Int64
    /// Number of values covered: base ..< base + range.
    let range: Int
    let wordCount: Int
    let words: UnsafeMutablePointer<UInt64>
    private let region: Region

    /// - Throws: when there is no memory for range / 8 bytes.
    init(lower: Int64, upper: Int64) throws {
        base = lower
        let (span, overflow) = upper.subtractingReportingOverflow(lower)
        guard !overflow, span >= 0, span < 1 << 36 else {
            throw SQLError(.internalError, "key range \(lower) ... \(upper) is too wide for a bitmap")
        }
        range = Int(span) + 1
        wordCount = (range + 63) / 64 + 2
        region = try MemoryRegions.shared.take(bytes: wordCount * 8)
        words = region.address.assumingMemoryBound(to: UInt64.self)
        memset(words, 0, wordCount * 8)
    }
    deinit { MemoryRegions.shared.give(back: region) }

    @inline(__always) func insert(_ value: Int64) {
        let bit = Int(value &- base)
        words[bit &>> 6] |= 1 &<< UInt64(bit & 63)
    }
    @inline(__always) func contains(_ value: Int64) -> Bool {
        let bit = UInt64(bitPattern: value &- base)
        return bit < UInt64(range) && (words[Int(bit &>> 6)] &>> (bit & 63)) & 1 != 0
    }
    func formUnion(_ other: KeyBitmap) { for i in 0..<wordCount { words[i] |= other.words[i] } }
    var count: Int {
        var total = 0
        for i in 0..<wordCount { total &+= words[i].nonzeroBitCount }
        return total
    }
}

/// A register-blocked Bloom filter over 64-bit keys: two bits in one word, one cache miss a test.
final class BloomFilter: @unchecked Sendable {  // written before it is shared
    let words: UnsafeMutablePointer<UInt64>
    let mask: Int
    private let region: Region

    /// - Parameter keys: expected number; about 16 bits are used for each.
    init(keys: Int) throws {
        var count = 1024
        while count < keys / 4 && count < 1 << 24 { count <<= 1 }
        mask = count - 1
        region = try MemoryRegions.shared.take(bytes: count * 8)
        words = region.address.assumingMemoryBound(to: UInt64.self)
        memset(words, 0, count * 8)
    }
    deinit { MemoryRegions.shared.give(back: region) }

    @inline(__always) static func hash(_ key: Int64) -> UInt64 {
        rb_crc32c_u64(0, UInt64(bitPattern: key)) &* 0x9E37_79B9_7F4A_7C15
    }
    @inline(__always) static func bits(_ hash: UInt64) -> UInt64 { (1 &<< (hash & 63)) | (1 &<< ((hash &>> 6) & 63)) }
    @inline(__always) func insert(_ key: Int64) {
        let hash = BloomFilter.hash(key)
        words[Int(truncatingIfNeeded: hash &>> 40) & mask] |= BloomFilter.bits(hash)
    }
    @inline(__always) func contains(_ key: Int64) -> Bool {
        let hash = BloomFilter.hash(key)
        let bits = BloomFilter.bits(hash)
        return words[Int(truncatingIfNeeded: hash &>> 40) & mask] & bits == bits
    }
}
