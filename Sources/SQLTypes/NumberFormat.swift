/// A template of TO_CHAR(number) and TO_NUMBER, taken apart once.
public struct NumberFormat: Sendable, Hashable {
    enum Element: Hashable, Sendable {
        case nine, zero, point, group, currency, minus, plus, sign
        case literal(UInt8)
    }
    enum SignPlace: Hashable, Sendable { case implicit, brackets, first, last, inPlace }

    var elements: [Element] = []
    /// Digit places before and after the point.
    var integerPlaces = 0
    var fractionPlaces = 0
    /// Integer places in front of the first `0`.
    var firstZero: Int
    var isBare = false
    var isRoman = false
    var romanIsLower = false
    var ordinal: DatetimeFormat.Letters?
    var signPlace = SignPlace.implicit
    /// Digits that `V` moves the point by.
    var shift = 0
    /// The last place after the point that a `0` forces, counted from 1.
    var lastFractionZero = 0

    public init(_ template: String) throws {
        let bytes = Array(template.utf8)
        guard bytes.count <= 1_000 else {
            throw SQLError(.invalidParameterValue, "number format string is too long")
        }
        firstZero = .max
        var index = 0
        var seenPoint = false
        var seenShift = false
        while index < bytes.count {
            index += try take(bytes, index, &seenPoint, &seenShift)
        }
        if firstZero == .max { firstZero = integerPlaces }
        if integerPlaces + fractionPlaces > SQLType.maximumPrecision {
            throw SQLError(.invalidParameterValue, "number format has more than \(SQLType.maximumPrecision) digits")
        }
    }

    /// Takes the element at the index and returns its length.
    private mutating func take(
        _ bytes: [UInt8], _ index: Int, _ seenPoint: inout Bool, _ seenShift: inout Bool
    ) throws -> Int {
        let byte = bytes[index]
        let pair = index + 1 < bytes.count ? (byte & 0xDF, bytes[index + 1] & 0xDF) : (0, 0)
        switch pair {
        case (0x46, 0x4D): isBare = true; return 2
        case (0x50, 0x52): signPlace = .brackets; return 2
        case (0x4D, 0x49): signPlace = .inPlace; elements.append(.minus); return 2
        case (0x50, 0x4C): signPlace = .inPlace; elements.append(.plus); return 2
        case (0x53, 0x47): signPlace = .inPlace; elements.append(.sign); return 2
        case (0x52, 0x4E): isRoman = true; romanIsLower = byte == 0x72; return 2
        case (0x54, 0x48): ordinal = byte == 0x74 ? .lower : .upper; return 2
        default: break
        }
        switch byte {
        case 0x39, 0x30:
            place(isZero: byte == 0x30, seenPoint, seenShift)
        case 0x2E, 0x44, 0x64:
            if seenPoint { throw SQLError(.syntaxError, "multiple decimal points") }
            seenPoint = true
            elements.append(.point)
        case 0x2C, 0x47, 0x67: elements.append(.group)
        case 0x4C, 0x6C: elements.append(.currency)
        case 0x53, 0x73: signPlace = integerPlaces + fractionPlaces == 0 ? .first : .last
        case 0x56, 0x76: seenShift = true
        case 0x22:
            let end = bytes[(index + 1)...].firstIndex(of: 0x22) ?? bytes.count
            elements += bytes[(index + 1)..<end].map { .literal($0) }
            return end - index + 1
        default: elements.append(.literal(byte))
        }
        return 1
    }

    private mutating func place(isZero: Bool, _ seenPoint: Bool, _ seenShift: Bool) {
        elements.append(isZero ? .zero : .nine)
        if seenPoint {
            fractionPlaces += 1
            if isZero { lastFractionZero = fractionPlaces }
            return
        }
        if isZero && firstZero == .max { firstZero = integerPlaces }
        integerPlaces += 1
        if seenShift { shift += 1 }
    }
}

extension NumberFormat {
    /// TO_CHAR of an unscaled decimal.
    public func append(_ value: Int128, scale: Int, to buffer: TextBuffer) {
        if isRoman {
            return appendRoman(DecimalArithmetic.divideRounding(value, byPowerOfTen: scale), buffer)
        }
        let digits = DecimalArithmetic.rescaled(value, from: scale, to: fractionPlaces + shift)
        appendDigits(digits.map { $0.magnitude }, negative: value < 0, buffer)
    }

    /// TO_CHAR of a float: its 15 significant digits count.
    public func append(_ value: Double, to buffer: TextBuffer) {
        guard value.isFinite else { return appendDigits(nil, negative: value < 0, buffer) }
        let text = TextBuffer(capacity: 32)
        FloatText.append(value, to: text)
        let scale = isRoman ? 0 : fractionPlaces + shift
        let digits = DecimalText.read(text.base, text.count, SQLType.maximumPrecision, scale, .round)
        guard case .success(let unscaled) = digits else { return appendDigits(nil, negative: value < 0, buffer) }
        if isRoman { return appendRoman(unscaled, buffer) }
        appendDigits(unscaled.magnitude, negative: value < 0, buffer)
    }

