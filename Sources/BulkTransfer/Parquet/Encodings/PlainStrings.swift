import ColumnVectors

/// What a loop over strings found out in passing.
struct StringFacts {
    var longest = 0
    /// Neither bytes above 127 nor NULs anywhere.
    var isPlain = false
}

/// Strings with their lengths in front, as views of the page.
func viewPlainStrings(
    _ bytes: inout ParquetBytes, _ count: Int, _ out: UnsafeMutablePointer<StringView>
) throws -> StringFacts {
    let first = bytes.start
    let end = bytes.end
    var place = first
    var longest = 0
    var empty = 0
    for index in 0..<count {
        guard end - place >= 4 else { throw ParquetDamage.truncated }
        let length = Int(UInt32(littleEndian: place.loadUnaligned(as: UInt32.self)))
        place += 4
        guard length <= end - place else { throw ParquetDamage.truncated }
        out[index] = view(place, length)
        longest = max(longest, length)
        empty &+= length == 0 ? 1 : 0
        place += length
    }
    _ = try bytes.take(place - first)
    // A length below 128 has three zero bytes, an empty string's four; any further one is a NUL in a string.
    if longest >= 128 { return StringFacts(longest: longest) }
    let (zeros, hasHighBits) = byteFacts(first, place - first)
    return StringFacts(longest: longest, isPlain: !hasHighBits && zeros == 3 * count + empty)
}

/// Strings one directly behind the other, with their lengths elsewhere.
func viewJoinedStrings(
    _ bytes: inout ParquetBytes, _ lengths: UnsafePointer<Int64>, _ count: Int,
    _ out: UnsafeMutablePointer<StringView>
) throws -> StringFacts {
    let first = bytes.start
    var longest = 0
    for index in 0..<count {
        guard let length = Int(exactly: lengths[index]), length >= 0 else {
            throw ParquetDamage("a string has \(lengths[index]) bytes")
        }
        out[index] = view(try bytes.take(length).start, length)
        longest = max(longest, length)
    }
    let (zeros, hasHighBits) = byteFacts(first, bytes.start - first)
    return StringFacts(longest: longest, isPlain: !hasHighBits && zeros == 0)
}

/// Loads four bytes in any case: readable memory follows the page.
@inline(__always)
private func view(_ place: UnsafeRawPointer, _ length: Int) -> StringView {
    let used: UInt64 = (1 &<< UInt64(truncatingIfNeeded: min(length, 4) &* 8)) &- 1
    let word = UInt32(littleEndian: place.loadUnaligned(as: UInt32.self))
    return StringView(
        count: UInt32(truncatingIfNeeded: length), prefix: word & UInt32(truncatingIfNeeded: used),
        pointer: place.assumingMemoryBound(to: UInt8.self))
}

/// How many bytes are zero, and whether any is above 127. The first is right only where the second is false.
func byteFacts(_ bytes: UnsafeRawPointer, _ count: Int) -> (zeros: Int, hasHighBits: Bool) {
    let words = count &>> 3
    var high: UInt64 = 0
    var zeros = 0
    for index in 0..<words {
        let word = bytes.loadUnaligned(fromByteOffset: index &<< 3, as: UInt64.self)
        high |= word
        zeros &+= (~(word &+ 0x7F7F_7F7F_7F7F_7F7F) & 0x8080_8080_8080_8080).nonzeroBitCount
    }
    for index in words &<< 3..<count {
        let byte = bytes.load(fromByteOffset: index, as: UInt8.self)
        high |= UInt64(byte)
        zeros &+= byte == 0 ? 1 : 0
    }
    return (zeros, high & 0x8080_8080_8080_8080 != 0)
}
