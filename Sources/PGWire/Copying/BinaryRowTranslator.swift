import SQLTypes
import Warehouse

/// Turns the rows of binary COPY into text rows, which is what loads understand. Pieces of any size.
struct BinaryRowTranslator {
    private let types: [SQLType]
    private let decoder: ParameterDecoder
    private var rest: [UInt8] = []
    private var place = 0
    private var hasHeader = false
    private var hasEnded = false
    private let text = TextBuffer()
    private let value = TextBuffer()

    init(types: [SQLType], context: DatetimeContext) {
        self.types = types
        decoder = ParameterDecoder(context: context)
    }

    mutating func translate(_ bytes: [UInt8]) throws -> [UInt8] {
        rest.removeFirst(place)
        place = 0
        rest += bytes
        text.removeAll()
        if try !hasHeader && !readHeader() { return [] }
        while !hasEnded, try readRow() {}
        return Array(text.bytes)
    }

    func finish() throws {
        if place < rest.count && !hasEnded || !hasHeader {
            throw BinaryRowTranslator.damaged("unexpected EOF in COPY data")
        }
    }

    private static func damaged(_ message: String) -> SQLError { SQLError("22P04", message) }

    private func integer(_ count: Int, at place: Int) -> Int {
        var value: Int64 = 0
        for index in 0..<count { value = value << 8 | Int64(rest[place + index]) }
        let shift = 64 - Int64(count) * 8
        return Int((value << shift) >> shift)
    }

    private mutating func readHeader() throws -> Bool {
        guard rest.count >= 19 else { return false }
        guard rest[..<11].elementsEqual(BinaryCopy.header[..<11]) else {
            throw BinaryRowTranslator.damaged("COPY file signature not recognized")
        }
        guard integer(4, at: 11) == 0 else {
            throw BinaryRowTranslator.damaged("unrecognized critical flags in COPY file header")
        }
        let more = integer(4, at: 15)
        guard more >= 0, more <= 1 << 16 else {
            throw BinaryRowTranslator.damaged("invalid COPY file header (wrong length)")
        }
        guard rest.count >= 19 + more else { return false }
        place = 19 + more
        hasHeader = true
        return true
    }

    /// False when the row is not there as a whole yet.
    private mutating func readRow() throws -> Bool {
        guard rest.count - place >= 2 else { return false }
        let count = integer(2, at: place)
        if count == -1 {
            hasEnded = true
            place = rest.count
            return false
        }
        guard count == types.count else {
            throw BinaryRowTranslator.damaged("row field count is \(count), expected \(types.count)")
        }
        var at = place + 2
        var fields: [Range<Int>?] = []
        for _ in 0..<count {
            guard rest.count - at >= 4 else { return false }
            let length = integer(4, at: at)
            at += 4
            if length == -1 {
                fields.append(nil)
                continue
            }
            guard length >= 0 else { throw BinaryRowTranslator.damaged("invalid field size") }
            guard rest.count - at >= length else { return false }
            fields.append(at..<at + length)
            at += length
        }
        for (index, field) in fields.enumerated() { try append(field, index) }
        text.append(UInt8(ascii: "\n"))
        place = at
        return true
    }

    private static func letter(_ byte: UInt8) -> UInt8 {
        switch byte {
        case 9: UInt8(ascii: "t")
        case 10: UInt8(ascii: "n")
        case 13: UInt8(ascii: "r")
        default: byte
        }
    }

    private func append(_ field: Range<Int>?, _ index: Int) throws {
        if index > 0 { text.append(UInt8(ascii: "\t")) }
        guard let field else { return text.append("\\N") }
        let parameter = try decoder.decode(Array(rest[field]), type: types[index], isBinary: true)
        value.removeAll()
        parameter.value.append(
            type: parameter.type, to: value, zone: decoder.context.zone, extraDigits: 3)
        for byte in value.bytes {
            switch byte {
            case 9, 10, 13, UInt8(ascii: "\\"):
                text.append(UInt8(ascii: "\\"))
                text.append(BinaryRowTranslator.letter(byte))
            default: text.append(byte)
            }
        }
    }
}
