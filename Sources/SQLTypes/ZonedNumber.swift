/// Numbers as Teradata writes them, for TEXT_TO_INT_ALT and TEXT_TO_NUMERIC_ALT: a sign at either end, an exponent,
/// insertion characters, currencies, and the sign in the last digit (zoned decimals, `S` in the template).
public struct ZonedNumberFormat: Sendable, Hashable {
    /// Digit places; nil for any number of them.
    private var wholePlaces: Int?
    private var fractionPlaces: Int?
    /// Digits behind `V`, where the point is thought to be.
    private var impliedPlaces = 0
    private var isZoned = false
    private var takesCurrency = false

    /// Without a template.
    public init() {}

    public init(_ template: String) throws {
        let bytes = Array(template.utf8)
        guard bytes.count <= 1_000 else { throw ZonedNumberFormat.invalid(template) }
        var index = 0
        var places = [0, 0]
        var side = 0
        var isFree = false
        while index < bytes.count {
            let byte = bytes[index] & 0xDF
            index += 1
            switch bytes[index - 1] {
            case UInt8(ascii: "9"), UInt8(ascii: "Z"), UInt8(ascii: "z"):
                let count = try ZonedNumberFormat.repetition(bytes, &index, template)
                if let count { places[min(side, 1)] += count } else { isFree = true }
                if side == 2 { impliedPlaces += count ?? 0 }
            case UInt8(ascii: "."), UInt8(ascii: "D"), UInt8(ascii: "d"):
                guard side == 0, !isZoned else { throw ZonedNumberFormat.invalid(template) }
                side = 1
            case UInt8(ascii: "V"), UInt8(ascii: "v"):
                guard side == 0 else { throw ZonedNumberFormat.invalid(template) }
                side = 2
            case UInt8(ascii: "$"): takesCurrency = true
            default:
                switch byte {
                case UInt8(ascii: "S"): isZoned = true
                case UInt8(ascii: "C"), UInt8(ascii: "L"), UInt8(ascii: "N"), UInt8(ascii: "O"), UInt8(ascii: "U"),
                    UInt8(ascii: "A"):
                    takesCurrency = true
                case UInt8(ascii: "E"):
                    while index < bytes.count, bytes[index] == UInt8(ascii: "9") { index += 1 }
                default: throw ZonedNumberFormat.invalid(template)
                }
            }
        }
        if isFree || places == [0, 0] { return }
        // The place of the sign is one of a digit.
        wholePlaces = places[0] + (isZoned ? 1 : 0)
        fractionPlaces = places[1]
        if side == 2 { fractionPlaces = nil }
    }

    /// `9(5)` is five places, `9(I)` and `9(F)` are as many as the number needs (nil).
    private static func repetition(_ bytes: [UInt8], _ index: inout Int, _ template: String) throws -> Int? {
        guard index < bytes.count, bytes[index] == UInt8(ascii: "(") else { return 1 }
        guard let end = bytes[index...].firstIndex(of: UInt8(ascii: ")")) else { throw invalid(template) }
        let inner = String(decoding: bytes[(index + 1)..<end], as: UTF8.self)
        index = end + 1
        if inner == "I" || inner == "F" || inner == "i" || inner == "f" { return nil }
        guard let count = Int(inner), count >= 0, count <= 1_000 else { throw invalid(template) }
        return count
    }

    private static func invalid(_ template: String) -> SQLError {
        SQLError(.invalidParameterValue, "invalid format phrase \"\(template)\"")
    }

    /// The number of a text as an unscaled integer and its scale; a blank text is 0.
    public func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws -> (value: Int128, scale: Int) {
        var reader = ZonedNumberReader(UnsafeBufferPointer(start: bytes, count: count))
        guard let number = reader.read(isZoned: isZoned, takesCurrency: takesCurrency) else {
            throw SQLError(
                .invalidText, "invalid input syntax for type numeric: \(TextInput.quoted(bytes, count))")
        }
        let isTooLong =
            wholePlaces.map { number.wholeDigits > $0 + impliedPlaces } ?? false
            || fractionPlaces.map { number.fractionDigits > $0 } ?? false
        if isTooLong {
            throw SQLError(
                .numericOutOfRange, "the number has more digits than its format: \(TextInput.quoted(bytes, count))")
        }
        let implied = number.hasPoint ? 0 : impliedPlaces
        return (number.value, number.scale + implied)
    }

    /// The number with this scale, halves to the even neighbour.
    public static func rounded(_ value: Int128, from scale: Int, to wanted: Int) -> Int128? {
        guard scale > wanted else { return DecimalArithmetic.rescaled(value, from: scale, to: wanted) }
        guard scale - wanted <= SQLType.maximumPrecision else { return 0 }
        var unit: Int128 = 1
        for _ in 0..<(scale - wanted) { unit *= 10 }
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: unit)
        let twice = rest.magnitude * 2
        let isUp = twice > unit.magnitude || (twice == unit.magnitude && quotient % 2 != 0)
        return isUp ? quotient + (value < 0 ? -1 : 1) : quotient
    }
}

