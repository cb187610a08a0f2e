import SQLTypes

/// A text that is a number, taken apart.
struct NumberShape {
    private(set) var integerDigits = 0
    private(set) var scale = 0
    private(set) var hasLeadingZero = false
    /// With an exponent, or NaN and infinities.
    private(set) var isFloating = false
    /// Of an integer of at most 38 digits.
    private(set) var value: Int128?

    /// nil for what is no number. A plus in front is none: it belongs to phone numbers.
    init?(_ text: UnsafeBufferPointer<UInt8>) {
        var index = text.first == UInt8(ascii: "-") ? 1 : 0
        let isNegative = index == 1
        guard index < text.count, text.count <= 400 else { return nil }
        if text[index] | 32 == UInt8(ascii: "i") || text[index] | 32 == UInt8(ascii: "n") {
            let word = String(decoding: text[index...], as: UTF8.self).lowercased()
            guard ["inf", "infinity", "nan"].contains(word) else { return nil }
            isFloating = true
            return
        }
        let first = text[index]
        var total: Int128 = 0
        while index < text.count, let digit = NumberShape.digit(text[index]) {
            integerDigits += 1
            if integerDigits <= 38 { total = total * 10 + Int128(digit) }
            index += 1
        }
        hasLeadingZero = first == UInt8(ascii: "0") && integerDigits > 1
        if index < text.count, text[index] == UInt8(ascii: ".") {
            index += 1
            while index < text.count, NumberShape.digit(text[index]) != nil {
                scale += 1
                index += 1
            }
            if scale == 0 && integerDigits == 0 { return nil }
        }
        guard integerDigits + scale > 0 else { return nil }
        if index < text.count, text[index] | 32 == UInt8(ascii: "e") {
            index += 1
            if index < text.count, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") { index += 1 }
            let start = index
            while index < text.count, NumberShape.digit(text[index]) != nil { index += 1 }
            // Hexadecimal codes such as 1e5f have letters behind.
            guard index > start, index - start <= 3 else { return nil }
            isFloating = true
        }
        guard index == text.count else { return nil }
        if scale == 0, !isFloating, integerDigits <= 38 { value = isNegative ? -total : total }
    }

    static func digit(_ byte: UInt8) -> Int? {
        byte >= UInt8(ascii: "0") && byte <= UInt8(ascii: "9") ? Int(byte - UInt8(ascii: "0")) : nil
    }
}

/// A text that is a date or a time stamp, in the forms that COPY reads without or with a format.
struct MomentShape {
    private(set) var dateForms: Set<ColumnProfile.DateForm> = []
    private(set) var isTimestamp = false
    private(set) var isInstant = false
    /// Nothing but TIMEFORMAT 'auto' reads it.
    private(set) var needsAutomatic = false

    init(_ text: UnsafeBufferPointer<UInt8>) {
        guard text.count >= 10, text.count <= 40, let forms = MomentShape.dateForms(text) else { return }
        if text.count == 10 {
            dateForms = forms
            return
        }
        guard forms.contains(.standard), text[10] == UInt8(ascii: " ") || text[10] == UInt8(ascii: "T") else { return }
        guard let end = MomentShape.clockEnd(text, from: 11) else { return }
        needsAutomatic = text[10] == UInt8(ascii: "T")
        if end == text.count {
            isTimestamp = true
        } else if MomentShape.isZone(text, from: end) {
            isInstant = true
            needsAutomatic = true
        }
    }

    private static func number(_ text: UnsafeBufferPointer<UInt8>, _ start: Int, _ count: Int) -> Int? {
        guard start + count <= text.count else { return nil }
        var result = 0
        for index in start..<start + count {
            guard let digit = NumberShape.digit(text[index]) else { return nil }
            result = result * 10 + digit
        }
        return result
    }

    private static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
        guard (1...12).contains(month), year >= 1 else { return false }
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        return (1...days[month - 1]).contains(day)
    }

    /// Of the first ten characters.
    private static func dateForms(_ text: UnsafeBufferPointer<UInt8>) -> Set<ColumnProfile.DateForm>? {
        if text[4] == UInt8(ascii: "-"), text[7] == UInt8(ascii: "-") {
            guard let year = number(text, 0, 4), let month = number(text, 5, 2), let day = number(text, 8, 2),
                isDate(year, month, day)
            else { return nil }
            return [.standard]
        }
        let mark = text[2]
        guard mark == text[5], mark == UInt8(ascii: "/") || mark == UInt8(ascii: "."), let first = number(text, 0, 2),
            let second = number(text, 3, 2), let year = number(text, 6, 4)
        else { return nil }
        var forms: Set<ColumnProfile.DateForm> = []
        if mark == UInt8(ascii: ".") {
            if isDate(year, second, first) { forms.insert(.dayFirstWithPoints) }
        } else {
            if isDate(year, first, second) { forms.insert(.monthFirst) }
            if isDate(year, second, first) { forms.insert(.dayFirst) }
        }
        return forms.isEmpty ? nil : forms
    }

    /// Behind `HH:MI:SS` and a fraction.
    private static func clockEnd(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Int? {
        guard let hour = number(text, start, 2), hour < 24, start + 8 <= text.count, text[start + 2] == 58,
            let minute = number(text, start + 3, 2), minute < 60, text[start + 5] == 58,
            let second = number(text, start + 6, 2), second < 60
        else { return nil }
        var end = start + 8
        guard end < text.count, text[end] == UInt8(ascii: ".") else { return end }
        end += 1
        let digits = end
        while end < text.count, NumberShape.digit(text[end]) != nil { end += 1 }
        return end > digits && end - digits <= 9 ? end : nil
    }

    /// `Z`, `+02`, `+0200`, `+02:00`.
    private static func isZone(_ text: UnsafeBufferPointer<UInt8>, from start: Int) -> Bool {
        if text[start] == UInt8(ascii: "Z") { return start + 1 == text.count }
        guard text[start] == UInt8(ascii: "+") || text[start] == UInt8(ascii: "-"),
            let hours = number(text, start + 1, 2), hours <= 15
        else { return false }
        switch text.count - start {
        case 3: return true
        case 5: return number(text, start + 3, 2) != nil
        case 6: return text[start + 3] == 58 && number(text, start + 4, 2) != nil
        default: return false
        }
    }
}
