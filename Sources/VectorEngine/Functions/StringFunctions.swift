import ColumnVectors
import QueryPlan
import SQLTypes

/// Lengths, case, parts and trimming of strings. Positions count characters; results that are parts of an argument
/// point into it.
enum StringFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .length: length
        case .octetLength: octetLength
        case .lengthOfBlob: bitLength
        case .lower: lower
        case .upper: upper
        case .initialCapitals: initialCapitals
        case .collate: collate
        case .substring: substring
        case .left: left
        case .right: right
        case .trimBoth: trim(leading: true, trailing: true)
        case .trimLeading: trim(leading: true, trailing: false)
        case .trimTrailing: trim(leading: false, trailing: true)
        case .position: position
        case .splitPart: splitPart
        case .ascii: ascii
        case .octetIndex: octetIndex
        default: nil
        }
    }

    static let length = FunctionKernel.unary(StringView.self, Int32.self) {
        Int32(truncatingIfNeeded: CharacterWalk.count($0))
    }
    static let octetLength = FunctionKernel.unary(StringView.self, Int32.self) { Int32(truncatingIfNeeded: $0.count) }
    static let bitLength = FunctionKernel.unary(StringView.self, Int32.self) {
        Int32(truncatingIfNeeded: Int($0.count) &* 8)
    }

    /// [wanted, text]: in bytes, from 1.
    private static let octetIndex = FunctionKernel.binary(StringView.self, StringView.self, Int32.self) {
        wanted, text in
        ByteSearch.first(of: wanted.bytes, in: text.bytes).map { Int32(truncatingIfNeeded: $0 + 1) } ?? 0
    }

    // MARK: Case

    static let lower = FunctionKernel.text { frame, row, buffer in
        appendMapped(frame.string(0, row), to: buffer, from: 0x41, CharacterWalk.lower)
    }
    static let upper = FunctionKernel.text { frame, row, buffer in
        appendMapped(frame.string(0, row), to: buffer, from: 0x61, CharacterWalk.upper)
    }

    /// ASCII letters from `first` on change their case bit; other characters are mapped one by one.
    private static func appendMapped(
        _ view: StringView, to buffer: TextBuffer, from first: UInt8, _ map: (UInt32) -> UInt32
    ) {
        let count = Int(view.count)
        let target = buffer.room(count)
        if TextInput.isASCII(view.pointer, count) {
            for place in 0..<count {
                let byte = view.pointer[place]
                target[place] = byte ^ (byte &- first < 26 ? 0x20 : 0)
            }
            return buffer.advance(count)
        }
        var index = 0
        while index < count {
            let (scalar, length) = CharacterWalk.scalar(view.pointer + index, count - index)
            CharacterWalk.append(map(scalar), to: buffer)
            index += length
        }
    }

    /// [text, collation]
    private static let collate = FunctionKernel.text { frame, row, buffer in
        buffer.append(frame.string(0, row).bytes)
    }

    static let initialCapitals = FunctionKernel.text { frame, row, buffer in
        let view = frame.string(0, row)
        var inWord = false
        if TextInput.isASCII(view.pointer, Int(view.count)) {
            let target = buffer.room(Int(view.count))
            for place in 0..<Int(view.count) {
                let byte = view.pointer[place]
                let isLetter = TextInput.isLetter(byte)
                target[place] = !isLetter ? byte : inWord ? byte | 0x20 : byte & ~0x20
                inWord = isLetter || TextInput.isDigit(byte)
            }
            return buffer.advance(Int(view.count))
        }
        var index = 0
        while index < Int(view.count) {
            let (scalar, length) = CharacterWalk.scalar(view.pointer + index, Int(view.count) - index)
            CharacterWalk.append(inWord ? CharacterWalk.lower(scalar) : CharacterWalk.upper(scalar), to: buffer)
            inWord = isWordCharacter(scalar)
            index += length
        }
    }

    static func isWordCharacter(_ scalar: UInt32) -> Bool {
        if scalar < 0x80 {
            let byte = UInt8(truncatingIfNeeded: scalar)
            return TextInput.isLetter(byte) || TextInput.isDigit(byte)
        }
        guard let properties = Unicode.Scalar(scalar)?.properties else { return false }
        return properties.isAlphabetic || properties.numericType != nil
    }

    // MARK: Parts

    /// [text, start, count?]: the window is counted from `start` even where that lies before the text.
    static let substring = FunctionKernel.part { frame, row, view in
        let start = frame.int32(1, row)
        let end: Int
        if frame.arguments.count > 2 {
            let count = frame.int32(2, row)
            if count < 0 { throw SQLError("22011", "negative substring length not allowed") }
            end = start + count
        } else {
            end = Int.max
        }
        return characters(view, from: max(start, 1) - 1, to: max(end, 1) - 1)
    }

    /// Characters `from ..< to`, zero-based.
    static func characters(_ view: StringView, from: Int, to: Int) -> StringView {
        if from >= to { return .empty }
        let count = Int(view.count)
        let start = CharacterWalk.offset(view.pointer, count, character: from)
        let end =
            to - from >= count - start
            ? count : start + CharacterWalk.offset(view.pointer + start, count - start, character: to - from)
        return CharacterWalk.part(view, start, end)
    }

    static let left = FunctionKernel.part { frame, row, view in
        characters(view, from: 0, to: max(frame.int32(1, row), 0))
    }
    static let right = FunctionKernel.part { frame, row, view in
        let start = CharacterWalk.offset(view.pointer, Int(view.count), fromEnd: max(frame.int32(1, row), 0))
        return CharacterWalk.part(view, start, Int(view.count))
    }

    // MARK: Trimming

    /// [text, set of characters]
    static func trim(leading: Bool, trailing: Bool) -> FunctionKernel {
        FunctionKernel { site in
            let fixed = site.text(1).map { bytes in bytes.withUnsafeBufferPointer { CharacterSet($0) } }
            return { frame in
                let input = frame.arguments[0].values(StringView.self)
                let output = frame.output(StringView.self)
                frame.forEachRow { row in
                    let set = fixed ?? CharacterSet(frame.string(1, row).bytes)
                    output[row] = trimmed(input[row], set, leading, trailing)
                }
            }
        }
    }

    private static func trimmed(_ view: StringView, _ set: CharacterSet, _ leading: Bool, _ trailing: Bool)
        -> StringView
    {
        let bytes = view.pointer
        var start = 0
        var end = Int(view.count)
        while leading && start < end {
            let (scalar, length) = CharacterWalk.scalar(bytes + start, end - start)
            if !set.contains(scalar) { break }
            start += length
        }
        while trailing && end > start {
            let last = CharacterWalk.offset(bytes, end, fromEnd: 1)
            if !set.contains(CharacterWalk.scalar(bytes + last, end - last).value) { break }
            end = last
        }
        return CharacterWalk.part(view, start, end)
    }

    // MARK: Search

    /// [text, wanted]: the one-based place of the first occurrence in characters, 0 for none.
    static let position = FunctionKernel.binary(StringView.self, StringView.self, Int32.self) { text, wanted in
        guard let place = ByteSearch.first(of: wanted.bytes, in: text.bytes) else { return 0 }
        return Int32(truncatingIfNeeded: UTF8Text.characterCount(text.pointer, place) + 1)
    }

    /// [text, delimiter, number]
    static let splitPart = FunctionKernel.part { frame, row, view in
        let number = frame.int32(2, row)
        if number <= 0 { throw SQLError(.invalidParameterValue, "field position must be greater than zero") }
        let delimiter = frame.string(1, row)
        let size = Int(delimiter.count)
        if size == 0 { return number == 1 ? view : .empty }
        var start = 0
        var field = 1
        while true {
            let rest = UnsafeBufferPointer(start: view.pointer + start, count: Int(view.count) - start)
            let place = ByteSearch.first(of: delimiter.bytes, in: rest)
            if field == number { return CharacterWalk.part(view, start, place.map { start + $0 } ?? Int(view.count)) }
            guard let place else { return .empty }
            start += place + size
            field += 1
        }
    }

    static let ascii = FunctionKernel.unary(StringView.self, Int32.self) { view in
        view.count == 0 ? 0 : Int32(truncatingIfNeeded: CharacterWalk.scalar(view.pointer, Int(view.count)).value)
    }
}

/// A set of characters: a bit table for ASCII, a list for the rest.
struct CharacterSet {
    private var low: UInt64 = 0
    private var high: UInt64 = 0
    private var others: [UInt32] = []

    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        for scalar in CharacterWalk.scalars(bytes) {
            if scalar < 64 {
                low |= 1 << UInt64(scalar)
            } else if scalar < 128 {
                high |= 1 << UInt64(scalar - 64)
            } else {
                others.append(scalar)
            }
        }
    }
    @inline(__always) func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return (low &>> UInt64(scalar)) & 1 != 0 }
        if scalar < 128 { return (high &>> UInt64(scalar - 64)) & 1 != 0 }
        return others.contains(scalar)
    }
}

/// Plain search of bytes in bytes.
enum ByteSearch {
    /// The offset of the first occurrence; an empty text is found at once.
    static func first(of wanted: UnsafeBufferPointer<UInt8>, in text: UnsafeBufferPointer<UInt8>) -> Int? {
        guard let needle = wanted.baseAddress, wanted.count > 0 else { return 0 }
        guard let bytes = text.baseAddress else { return nil }
        let place = findBytes(bytes, text.count, needle, wanted.count)
        return place < 0 ? nil : place
    }
}
