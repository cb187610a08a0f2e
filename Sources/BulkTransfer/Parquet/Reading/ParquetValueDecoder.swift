import ColumnVectors
import Glibc
import SQLTypes

/// The values of one page (NULLs have none), in runs of a step's rows at most. Numbers come as the file stores them,
/// truth values as bytes, everything else as views.
final class ParquetValueDecoder {
    private enum Way {
        case plain(width: Int)
        case plainBooleans
        case runBooleans(RunDecoder)
        case plainStrings
        case plainFixed(length: Int)
        case deltas(DeltaDecoder, isWide: Bool)
        case deltaLengths(DeltaDecoder)
        case deltaStrings(prefixes: DeltaDecoder, suffixes: DeltaDecoder)
        case split(width: Int, total: Int, isFixed: Bool)
    }
    private var way: Way
    private var bytes: ParquetBytes
    private let scratch: ParquetScratch
    /// Values of ``Way/split(width:total:isFixed:)``, bits of ``Way/plainBooleans``.
    private var done = 0
    /// The last string of DELTA_BYTE_ARRAY.
    private var previous: [UInt8] = []
    /// Of the last strings.
    private(set) var facts = StringFacts()

    init(
        _ page: ParquetBytes, _ physical: ParquetPhysical, length: Int, _ encoding: ParquetEncoding?,
        _ scratch: ParquetScratch
    ) throws {
        bytes = page
        self.scratch = scratch
        switch (encoding, physical) {
        case (.plain, .boolean): way = .plainBooleans
        case (.plain, .int32), (.plain, .float): way = .plain(width: 4)
        case (.plain, .int64), (.plain, .double): way = .plain(width: 8)
        case (.plain, .int96): way = .plainFixed(length: 12)
        case (.plain, .byteArray): way = .plainStrings
        case (.plain, .fixedByteArray): way = .plainFixed(length: length)
        case (.rle, .boolean):
            let size = try bytes.length()
            way = .runBooleans(try RunDecoder(try bytes.take(size), width: 1))
        case (.deltaBinaryPacked, .int32): way = .deltas(try DeltaDecoder(page), isWide: false)
        case (.deltaBinaryPacked, .int64): way = .deltas(try DeltaDecoder(page), isWide: true)
        case (.deltaLengthByteArray, .byteArray):
            let lengths = try DeltaDecoder(page)
            bytes = try lengths.rest()
            way = .deltaLengths(lengths)
        case (.deltaByteArray, .byteArray), (.deltaByteArray, .fixedByteArray):
            let prefixes = try DeltaDecoder(page)
            let suffixes = try DeltaDecoder(try prefixes.rest())
            bytes = try suffixes.rest()
            way = .deltaStrings(prefixes: prefixes, suffixes: suffixes)
        case (.byteStreamSplit, .int32), (.byteStreamSplit, .float): way = try Self.split(page, 4, isFixed: false)
        case (.byteStreamSplit, .int64), (.byteStreamSplit, .double): way = try Self.split(page, 8, isFixed: false)
        case (.byteStreamSplit, .fixedByteArray): way = try Self.split(page, length, isFixed: true)
        default: throw ParquetDamage("a page has values of type \(physical.name) in an unknown encoding")
        }
    }

    private static func split(_ page: ParquetBytes, _ width: Int, isFixed: Bool) throws -> Way {
        guard page.count % width == 0 else { throw ParquetDamage("a page does not hold whole values") }
        return .split(width: width, total: page.count / width, isFixed: isFixed)
    }