/// Reads one number.
private struct ZonedNumberReader {
    struct Number {
        var value: Int128 = 0
        var scale = 0
        var wholeDigits = 0
        var fractionDigits = 0
        var hasPoint = false
    }
    private var bytes: Slice<UnsafeBufferPointer<UInt8>>

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes[...] }

    /// nil for what is no number.
    mutating func read(isZoned: Bool, takesCurrency: Bool) -> Number? {
        trim()
        if bytes.isEmpty { return Number() }
        var isNegative = false
        if takesCurrency { takeCurrency() }
        var hasSign = takeSign(&isNegative)
        if takesCurrency { takeCurrency() }
        guard !bytes.isEmpty else { return nil }
        let exponent = takeExponent()
        if !hasSign, let last = bytes.last, last == UInt8(ascii: "+") || last == UInt8(ascii: "-") {
            isNegative = last == UInt8(ascii: "-")
            hasSign = true
            bytes = bytes.dropLast()
        }
        var number = Number()
        var seen = 0
        while let byte = bytes.first {
            let isLast = bytes.count == 1
            bytes = bytes.dropFirst()
            var digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - 48
            case UInt8(ascii: "."):
                guard !number.hasPoint else { return nil }
                number.hasPoint = true
                continue
            case UInt8(ascii: "/"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "%"), UInt8(ascii: "$"): continue
            case UInt8(ascii: "{") where isZoned && isLast: digit = 0
            case UInt8(ascii: "A")...UInt8(ascii: "I") where isZoned && isLast: digit = byte - 64
            case UInt8(ascii: "}") where isZoned && isLast:
                digit = 0
                isNegative = true
            case UInt8(ascii: "J")...UInt8(ascii: "R") where isZoned && isLast:
                digit = byte - 73
                isNegative = true
            default: return nil
            }
            seen += 1
            guard add(digit, to: &number) else { return nil }
        }
        guard seen > 0 else { return nil }
        if isNegative { number.value = -number.value }
        number.scale -= exponent ?? 0
        if number.scale < 0 {
            guard let scaled = DecimalArithmetic.rescaled(number.value, from: 0, to: -number.scale) else { return nil }
            number.value = scaled
            number.scale = 0
        }
        return number
    }

    private func add(_ digit: UInt8, to number: inout Number) -> Bool {
        // Digits of the fraction that no decimal can hold are cut.
        if number.hasPoint && number.scale >= SQLType.maximumPrecision - 1 { return true }
        let (product, overflow) = number.value.multipliedReportingOverflow(by: 10)
        let (sum, carry) = product.addingReportingOverflow(Int128(digit))
        if overflow || carry { return false }
        number.value = sum
        if number.hasPoint {
            number.scale += 1
            number.fractionDigits += 1
        } else if number.wholeDigits > 0 || digit > 0 {
            number.wholeDigits += 1
        }
        return true
    }

    private mutating func trim() {
        while let first = bytes.first, TextInput.isBlank(first) { bytes = bytes.dropFirst() }
        while let last = bytes.last, TextInput.isBlank(last) { bytes = bytes.dropLast() }
    }

    private mutating func takeSign(_ isNegative: inout Bool) -> Bool {
        guard let first = bytes.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") else { return false }
        isNegative = first == UInt8(ascii: "-")
        bytes = bytes.dropFirst()
        return true
    }

    /// A currency's sign, or its letters.
    private mutating func takeCurrency() {
        while let first = bytes.first,
            TextInput.isLetter(first) || first >= 0x80 || first == UInt8(ascii: "$") || TextInput.isBlank(first)
        {
            bytes = bytes.dropFirst()
        }
    }

    /// nil without one; also for one that no decimal survives.
    private mutating func takeExponent() -> Int? {
        guard let place = bytes.lastIndex(where: { $0 & 0xDF == UInt8(ascii: "E") }) else { return nil }
        var rest = bytes[(place + 1)...]
        var isNegative = false
        if let first = rest.first, first == UInt8(ascii: "+") || first == UInt8(ascii: "-") {
            isNegative = first == UInt8(ascii: "-")
            rest = rest.dropFirst()
        }
        guard (1...4).contains(rest.count), rest.allSatisfy({ TextInput.isDigit($0) }) else { return nil }
        let value = rest.reduce(0) { $0 * 10 + Int($1 - 48) }
        bytes = bytes[..<place]
        return isNegative ? -value : value
    }
}
