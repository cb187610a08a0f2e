import Glibc
import SQLTypes

/// A string value in a vector: 16 bytes, pointing at UTF-8 bytes that someone else owns (a block, an arena, a
/// constant).
///
/// The first four bytes stand in the view itself, zero-padded, so that most comparisons end without touching the bytes.
/// Order is that of unsigned bytes, which is the order of code points. The `trimmed` forms follow SQL: trailing
/// blanks do not count in comparisons, grouping and joins. The plain forms are right where no value ends in a blank.
@frozen
public struct StringView: @unchecked Sendable {  // only lent; the owner of the bytes outlives it
    public var count: UInt32
    /// The first bytes as a little-endian word.
    public var prefix: UInt32
    public var pointer: UnsafePointer<UInt8>

    @inlinable @inline(__always)
    public init(count: UInt32, prefix: UInt32, pointer: UnsafePointer<UInt8>) {
        self.count = count
        self.prefix = prefix
        self.pointer = pointer
    }

    @inlinable @inline(__always)
    public init(_ pointer: UnsafePointer<UInt8>, count: Int) {
        self.count = UInt32(truncatingIfNeeded: count)
        self.prefix = StringView.prefix(pointer, count)
        self.pointer = pointer
    }

    /// A view of no bytes; its pointer is never read.
    @inlinable public static var empty: StringView {
        StringView(count: 0, prefix: 0, pointer: UnsafePointer(bitPattern: 128).unsafelyUnwrapped)
    }

    @inlinable @inline(__always)
    public static func prefix(_ pointer: UnsafePointer<UInt8>, _ count: Int) -> UInt32 {
        if count >= 4 {
            return UInt32(littleEndian: UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
        }
        var word: UInt32 = 0
        if count > 0 { word = UInt32(pointer[0]) }
        if count > 1 { word |= UInt32(pointer[1]) &<< 8 }
        if count > 2 { word |= UInt32(pointer[2]) &<< 16 }
        return word
    }

    @inlinable public var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: pointer, count: Int(count))
    }

    /// Count and prefix in one word: equal strings have equal heads.
    @inlinable @inline(__always)
    public var head: UInt64 { UInt64(count) | UInt64(prefix) &<< 32 }

    @inlinable @inline(__always)
    public static func equal(_ left: StringView, _ right: StringView) -> Bool {
        if left.head != right.head { return false }
        return left.count <= 4 || memcmp(left.pointer, right.pointer, Int(left.count)) == 0
    }

    /// Negative, zero or positive, like `memcmp`.
    @inlinable @inline(__always)
    public static func compare(_ left: StringView, _ right: StringView) -> Int {
        if left.prefix != right.prefix { return left.prefix.byteSwapped < right.prefix.byteSwapped ? -1 : 1 }
        let shared = Int(min(left.count, right.count))
        if shared > 4 {
            let order = memcmp(left.pointer + 4, right.pointer + 4, shared - 4)
            if order != 0 { return Int(order) }
        }
        return Int(left.count) - Int(right.count)
    }

    @inlinable @inline(__always)
    public var endsWithBlank: Bool { count > 0 && pointer[Int(count) - 1] == 0x20 }

    /// The length without trailing blanks.
    @inlinable @inline(__always)
    public var trimmedCount: Int {
        var length = Int(count)
        while length > 0 && pointer[length - 1] == 0x20 { length -= 1 }
        return length
    }

    /// The view without trailing blanks.
    @inlinable @inline(__always)
    public var trimmed: StringView { endsWithBlank ? StringView(pointer, count: trimmedCount) : self }

    @inlinable
    public static func equalTrimmed(_ left: StringView, _ right: StringView) -> Bool {
        equal(left.trimmed, right.trimmed)
    }

    @inlinable @inline(__always)
    public static func compareTrimmed(_ left: StringView, _ right: StringView) -> Int {
        let different = left.prefix ^ right.prefix
        if different != 0 {
            // The first bytes that differ decide, but for a blank: it may be one of those that do not count.
            let shift = UInt32(truncatingIfNeeded: different.trailingZeroBitCount & 24)
            let a = (left.prefix &>> shift) & 0xFF, b = (right.prefix &>> shift) & 0xFF
            if a != 0x20 && b != 0x20 { return a < b ? -1 : 1 }
        }
        return compareTrimmedWhole(left, right)
    }

    @inlinable
    static func compareTrimmedWhole(_ left: StringView, _ right: StringView) -> Int {
        compare(left.trimmed, right.trimmed)
    }

    /// A 64-bit hash of the bytes. Equal bytes have equal hashes in every process of this version.
    @inlinable @inline(__always)
    public var hash: UInt64 { StringHash.hash(pointer, Int(count), prefix: prefix) }

    /// The hash of the trimmed view; the same as ``hash`` for a view without trailing blanks.
    @inlinable
    public var hashTrimmed: UInt64 { trimmed.hash }
}

/// Multiply-and-fold hashing of short byte strings.
public enum StringHash {
    @inlinable @inline(__always)
    public static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }

    @inlinable @inline(__always)
    public static func hash(_ pointer: UnsafePointer<UInt8>, _ count: Int, prefix: UInt32) -> UInt64 {
        let seed = 0x2D35_8DCC_AA6C_78A5 ^ UInt64(truncatingIfNeeded: count)
        if count <= 4 { return mix(UInt64(prefix) ^ 0x8BB8_4B93_962E_ACC9, seed) }
        let raw = UnsafeRawPointer(pointer)
        if count <= 8 {
            let last = raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)
            return mix(UInt64(prefix) ^ UInt64(last) &<< 32 ^ 0x8BB8_4B93_962E_ACC9, seed)
        }
        return long(raw, count, seed)
    }

    @inlinable
    static func long(_ raw: UnsafeRawPointer, _ count: Int, _ seed: UInt64) -> UInt64 {
        var state = seed
        var offset = 0
        while offset &+ 16 < count {
            let first = raw.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
            let second = raw.loadUnaligned(fromByteOffset: offset &+ 8, as: UInt64.self)
            state = mix(first ^ 0x8BB8_4B93_962E_ACC9, second ^ state)
            offset &+= 16
        }
        // The rest is 1 to 16 bytes; the loads reach back over bytes already seen instead of past the end.
        let low = raw.loadUnaligned(fromByteOffset: max(count &- 16, 0), as: UInt64.self)
        let high = raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self)
        return mix(mix(low ^ 0x4B33_A62E_D433_D4A3, high ^ state), 0x4D5A_2DA5_1DE1_AA47)
    }
}
