import ColumnVectors
import SQLTypes

/// The values of one column of a stripe, from the first to the last. Confined to one thread; strings point into memory
/// of the arena.
final class ORCColumn {
    private enum Source {
        case bits(ORCByteRuns)
        case bytes(ORCByteRuns)
        case integers(ORCIntegers, ORCType)
        case floats(ORCBytes, width: Int)
        case strings(UnsafeMutablePointer<UInt8>, left: Int, ORCIntegers)
        case dictionary([(UnsafeMutablePointer<UInt8>, Int)], ORCIntegers)
        case decimals(ORCBytes, ORCIntegers)
        case timestamps(ORCIntegers, ORCIntegers, isInstant: Bool)
    }
    private var present: ORCByteRuns?
    private var source: Source
    /// 2015-01-01 in seconds since 1970.
    private static let epoch: Int64 = 1_420_070_400

    /// The decoded streams by kind.
    init(_ type: ORCType, _ encoding: ORCStripeFooter.Encoding, _ streams: [Int: [UInt8]], _ arena: StringArena) throws
    {
        func stream(_ kind: Int) -> ORCBytes { ORCBytes(streams[kind] ?? []) }
        func integers(_ kind: Int, isSigned: Bool) -> ORCIntegers {
            ORCIntegers(stream(kind), isSigned: isSigned, isSecondVersion: encoding.isSecondVersion)
        }
        present = streams[0].map { ORCByteRuns(ORCBytes($0)) }
        switch type {
        case .boolean: source = .bits(ORCByteRuns(stream(1)))
        case .byte: source = .bytes(ORCByteRuns(stream(1)))
        case .short, .int, .long, .date: source = .integers(integers(1, isSigned: true), type)
        case .float: source = .floats(stream(1), width: 4)
        case .double: source = .floats(stream(1), width: 8)
        case .decimal: source = .decimals(stream(1), integers(5, isSigned: true))
        case .timestamp, .instant:
            source = .timestamps(
                integers(1, isSigned: true), integers(5, isSigned: false), isInstant: type == .instant)
        case .string, .binary, .varchar, .char:
            if !encoding.isDictionary {
                let text = try ORCColumn.keep(streams[1] ?? [], arena)
                source = .strings(text, left: streams[1]?.count ?? 0, integers(2, isSigned: false))
                return
            }
            let entries = try ORCColumn.entries(
                streams[3] ?? [], encoding.dictionarySize, integers(2, isSigned: false), arena)
            source = .dictionary(entries, integers(1, isSigned: false))
        case .list, .map, .structure, .union: throw ORCDamage(reason: "nested columns are not read")
        }
    }

    /// A copy with room behind it, where readers of strings may look.
    private static func keep(_ bytes: [UInt8], _ arena: StringArena) throws -> UnsafeMutablePointer<UInt8> {
        let copy = try arena.allocate(bytes.count + 64)
        bytes.withUnsafeBufferPointer { if let base = $0.baseAddress { copy.update(from: base, count: bytes.count) } }
        return copy
    }

    private static func entries(
        _ bytes: [UInt8], _ size: Int, _ lengths: ORCIntegers, _ arena: StringArena
    ) throws -> [(UnsafeMutablePointer<UInt8>, Int)] {
        var lengths = lengths
        var text = try keep(bytes, arena)
        var left = bytes.count
        var entries: [(UnsafeMutablePointer<UInt8>, Int)] = []
        // Grows with the lengths that are there, whatever the size says.
        for _ in 0..<size {
            guard let count = Int(exactly: try lengths.next()), count >= 0, count <= left else { throw ORCDamage.ended }
            entries.append((text, count))
            text += count
            left -= count
            if entries.count > 1 << 26 { throw ORCDamage(reason: "a dictionary is too large") }
        }
        return entries
    }

    func next() throws -> TypedValue {
        if try present?.nextBit() == false { return .null }
        switch source {
        case .bits(var runs):
            defer { source = .bits(runs) }
            return .boolean(try runs.nextBit())
        case .bytes(var runs):
            defer { source = .bytes(runs) }
            return .number(Int128(Int8(bitPattern: try runs.next())), scale: 0)
        case .integers(var integers, let type):
            source = .bits(ORCByteRuns(ORCBytes([])))
            let number = try integers.next()
            source = .integers(integers, type)
            return type == .date ? .day(number) : .number(Int128(number), scale: 0)
        case .floats(var bytes, let width):
            source = .bits(ORCByteRuns(ORCBytes([])))
            let pattern = try bytes.little(width)
            source = .floats(bytes, width: width)
            if width == 8 { return .double(Double(bitPattern: pattern)) }
            return .double(Double(Float(bitPattern: UInt32(truncatingIfNeeded: pattern))))
        case .strings(let text, let left, var lengths):
            source = .bits(ORCByteRuns(ORCBytes([])))
            guard let count = Int(exactly: try lengths.next()), count >= 0, count <= left else { throw ORCDamage.ended }
            source = .strings(text + count, left: left - count, lengths)
            return .text(text, count)
        case .dictionary(let entries, var indices):
            source = .bits(ORCByteRuns(ORCBytes([])))
            let index = try indices.next()
            source = .dictionary(entries, indices)
            guard index >= 0, index < entries.count else { throw ORCDamage(reason: "a dictionary has no such entry") }
            return .text(entries[Int(index)].0, entries[Int(index)].1)
        case .decimals(var bytes, var scales):
            source = .bits(ORCByteRuns(ORCBytes([])))
            let number = try bytes.wide()
            let scale = try scales.next()
            source = .decimals(bytes, scales)
            guard scale >= 0, scale <= 38 else { throw ORCDamage(reason: "a decimal has an impossible scale") }
            return .number(number, scale: Int(scale))
        case .timestamps(var seconds, var parts, let isInstant):
            source = .bits(ORCByteRuns(ORCBytes([])))
            let second = try seconds.next()
            let part = try parts.next()
            source = .timestamps(seconds, parts, isInstant: isInstant)
            return try ORCColumn.timestamp(second, part, isInstant)
        }
    }

    /// The lowest three bits say how many zeros were cut off the nanoseconds.
    private static func timestamp(_ second: Int64, _ part: Int64, _ isInstant: Bool) throws -> TypedValue {
        // Some writers have negative ones before 1970.
        var nanoseconds = part >> 3
        let zeros = part & 7
        if zeros > 0 { for _ in 0...zeros { nanoseconds = nanoseconds &* 10 } }
        guard nanoseconds.magnitude < 1_000_000_000 else { throw ORCDamage(reason: "a timestamp is impossible") }
        var (whole, overflow) = second.addingReportingOverflow(epoch)
        // Writers cut towards zero before 1970.
        if whole < 0 && nanoseconds > 999_999 { whole = whole &- 1 }
        let (micros, tooLarge) = whole.multipliedReportingOverflow(by: 1_000_000)
        let (sum, alsoTooLarge) = micros.addingReportingOverflow(nanoseconds / 1000)
        overflow = overflow || tooLarge || alsoTooLarge
        if overflow { throw ORCDamage(reason: "a timestamp is impossible") }
        return .moment(sum, isInstant: isInstant)
    }
}