    /// The next values, at most ``ParquetLimits/stepRows``.
    ///
    /// - Parameters:
    ///   - target: where bytes and views may go; numbers stay where they are or go to the scratch memory.
    ///   - strings: keeps strings that are not in the page as they are.
    func next(_ count: Int, _ target: UnsafeMutableRawPointer, _ strings: StringArena) throws -> UnsafeRawPointer {
        switch way {
        case .plain(let width): return try bytes.take(count * width).start
        case .plainBooleans:
            guard done + count <= bytes.count * 8 else { throw ParquetDamage.truncated }
            unpackBits(bytes.start, firstBit: done, width: 1, count, target.assumingMemoryBound(to: UInt8.self))
            done += count
        case .runBooleans(var runs):
            try runs.decode(count, target.assumingMemoryBound(to: UInt8.self))
            way = .runBooleans(runs)
        case .plainStrings:
            facts = try viewPlainStrings(&bytes, count, target.assumingMemoryBound(to: StringView.self))
        case .plainFixed(let length):
            let from = try bytes.take(count * length).start
            viewFixed(from, length, count, target)
        case .deltas(var deltas, let isWide):
            let values = scratch.values.assumingMemoryBound(to: Int64.self)
            try deltas.decode(count, values)
            way = .deltas(deltas, isWide: isWide)
            if !isWide { narrow(values, count) }
            return UnsafeRawPointer(values)
        case .deltaLengths(var lengths):
            try lengths.decode(count, scratch.lengths)
            way = .deltaLengths(lengths)
            facts = try viewJoinedStrings(
                &bytes, scratch.lengths, count, target.assumingMemoryBound(to: StringView.self))
        case .deltaStrings(var prefixes, var suffixes):
            let prefixLengths = scratch.middle.assumingMemoryBound(to: Int64.self)
            try prefixes.decode(count, prefixLengths)
            try suffixes.decode(count, scratch.lengths)
            way = .deltaStrings(prefixes: prefixes, suffixes: suffixes)
            try build(prefixLengths, count, target.assumingMemoryBound(to: StringView.self), strings)
        case .split(let width, let total, let isFixed):
            guard done + count <= total else { throw ParquetDamage.truncated }
            defer { done += count }
            if !isFixed {
                joinByteStreams(bytes.start, width: width, total: total, first: done, count, scratch.values)
                return UnsafeRawPointer(scratch.values)
            }
            let joined = try strings.allocate(count * width + 16)
            joinByteStreams(
                bytes.start, width: width, total: total, first: done, count, UnsafeMutableRawPointer(joined))
            viewFixed(UnsafeRawPointer(joined), width, count, target)
        }
        return UnsafeRawPointer(target)
    }

    private func viewFixed(_ from: UnsafeRawPointer, _ length: Int, _ count: Int, _ target: UnsafeMutableRawPointer) {
        let views = target.assumingMemoryBound(to: StringView.self)
        let bytes = from.assumingMemoryBound(to: UInt8.self)
        for index in 0..<count { views[index] = StringView(bytes + index &* length, count: length) }
        facts = StringFacts(longest: length)
    }

    /// Each of 64 bits to 32, in place.
    private func narrow(_ values: UnsafeMutablePointer<Int64>, _ count: Int) {
        let narrow = UnsafeMutableRawPointer(values).assumingMemoryBound(to: Int32.self)
        for index in 0..<count { narrow[index] = Int32(truncatingIfNeeded: values[index]) }
    }

    /// Each string begins like the one before it.
    private func build(
        _ prefixes: UnsafePointer<Int64>, _ count: Int, _ views: UnsafeMutablePointer<StringView>,
        _ strings: StringArena
    ) throws {
        var built = 0
        var longest = 0
        for index in 0..<count {
            guard let prefix = Int(exactly: prefixes[index]), (0...previous.count).contains(prefix),
                let suffix = Int(exactly: scratch.lengths[index]), suffix >= 0
            else { throw ParquetDamage("a string's length is out of range") }
            let from = try bytes.take(suffix)
            let length = prefix + suffix
            built += length
            if built > ParquetLimits.builtStringBytes { throw ParquetDamage("strings take more than \(built) bytes") }
            let place = try strings.allocate(length + 8)
            previous.withUnsafeBytes { if let base = $0.baseAddress { memcpy(place, base, prefix) } }
            memcpy(place + prefix, from.start, suffix)
            views[index] = StringView(place, count: length)
            longest = max(longest, length)
            previous.removeLast(previous.count - prefix)
            previous.append(contentsOf: UnsafeRawBufferPointer(start: from.start, count: suffix))
        }
        facts = StringFacts(longest: longest)
    }
}
