import ColumnVectors
import QueryPlan
import SQLTypes

/// Functions over JSON in strings.
enum JSONFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .jsonExtractPathText: extractPath
        case .jsonExtractArrayElementText: arrayElement
        case .jsonArrayLength: arrayLength
        case .isValidJson: isValid
        case .isValidJsonArray: isValidArray
        default: nil
        }
    }

    private static func parsingError(_ text: StringView) -> SQLError {
        SQLError(
            .invalidParameterValue, "JSON parsing error",
            detail: "Invalid JSON: \(TextInput.quoted(text.pointer, Int(text.count)))")
    }

    /// Arrays are for IS_VALID_JSON_ARRAY.
    static let isValid = FunctionKernel.boolean { text in
        do {
            return try JSONScanner.check(text.bytes) != 0x5B
        } catch {
            return false
        }
    }
    static let isValidArray = FunctionKernel.boolean { text in
        do {
            return try JSONScanner.check(text.bytes) == 0x5B
        } catch {
            return false
        }
    }

    private static func part(_ text: UnsafeBufferPointer<UInt8>, _ range: Range<Int>) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(rebasing: text[range])
    }

    /// [text, null if invalid]
    static let arrayLength = FunctionKernel { _ in
        { frame in
            let output = frame.output(Int32.self)
            try frame.forEachRow { row in
                let text = frame.string(0, row)
                do {
                    guard try JSONScanner.check(text.bytes) == 0x5B else { throw JSONScanner.Failure.syntax }
                    var scanner = JSONScanner(text.bytes)
                    scanner.skipBlanks()
                    var length: Int32 = 0
                    try scanner.elements(0) { _ in
                        length += 1
                        return true
                    }
                    output[row] = length
                } catch {
                    guard frame.arguments[1].values(UInt8.self)[row] != 0 else { throw parsingError(text) }
                    frame.resultValidity[row] = 0
                }
            }
        }
    }

    /// [text, index, null if invalid]: NULL beyond the array.
    static let arrayElement = FunctionKernel { _ in
        { frame in
            let result = TextResult(frame)
            try frame.forEachRow { row in
                let text = frame.string(0, row)
                let wanted = frame.int32(1, row)
                do {
                    guard try JSONScanner.check(text.bytes) == 0x5B else { throw JSONScanner.Failure.syntax }
                    guard let range = try element(text.bytes, wanted) else { return result.null(row) }
                    JSONText.append(part(text.bytes, range), to: result.buffer)
                } catch is JSONScanner.Failure {
                    guard frame.arguments[2].values(UInt8.self)[row] != 0 else { throw parsingError(text) }
                    return result.null(row)
                }
                try result.put(row)
            }
        }
    }

    private static func element(
        _ text: UnsafeBufferPointer<UInt8>, _ wanted: Int
    ) throws(JSONScanner.Failure) -> Range<Int>? {
        var scanner = JSONScanner(text)
        scanner.skipBlanks()
        var found: Range<Int>?
        var number = 0
        try scanner.elements(0) { range in
            if number == wanted { found = range }
            number += 1
            return found == nil
        }
        return found
    }

    /// [text, null if invalid, key ...]: NULL where the path leads nowhere. Elements of arrays are reached by number.
    static let extractPath = FunctionKernel { _ in
        { frame in
            let result = TextResult(frame)
            try frame.forEachRow { row in
                let text = frame.string(0, row)
                do {
                    _ = try JSONScanner.check(text.bytes)
                    guard let range = try follow(frame, row, text.bytes) else { return result.null(row) }
                    let value = part(text.bytes, range)
                    if value.elementsEqual("null".utf8) { return result.null(row) }
                    JSONText.append(value, to: result.buffer)
                } catch is JSONScanner.Failure {
                    guard frame.arguments[1].values(UInt8.self)[row] != 0 else { throw parsingError(text) }
                    return result.null(row)
                }
                try result.put(row)
            }
        }
    }

    private static func follow(
        _ frame: FunctionFrame, _ row: Int, _ text: UnsafeBufferPointer<UInt8>
    ) throws(JSONScanner.Failure) -> Range<Int>? {
        var whole = JSONScanner(text)
        var range = try whole.value()
        for argument in 2..<max(frame.arguments.count, 2) {
            let key = frame.string(argument, row)
            let value = part(text, range)
            var found: Range<Int>?
            if value.first == 0x7B {
                found = try member(value, key)
            } else if value.first == 0x5B, let number = IntegerText.parse(key.pointer, Int(key.count)) {
                found = try element(value, Int(number))
            }
            guard let found else { return nil }
            range = range.lowerBound + found.lowerBound..<range.lowerBound + found.upperBound
        }
        return range
    }

    private static func member(
        _ text: UnsafeBufferPointer<UInt8>, _ wanted: StringView
    ) throws(JSONScanner.Failure) -> Range<Int>? {
        var scanner = JSONScanner(text)
        var found: Range<Int>?
        try scanner.members(0) { key, value in
            if matches(part(text, key), wanted.bytes) { found = value }
            return found == nil
        }
        return found
    }

    private static func matches(_ key: UnsafeBufferPointer<UInt8>, _ wanted: UnsafeBufferPointer<UInt8>) -> Bool {
        if !key.contains(0x5C) { return key.elementsEqual(wanted) }
        let plain = TextBuffer()
        JSONText.appendUnescaped(key, to: plain)
        return plain.bytes.elementsEqual(wanted)
    }
}
