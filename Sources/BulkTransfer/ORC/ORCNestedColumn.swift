import ColumnVectors
import SQLTypes

/// SERIALIZETOJSON: a nested column of a stripe, each row as JSON text: lists are arrays, structures and maps objects,
/// a union is the value that it has. Confined to one thread; texts point into memory of the arena.
final class ORCNestedColumn {
    private enum Shape {
        case value(ORCColumn)
        case structure([(name: [UInt8], column: ORCNestedColumn)])
        case list(ORCIntegers, ORCNestedColumn)
        case map(ORCIntegers, key: ORCNestedColumn, value: ORCNestedColumn)
        case union(ORCByteRuns, [ORCNestedColumn])
    }
    /// What the columns of a stripe are made from.
    struct Stripe {
        let types: [ORCFooter.Kinded]
        let encodings: [ORCStripeFooter.Encoding]
        let streams: [Int: [Int: [UInt8]]]
        let arena: StringArena
        /// Columns that may still be made: types may name each other in circles.
        var left = 10_000
    }
    private var present: ORCByteRuns?
    private var shape: Shape
    private let arena: StringArena
    private static let deepest = 64
    private static let largestBytes = 16 << 20

    init(_ number: Int, _ stripe: inout Stripe, depth: Int = 0) throws {
        stripe.left -= 1
        guard depth < ORCNestedColumn.deepest, stripe.left > 0, stripe.types.indices.contains(number),
            stripe.encodings.indices.contains(number), let type = ORCType(rawValue: stripe.types[number].kind)
        else { throw ORCDamage.message }
        arena = stripe.arena
        let (kinded, encoding) = (stripe.types[number], stripe.encodings[number])
        let streams = stripe.streams[number] ?? [:]
        func child(_ place: Int) throws -> ORCNestedColumn {
            guard kinded.children.indices.contains(place) else { throw ORCDamage.message }
            return try ORCNestedColumn(kinded.children[place], &stripe, depth: depth + 1)
        }
        func lengths() -> ORCIntegers {
            ORCIntegers(ORCBytes(streams[2] ?? []), isSigned: false, isSecondVersion: encoding.isSecondVersion)
        }
        switch type {
        case .list: shape = .list(lengths(), try child(0))
        case .map: shape = .map(lengths(), key: try child(0), value: try child(1))
        case .structure:
            guard kinded.names.count == kinded.children.count else { throw ORCDamage.message }
            shape = .structure(
                try kinded.names.enumerated().map { (name: Array($1.utf8), column: try child($0)) })
        case .union:
            shape = .union(ORCByteRuns(ORCBytes(streams[1] ?? [])), try kinded.children.indices.map(child))
        case .boolean, .byte, .short, .int, .long, .float, .double, .string, .binary, .timestamp, .decimal, .date,
            .varchar, .char, .instant:
            // It reads by itself which values are there.
            shape = .value(try ORCColumn(type, encoding, streams, stripe.arena))
            return
        }
        present = streams[0].map { ORCByteRuns(ORCBytes($0)) }
    }

    private let text = TextBuffer()

    /// The next row.
    func next() throws -> TypedValue {
        text.truncate(to: 0)
        guard try append(to: text) else { return .null }
        let copy = try arena.allocate(text.count + 64)
        copy.update(from: text.base, count: text.count)
        return .text(copy, text.count)
    }

    /// False, and nothing is appended, for NULL.
    private func append(to text: TextBuffer) throws -> Bool {
        if text.count > ORCNestedColumn.largestBytes {
            throw SQLError(.limitExceeded, "a nested value takes more than 16 MB as JSON")
        }
        if try present?.nextBit() == false { return false }
        switch shape {
        case .value(let column): return try ORCNestedColumn.append(try column.next(), to: text)
        case .structure(let members):
            text.append("{")
            for (index, member) in members.enumerated() {
                if index > 0 { text.append(",") }
                member.name.withUnsafeBufferPointer { appendJSON($0, to: text) }
                text.append(":")
                try member.column.appendOrNull(to: text)
            }
            text.append("}")
        case .list(var lengths, let element):
            let count = try lengths.next()
            shape = .list(lengths, element)
            text.append("[")
            try ORCNestedColumn.each(count) { index in
                if index > 0 { text.append(",") }
                try element.appendOrNull(to: text)
            }
            text.append("]")
        case .map(var lengths, let key, let value):
            let count = try lengths.next()
            shape = .map(lengths, key: key, value: value)
            text.append("{")
            try ORCNestedColumn.each(count) { index in
                if index > 0 { text.append(",") }
                try key.appendKey(to: text)
                text.append(":")
                try value.appendOrNull(to: text)
            }
            text.append("}")
        case .union(var tags, let columns):
            let tag = Int(try tags.next())
            shape = .union(tags, columns)
            guard columns.indices.contains(tag) else { throw ORCDamage(reason: "a union has no such member") }
            return try columns[tag].append(to: text)
        }
        return true
    }

    private static func each(_ count: Int64, _ body: (Int64) throws -> Void) throws {
        guard count >= 0 else { throw ORCDamage(reason: "a list has a negative length") }
        var index: Int64 = 0
        while index < count {
            try body(index)
            index += 1
        }
    }

    private func appendOrNull(to text: TextBuffer) throws {
        if !(try append(to: text)) { text.append("null") }
    }

    /// Keys of objects are strings.
    private func appendKey(to text: TextBuffer) throws {
        let start = text.count
        try appendOrNull(to: text)
        if text.count > start, text.base[start] == UInt8(ascii: "\"") { return }
        let key = Array(text.bytes[start...])
        text.truncate(to: start)
        key.withUnsafeBufferPointer { appendJSON($0, to: text) }
    }

    /// Numbers and booleans as they are, everything else as a string.
    private static func append(_ value: TypedValue, to text: TextBuffer) throws -> Bool {
        switch value {
        case .null: return false
        case .boolean, .number: TypedValueLoader.append(value, to: text)
        case .double(let number) where number.isFinite: TypedValueLoader.append(value, to: text)
        case .text(let bytes, let count): appendJSON(UnsafeBufferPointer(start: bytes, count: count), to: text)
        case .double, .date, .timestamp, .time:
            let shown = TextBuffer()
            TypedValueLoader.append(value, to: shown)
            appendJSON(shown.bytes, to: text)
        }
        return true
    }
}
