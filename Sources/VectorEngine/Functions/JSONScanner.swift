import SQLTypes

/// Reads JSON text in place, without making values: checks it, and finds members and elements by byte ranges.
struct JSONScanner {
    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private(set) var index = 0
    private static let maximumDepth = 512

    enum Failure: Error { case syntax }

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        self.bytes = bytes.baseAddress ?? UnsafePointer(bitPattern: 128).unsafelyUnwrapped
        count = bytes.count
    }

    var next: UInt8? { index < count ? bytes[index] : nil }

    mutating func skipBlanks() {
        while index < count, bytes[index] == 0x20 || (bytes[index] >= 9 && bytes[index] <= 13) { index += 1 }
    }
    mutating func accept(_ byte: UInt8) -> Bool {
        guard next == byte else { return false }
        index += 1
        return true
    }
    private mutating func expect(_ byte: UInt8) throws(Failure) { if !accept(byte) { throw .syntax } }

    /// One value with blanks around it; its range.
    mutating func value(depth: Int = 0) throws(Failure) -> Range<Int> {
        skipBlanks()
        let start = index
        guard depth < JSONScanner.maximumDepth, let byte = next else { throw .syntax }
        switch byte {
        case 0x7B: try members(depth) { (_: Range<Int>, _: Range<Int>) in true }
        case 0x5B: try elements(depth) { _ in true }
        case 0x22: _ = try string()
        case 0x74: try word("true")
        case 0x66: try word("false")
        case 0x6E: try word("null")
        default: try number()
        }
        let end = index
        skipBlanks()
        return start..<end
    }

    /// The members of an object, while the body wants more.
    mutating func members(
        _ depth: Int, _ body: (_ key: Range<Int>, _ value: Range<Int>) -> Bool
    ) throws(Failure) {
        try expect(0x7B)
        skipBlanks()
        if accept(0x7D) { return }
        var wanted = true
        while true {
            skipBlanks()
            let key = try string()
            skipBlanks()
            try expect(0x3A)
            let value = try value(depth: depth + 1)
            if wanted { wanted = body(key, value) }
            if accept(0x2C) { continue }
            return try expect(0x7D)
        }
    }

    mutating func elements(_ depth: Int, _ body: (Range<Int>) -> Bool) throws(Failure) {
        try expect(0x5B)
        skipBlanks()
        if accept(0x5D) { return }
        var wanted = true
        while true {
            let value = try value(depth: depth + 1)
            if wanted { wanted = body(value) }
            if accept(0x2C) { continue }
            return try expect(0x5D)
        }
    }

    /// The range between the quotes.
    private mutating func string() throws(Failure) -> Range<Int> {
        try expect(0x22)
        let start = index
        while index < count {
            switch bytes[index] {
            case 0x22:
                index += 1
                return start..<index - 1
            case 0x5C: try escape()
            case 0..<0x20: throw .syntax
            default: index += 1
            }
        }
        throw .syntax
    }

    private mutating func escape() throws(Failure) {
        guard index + 1 < count else { throw .syntax }
        let letter = bytes[index + 1]
        index += 2
        if letter == 0x75 {
            guard index + 4 <= count else { throw .syntax }
            for place in index..<index + 4 where JSONText.hexadecimal(bytes[place]) == nil { throw .syntax }
            index += 4
        } else if !"\"\\/bfnrt".utf8.contains(letter) {
            throw .syntax
        }
    }

    private mutating func word(_ text: StaticString) throws(Failure) {
        for place in 0..<text.utf8CodeUnitCount { try expect(text.utf8Start[place]) }
    }

    private mutating func number() throws(Failure) {
        _ = accept(0x2D)
        if !accept(0x30) { try digits() }
        if accept(0x2E) { try digits() }
        if accept(0x65) || accept(0x45) {
            if !accept(0x2B) { _ = accept(0x2D) }
            try digits()
        }
    }
    private mutating func digits() throws(Failure) {
        let start = index
        while index < count && TextInput.isDigit(bytes[index]) { index += 1 }
        if index == start { throw .syntax }
    }

    /// The whole text is one value.
    static func check(_ text: UnsafeBufferPointer<UInt8>) throws(Failure) -> UInt8 {
        var scanner = JSONScanner(text)
        let range = try scanner.value()
        if scanner.index < scanner.count { throw .syntax }
        return scanner.bytes[range.lowerBound]
    }
}

/// JSON strings as plain text.
enum JSONText {
    static func hexadecimal(_ byte: UInt8) -> UInt32? {
        if TextInput.isDigit(byte) { return UInt32(byte - 48) }
        let letter = byte | 32
        return letter >= 97 && letter <= 102 ? UInt32(letter - 87) : nil
    }

    /// A value as the text functions show it: strings without quotes and escapes, the rest as it stands.
    static func append(_ text: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        guard let first = text.first else { return }
        if first == 0x22 && text.count >= 2 {
            appendUnescaped(UnsafeBufferPointer(rebasing: text[1..<text.count - 1]), to: buffer)
        } else {
            buffer.append(text)
        }
    }

    static func appendUnescaped(_ text: UnsafeBufferPointer<UInt8>, to buffer: TextBuffer) {
        var index = 0
        while index < text.count {
            guard text[index] == 0x5C, index + 1 < text.count else {
                buffer.append(text[index])
                index += 1
                continue
            }
            let letter = text[index + 1]
            index += 2
            switch letter {
            case 0x62: buffer.append(8)
            case 0x66: buffer.append(12)
            case 0x6E: buffer.append(10)
            case 0x72: buffer.append(13)
            case 0x74: buffer.append(9)
            case 0x75: index += appendCodeUnit(text, index, to: buffer)
            default: buffer.append(letter)
            }
        }
    }

    /// `\u` escapes, surrogate pairs included. Returns how many bytes were read.
    private static func appendCodeUnit(_ text: UnsafeBufferPointer<UInt8>, _ index: Int, to buffer: TextBuffer) -> Int {
        func unit(_ at: Int) -> UInt32? {
            guard at + 4 <= text.count else { return nil }
            return (0..<4).reduce(UInt32(0)) { value, place in value << 4 | (hexadecimal(text[at + place]) ?? 0) }
        }
        guard let first = unit(index) else { return text.count - index }
        if first >= 0xD800 && first < 0xDC00, index + 6 <= text.count, text[index + 4] == 0x5C, text[index + 5] == 0x75,
            let second = unit(index + 6), second >= 0xDC00, second < 0xE000
        {
            CharacterWalk.append(0x10000 + (first - 0xD800) << 10 + (second - 0xDC00), to: buffer)
            return 10
        }
        // NUL and lone surrogates cannot be stored.
        let valid = first != 0 && (first < 0xD800 || first >= 0xE000)
        CharacterWalk.append(valid ? first : 0xFFFD, to: buffer)
        return 4
    }
}
