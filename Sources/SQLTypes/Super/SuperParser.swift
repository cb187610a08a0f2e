/// JSON text to SUPER. Without recursion: open containers are the builder's. RFC 8259 and nothing beyond it: no
/// comments, no trailing commas, no leading zeros, no NaN.
package struct SuperParser {
    private let bytes: UnsafePointer<UInt8>
    private let count: Int
    private var index = 0
    private let builder: SuperBuilder

    /// Writes the value into the builder, which is emptied first.
    package static func parse(_ text: UnsafeBufferPointer<UInt8>, into builder: SuperBuilder) throws {
        builder.removeAll()
        guard text.count <= SuperForm.maximumBytes else { throw SuperForm.tooLong }
        var parser = SuperParser(text, builder)
        try parser.document()
        guard builder.out.count <= SuperForm.maximumBytes else { throw SuperForm.tooLong }
    }

    /// Whether ``parse(_:into:)`` would take the text.
    package static func accepts(_ text: UnsafeBufferPointer<UInt8>, _ builder: SuperBuilder) -> Bool {
        do {
            try parse(text, into: builder)
            return true
        } catch {
            return false
        }
    }

    private init(_ text: UnsafeBufferPointer<UInt8>, _ builder: SuperBuilder) {
        bytes = text.baseAddress ?? UnsafePointer(bitPattern: 128).unsafelyUnwrapped
        count = text.count
        self.builder = builder
    }

    /// The message, with what stands at the place.
    private func failure(_ reason: String) -> SQLError {
        let end = min(count, index + 32)
        let rest = index < end ? TextInput.quoted(bytes + index, end - index) : "the end of the text"
        return SQLError(
            .invalidText, "JSON parsing error", detail: "\(reason) at byte \(index) of the JSON text, at \(rest).")
    }

    private mutating func skipBlanks() {
        while index < count {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index &+= 1
            default: return
            }
        }
    }
    private mutating func accept(_ byte: UInt8) -> Bool {
        guard index < count, bytes[index] == byte else { return false }
        index &+= 1
        return true
    }

    private mutating func document() throws {
        while true {
            skipBlanks()
            if try beginsContainer() { continue }
            // After a value: the next one of its container, or the end of one or more.
            while true {
                skipBlanks()
                guard let isObject = builder.isInObject else {
                    guard index == count else { throw failure("unexpected text behind the value") }
                    return
                }
                if accept(0x2C) {
                    if isObject { try memberName() }
                    break
                }
                guard accept(isObject ? 0x7D : 0x5D) else { throw failure("comma or closing bracket expected") }
                try builder.end()
            }
        }
    }

    /// Reads a scalar or an empty container whole; true when a container has begun and its first value comes next.
    private mutating func beginsContainer() throws -> Bool {
        guard index < count else { throw failure("value expected") }
        switch bytes[index] {
        case 0x7B, 0x5B:
            let isObject = bytes[index] == 0x7B
            guard builder.depth < SuperForm.maximumDepth else { throw SuperForm.tooDeep }
            index &+= 1
            builder.begin(object: isObject)
            skipBlanks()
            if accept(isObject ? 0x7D : 0x5D) {
                try builder.end()
                return false
            }
            if isObject { try memberName() }
            return true
        case 0x22:
            index &+= 1
            builder.beginString()
            try string(into: builder.out)
            builder.endString()
        case 0x74:
            try word("true")
            builder.boolean(true)
        case 0x66:
            try word("false")
            builder.boolean(false)
        case 0x6E:
            try word("null")
            builder.null()
        default: try number()
        }
        return false
    }

    private mutating func memberName() throws {
        skipBlanks()
        guard accept(0x22) else { throw failure("name of a member expected") }
        try string(into: builder.nameBuffer)
        builder.endName()
        skipBlanks()
        guard accept(0x3A) else { throw failure("colon expected") }
    }

    private mutating func word(_ text: StaticString) throws {
        for place in 0..<text.utf8CodeUnitCount {
            guard accept(text.utf8Start[place]) else { throw failure("value expected") }
        }
    }

    // MARK: Strings

    /// Behind the opening quote, to behind the closing one.
    private mutating func string(into target: TextBuffer) throws {
        while true {
            let start = index
            while index < count, bytes[index] != 0x22, bytes[index] != 0x5C, bytes[index] >= 0x20 { index &+= 1 }
            if index > start {
                if let place = UTF8Text.firstInvalid(bytes + start, index - start) {
                    index = start + place
                    throw failure("invalid UTF-8")
                }
                target.append(bytes + start, index - start)
            }
            guard index < count else { throw failure("string without an end") }
            switch bytes[index] {
            case 0x22:
                index &+= 1
                return
            case 0x5C: try escape(into: target)
            default: throw failure("control character in a string")
            }
        }
    }

    private mutating func escape(into target: TextBuffer) throws {
        guard index + 1 < count else { throw failure("string without an end") }
        let plain: UInt8
        switch bytes[index + 1] {
        case 0x22: plain = 0x22
        case 0x5C: plain = 0x5C
        case 0x2F: plain = 0x2F
        case 0x62: plain = 8
        case 0x66: plain = 12
        case 0x6E: plain = 10
        case 0x72: plain = 13
        case 0x74: plain = 9
        case 0x75: return try codePoint(into: target)
        default: throw failure("unknown escape")
        }
        target.append(plain)
        index &+= 2
    }

    /// `\uXXXX`, two of them for what is beyond the basic plane. Halves of a pair and NUL are no characters.
    private mutating func codePoint(into target: TextBuffer) throws {
        guard let first = unit(at: index) else { throw failure("four hexadecimal digits expected") }
        var scalar = first
        var length = 6
        if first >= 0xD800 && first < 0xDC00 {
            guard let second = unit(at: index + 6), second >= 0xDC00, second < 0xE000 else {
                throw failure("half of a surrogate pair")
            }
            scalar = 0x10000 + (first - 0xD800) << 10 + (second - 0xDC00)
            length = 12
        } else if first >= 0xDC00 && first < 0xE000 {
            throw failure("half of a surrogate pair")
        }
        guard scalar != 0, let character = Unicode.Scalar(scalar), let encoded = UTF8.encode(character) else {
            throw failure("NUL in a string")
        }
        for byte in encoded { target.append(byte) }
        index &+= length
    }

    private func unit(at place: Int) -> UInt32? {
        guard place + 6 <= count, bytes[place] == 0x5C, bytes[place + 1] == 0x75 else { return nil }
        var value: UInt32 = 0
        for offset in 2..<6 {
            let byte = bytes[place + offset]
            let digit: UInt8
            switch byte {
            case 0x30...0x39: digit = byte - 0x30
            case 0x41...0x46: digit = byte - 0x37
            case 0x61...0x66: digit = byte - 0x57
            default: return nil
            }
            value = value << 4 | UInt32(digit)
        }
        return value
    }

    // MARK: Numbers

    /// Whole numbers of 64 bits are integers, other numbers without an exponent decimals as long as 38 digits hold
    /// them; everything else is a double.
    private mutating func number() throws {
        let start = index
        _ = accept(0x2D)
        let whole = index
        if !accept(0x30) { try digits() }
        let point = index
        var isDouble = false
        if accept(0x2E) { try digits() }
        let end = index
        if accept(0x65) || accept(0x45) {
            isDouble = true
            if !accept(0x2B) { _ = accept(0x2D) }
            try digits()
        }
        let scale = max(end - point - 1, 0)
        if !isDouble, let value = unscaled(whole, end) {
            let signed = whole > start ? -value : value
            if point == end, let narrow = Int64(exactly: signed) { return builder.integer(narrow) }
            if scale <= 37, DecimalArithmetic.fits(signed, precision: 38) {
                return builder.decimal(signed, scale: scale)
            }
        }
        guard let value = FloatText.parse(bytes + start, index - start), value.isFinite else {
            index = start
            throw failure("number out of range")
        }
        builder.double(value)
    }

    private mutating func digits() throws {
        let start = index
        while index < count, TextInput.isDigit(bytes[index]) { index &+= 1 }
        if index == start { throw failure("value expected") }
    }

    /// The digits as one integer; nil beyond 38 of them.
    private func unscaled(_ start: Int, _ end: Int) -> Int128? {
        var value: Int128 = 0
        var digits = 0
        for place in start..<end where bytes[place] != 0x2E {
            if value != 0 || bytes[place] != 0x30 { digits += 1 }
            if digits > 38 { return nil }
            value = value * 10 + Int128(bytes[place] &- 0x30)
        }
        return value
    }
}