    /// nil stands for a number too large for the places: they fill with `#`.
    private func appendDigits(_ digits: UInt128?, negative: Bool, _ buffer: TextBuffer) {
        let text = TextBuffer(capacity: 64)
        if let digits { DecimalText.append(Int128(truncatingIfNeeded: digits), scale: fractionPlaces, to: text) }
        let all = text.array
        let point = all.firstIndex(of: 0x2E) ?? all.count
        var whole = Array(all[..<point])
        let fraction = point < all.count ? Array(all[(point + 1)...]) : []
        // A zero in front of the point is not shown, and a number without a fraction still shows one digit.
        if whole == [0x30] && fractionPlaces > 0 { whole = [] }
        var layout = Layout(format: self, negative: negative && digits != 0, whole: whole, fraction: fraction)
        if digits == nil || whole.count > integerPlaces { layout.isOverflow = true }
        layout.write(to: buffer)
        guard let ordinal, !layout.isOverflow, !negative, fractionPlaces == 0, let digits else { return }
        buffer.append(text: OrdinalSuffix.text(Int64(truncatingIfNeeded: digits % 100), upper: ordinal == .upper))
    }

    private func appendRoman(_ value: Int128, _ buffer: TextBuffer) {
        guard value >= 1 && value <= 3_999 else { return buffer.append(repeating: 0x23, 15) }
        let parts: [(Int, String)] = [
            (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"), (40, "XL"), (10, "X"),
            (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
        ]
        var rest = Int(value)
        var text = ""
        for (amount, letters) in parts {
            while rest >= amount {
                text += letters
                rest -= amount
            }
        }
        if !isBare { buffer.append(repeating: 0x20, 15 - text.utf8.count) }
        buffer.append(text: romanIsLower ? text.lowercased() : text)
    }
}

/// Puts the digits of one number into the places of a format.
private struct Layout {
    let format: NumberFormat
    let negative: Bool
    let whole: [UInt8]
    let fraction: [UInt8]
    var isOverflow = false

    init(format: NumberFormat, negative: Bool, whole: [UInt8], fraction: [UInt8]) {
        self.format = format
        self.negative = negative
        self.whole = whole
        self.fraction = fraction
    }

    func write(to buffer: TextBuffer) {
        // The first integer place that shows a digit.
        let first = isOverflow ? 0 : min(format.integerPlaces - whole.count, format.firstZero)
        var place = 0
        var decimal = 0
        var signed = false
        let shownFraction = format.isBare && !isOverflow ? bareFraction : fraction.count
        for element in format.elements {
            switch element {
            case .nine, .zero:
                if place < format.integerPlaces {
                    if place < first {
                        if !format.isBare { buffer.append(0x20) }
                    } else {
                        writeSign(&signed, buffer)
                        let digit = place - (format.integerPlaces - whole.count)
                        buffer.append(isOverflow ? 0x23 : digit >= 0 ? whole[digit] : 0x30)
                    }
                    place += 1
                } else {
                    if isOverflow {
                        buffer.append(0x23)
                    } else if decimal < shownFraction {
                        buffer.append(fraction[decimal])
                    }
                    decimal += 1
                }
            case .point:
                writeSign(&signed, buffer)
                buffer.append(0x2E)
            case .group:
                if place > first || isOverflow {
                    buffer.append(0x2C)
                } else if !format.isBare {
                    buffer.append(0x20)
                }
            case .currency: buffer.append(0x24)
            case .minus: if negative || !format.isBare { buffer.append(negative ? 0x2D : 0x20) }
            case .plus: if !negative || !format.isBare { buffer.append(negative ? 0x20 : 0x2B) }
            case .sign: buffer.append(negative ? 0x2D : 0x2B)
            case .literal(let byte): buffer.append(byte)
            }
        }
        writeEnd(&signed, buffer)
    }

    /// FM drops zeros at the end that no `0` place asks for.
    private var bareFraction: Int {
        var count = fraction.count
        while count > format.lastFractionZero && fraction[count - 1] == 0x30 { count -= 1 }
        return count
    }

    /// The sign stands right before the first digit.
    private func writeSign(_ signed: inout Bool, _ buffer: TextBuffer) {
        if signed { return }
        signed = true
        switch format.signPlace {
        case .implicit: if negative { buffer.append(0x2D) } else if !format.isBare { buffer.append(0x20) }
        case .brackets: if negative { buffer.append(0x3C) } else if !format.isBare { buffer.append(0x20) }
        case .first: buffer.append(negative ? 0x2D : 0x2B)
        case .last, .inPlace: break
        }
    }

    private func writeEnd(_ signed: inout Bool, _ buffer: TextBuffer) {
        if format.integerPlaces + format.fractionPlaces > 0 { writeSign(&signed, buffer) }
        switch format.signPlace {
        case .brackets: if negative { buffer.append(0x3E) } else if !format.isBare { buffer.append(0x20) }
        case .last: buffer.append(negative ? 0x2D : 0x2B)
        default: break
        }
    }
}
