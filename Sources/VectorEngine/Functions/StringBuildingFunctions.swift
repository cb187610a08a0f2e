import ColumnVectors
import QueryPlan
import SQLTypes

/// String functions that make new text.
enum StringBuildingFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .concatenate: concatenate
        case .leftPad: pad(left: true)
        case .rightPad: pad(left: false)
        case .replace: replace
        case .translate: translate
        case .reverse: reverse
        case .repeatText: repeatText
        case .character: character
        case .quoteLiteral: quoteLiteral
        case .quoteIdentifier: quoteIdentifier
        case .strtol: strtol
        case .toHex: toHex
        case .urlEncode: urlEncode
        default: nil
        }
    }

    static let concatenate = FunctionKernel { _ in
        { frame in
            let left = frame.arguments[0].values(StringView.self)
            let right = frame.arguments[1].values(StringView.self)
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                let (a, b) = (left[row], right[row])
                let (first, second) = (Int(a.count), Int(b.count))
                try TextLimit.check(first + second)
                let target = try frame.arena.allocate(first + second)
                target.update(from: a.pointer, count: first)
                (target + first).update(from: b.pointer, count: second)
                output[row] = first + second == 0 ? .empty : StringView(target, count: first + second)
            }
        }
    }

    /// All pieces of a long chain at once: each `||` on its own would make every beginning of the result, too.
    static let concatenateAll = FunctionKernel { _ in
        { frame in
            let pieces = frame.arguments.map { $0.values(StringView.self) }
            let output = frame.output(StringView.self)
            try frame.forEachRow { row in
                var total = 0
                for piece in pieces { total += Int(piece[row].count) }
                try TextLimit.check(total)
                let target = try frame.arena.allocate(total)
                var end = target
                for piece in pieces {
                    let view = piece[row]
                    end.update(from: view.pointer, count: Int(view.count))
                    end += Int(view.count)
                }
                output[row] = total == 0 ? .empty : StringView(target, count: total)
            }
        }
    }

    // MARK: Padding

    /// [text, length, fill]
    static func pad(left: Bool) -> FunctionKernel {
        .text { frame, row, buffer in
            let text = frame.string(0, row)
            let fill = frame.string(2, row)
            let wanted = max(frame.int32(1, row), 0)
            let present = CharacterWalk.count(text)
            let missing = wanted - present
            if missing <= 0 || fill.count == 0 {
                return buffer.append(StringFunctions.characters(text, from: 0, to: wanted).bytes)
            }
            try TextLimit.check(missing)
            if !left { buffer.append(text.bytes) }
            try appendRepeated(fill, characters: missing, to: buffer)
            if left { buffer.append(text.bytes) }
        }
    }

    /// So many characters of endless repetitions of `fill`.
    private static func appendRepeated(_ fill: StringView, characters: Int, to buffer: TextBuffer) throws {
        let size = CharacterWalk.count(fill)
        let (whole, rest) = characters.quotientAndRemainder(dividingBy: size)
        try TextLimit.check(whole * Int(fill.count))
        buffer.append(fill.bytes, times: whole)
        buffer.append(StringFunctions.characters(fill, from: 0, to: rest).bytes)
    }

    static let repeatText = FunctionKernel.text { frame, row, buffer in
        let text = frame.string(0, row)
        let times = max(frame.int32(1, row), 0)
        if text.count == 0 || times == 0 { return }
        try TextLimit.check(times)
        try TextLimit.check(times * Int(text.count))
        buffer.append(text.bytes, times: times)
    }

    // MARK: Replacing

    /// [text, from, to]
    static let replace = FunctionKernel.text { frame, row, buffer in
        let text = frame.string(0, row)
        let from = frame.string(1, row).bytes
        let to = frame.string(2, row).bytes
        if from.count == 0 { return buffer.append(text.bytes) }
        var start = 0
        while true {
            let rest = UnsafeBufferPointer(start: text.pointer + start, count: Int(text.count) - start)
            guard let place = ByteSearch.first(of: from, in: rest) else { return buffer.append(rest) }
            buffer.append(UnsafeBufferPointer(start: text.pointer + start, count: place))
            buffer.append(to)
            try TextLimit.check(buffer.count)
            start += place + from.count
        }
    }

    /// [text, from, to]: character by character; those without a partner are deleted.
    static let translate = FunctionKernel { site in
        let fixed: Translation? = site.text(1).flatMap { from in
            site.text(2).map { to in
                from.withUnsafeBufferPointer { a in to.withUnsafeBufferPointer { Translation(a, $0) } }
            }
        }
        return { frame in
            let result = TextResult(frame)
            try frame.forEachRow { row in
                let table = fixed ?? Translation(frame.string(1, row).bytes, frame.string(2, row).bytes)
                table.append(frame.string(0, row), to: result.buffer)
                try result.put(row)
            }
        }
    }

    /// What TRANSLATE makes of characters.
    private struct Translation {
        /// nil: the character is deleted.
        private var targets: [UInt32: UInt32?] = [:]
        /// For ASCII: the byte that stands for it, or one of these.
        private var bytes = (0..<128).map { Int16($0) }
        private static let deleted: Int16 = -1
        private static let other: Int16 = -2

        init(_ from: UnsafeBufferPointer<UInt8>, _ to: UnsafeBufferPointer<UInt8>) {
            let wanted = CharacterWalk.scalars(to)
            for (index, scalar) in CharacterWalk.scalars(from).enumerated() where targets[scalar] == nil {
                let target = index < wanted.count ? wanted[index] : nil
                targets.updateValue(target, forKey: scalar)
                guard scalar < 0x80 else { continue }
                bytes[Int(scalar)] =
                    target.map { $0 < 0x80 ? Int16($0) : Translation.other } ?? Translation.deleted
            }
        }

        func append(_ text: StringView, to buffer: TextBuffer) {
            let count = Int(text.count)
            let target = buffer.room(count)
            var (index, written) = (0, 0)
            bytes.withUnsafeBufferPointer { bytes in
                while index < count && text.pointer[index] < 0x80 {
                    let byte = bytes[Int(text.pointer[index])]
                    if byte == Translation.other { break }
                    target[written] = UInt8(truncatingIfNeeded: byte)
                    written &+= byte < 0 ? 0 : 1
                    index &+= 1
                }
            }
            buffer.advance(written)
            while index < count {
                let (scalar, length) = CharacterWalk.scalar(text.pointer + index, count - index)
                if let known = targets[scalar] {
                    if let known { CharacterWalk.append(known, to: buffer) }
                } else {
                    buffer.append(text.pointer + index, length)
                }
                index += length
            }
        }
    }

    static let reverse = FunctionKernel.text { frame, row, buffer in
        let text = frame.string(0, row)
        var end = Int(text.count)
        let target = buffer.room(end)
        if TextInput.isASCII(text.pointer, end) {
            for index in 0..<end { target[index] = text.pointer[end &- 1 &- index] }
            return buffer.advance(end)
        }
        while end > 0 {
            let start = CharacterWalk.offset(text.pointer, end, fromEnd: 1)
            buffer.append(text.pointer + start, end - start)
            end = start
        }
    }

    // MARK: Single characters, quoting

    static let character = FunctionKernel { _ in
        { frame in
            let result = TextResult(frame)
            let codes = frame.arguments[0].values(Int32.self)
            try frame.forEachRow { row in
                // NUL cannot be stored, and surrogates are no characters.
                guard codes[row] > 0, Unicode.Scalar(UInt32(codes[row])) != nil else { return result.null(row) }
                CharacterWalk.append(UInt32(codes[row]), to: result.buffer)
                try result.put(row)
            }
        }
    }

    static let quoteLiteral = FunctionKernel.text { frame, row, buffer in
        appendQuoted(frame.string(0, row), 0x27, to: buffer)
    }

    private static func appendQuoted(_ view: StringView, _ quote: UInt8, to buffer: TextBuffer) {
        buffer.append(quote)
        for byte in view.bytes {
            if byte == quote || (byte == 0x5C && quote == 0x27) { buffer.append(byte) }
            buffer.append(byte)
        }
        buffer.append(quote)
    }

    static let quoteIdentifier = FunctionKernel.text { frame, row, buffer in
        let name = frame.string(0, row)
        var plain = name.count > 0 && !TextInput.isDigit(name.pointer[0])
        for byte in name.bytes {
            let lower = byte &- 0x61 < 26 || byte == 0x5F || TextInput.isDigit(byte)
            if !lower { plain = false }
        }
        if plain { buffer.append(name.bytes) } else { appendQuoted(name, 0x22, to: buffer) }
    }

    static let urlEncode = FunctionKernel.text { frame, row, buffer in
        for byte in frame.string(0, row).bytes {
            if TextInput.isLetter(byte) || TextInput.isDigit(byte) || "-_.~".utf8.contains(byte) {
                buffer.append(byte)
            } else {
                buffer.append(0x25)
                buffer.append(Hexadecimal.upper[Int(byte >> 4)])
                buffer.append(Hexadecimal.upper[Int(byte & 15)])
            }
        }
    }

    // MARK: Numbers as text

    /// Negative numbers have as many digits as their type has.
    static let toHex = FunctionKernel { site in
        let isShort = site.arguments[0] == .integer
        return try FunctionKernel.text { frame, row, buffer in
            let value =
                isShort
                ? UInt64(UInt32(bitPattern: frame.arguments[0].values(Int32.self)[row]))
                : UInt64(bitPattern: frame.arguments[0].values(Int64.self)[row])
            Hexadecimal.append(value, digits: max(1, 16 - value.leadingZeroBitCount / 4), to: buffer)
        }.make(site)
    }

    /// [text, base]
    static let strtol = FunctionKernel.binary(StringView.self, Int32.self, Int64.self) { text, base in
        guard base >= 2 && base <= 36 else {
            throw SQLError(.invalidParameterValue, "base must be in the range [2,36]")
        }
        let (start, end) = TextInput.trimmed(text.pointer, Int(text.count))
        var word = Substring(
            decoding: UnsafeBufferPointer(start: text.pointer + start, count: end - start), as: UTF8.self)
        let negative = word.hasPrefix("-")
        if negative || word.hasPrefix("+") { word = word.dropFirst() }
        if base == 16 && (word.hasPrefix("0x") || word.hasPrefix("0X")) { word = word.dropFirst(2) }
        if word.isEmpty { return 0 }
        let quoted = TextInput.quoted(text.pointer, Int(text.count))
        guard let value = Int64((negative ? "-" : "") + word, radix: Int(base)) else {
            let digits = word.utf8.allSatisfy { TextInput.isDigit($0) || TextInput.isLetter($0) }
            throw SQLError(
                digits ? .numericOutOfRange : .invalidText,
                "The input \(quoted) is not valid to be converted to base \(base)")
        }
        return value
    }
}

enum Hexadecimal {
    static let upper = Array("0123456789ABCDEF".utf8)

    /// The last digits of a number, at most 16, in lower case.
    static func append(_ value: UInt64, digits: Int, to buffer: TextBuffer) {
        let target = buffer.room(digits)
        for index in 0..<digits {
            let digit = UInt8(truncatingIfNeeded: value &>> UInt64(4 &* (digits &- 1 &- index))) & 15
            // Written out: a function of another module is called for each digit.
            target[index] = digit &+ (digit < 10 ? 0x30 : 0x57)
        }
        buffer.advance(digits)
    }
}
