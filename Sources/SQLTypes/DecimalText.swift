/// DECIMAL as text.
public enum DecimalText {
    /// What to do with digits beyond the scale.
    public enum Surplus: Sendable {
        /// Round half away from zero: SQL's casts, COPY with ROUNDEC.
        case round
        /// Cut: COPY's default.
        case truncate
    }

    /// Why a text is not a decimal of the wanted shape.
    public enum Failure: Error { case syntax, overflow }

    /// The unscaled value; 22P02 for bad syntax, 22003 when it does not fit.
    public static func parse(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, precision: Int, scale: Int, surplus: Surplus = .round
    ) throws -> Int128 {
        switch read(bytes, count, precision, scale, surplus) {
        case .success(let value): return value
        case .failure(.syntax):
            throw SQLError(
                .invalidText, "invalid input syntax for type numeric: \(TextInput.quoted(bytes, count))")
        case .failure(.overflow):
            throw DecimalArithmetic.overflow(
                "Value \(TextInput.quoted(bytes, count)) does not fit in numeric(\(precision),\(scale)).")
        }
    }

    /// The same without building an error: for COPY, which makes its own.
    public static func read(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ precision: Int, _ scale: Int, _ surplus: Surplus
    ) -> Result<Int128, Failure> {
        if let fast = readShort(bytes, count, precision, scale) { return .success(Int128(fast)) }
        return readAny(bytes, count, precision, scale, surplus)
    }

    /// At most 18 digits in all after filling up to the scale, no blanks, no exponent, no surplus digits; else nil.
    @inline(__always)
    private static func readShort(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ precision: Int, _ scale: Int
    ) -> Int64? {
        if count == 0 || count > 19 || scale > 18 { return nil }
        var index = 0
        let negative = bytes[0] == 0x2D
        if negative { index = 1 }
        let first = index
        var value: Int64 = 0
        while index < count {
            let digit = bytes[index] &- 48
            if digit > 9 { break }
            value = value &* 10 &+ Int64(digit)
            index &+= 1
        }
        let integerDigits = index &- first
        if integerDigits == 0 || integerDigits &+ scale > 18 { return nil }
        var missing = scale
        if index < count {
            if bytes[index] != 0x2E { return nil }
            index &+= 1
            missing = scale &- (count &- index)
            if missing < 0 { return nil }
            while index < count {
                let digit = bytes[index] &- 48
                if digit > 9 { return nil }
                value = value &* 10 &+ Int64(digit)
                index &+= 1
            }
        }
        value = value &* PowersOfTen.int64[missing]
        if precision < 18 && value >= PowersOfTen.int64[precision] { return nil }
        return negative ? 0 &- value : value
    }

    /// Every form: blanks around, sign, digits with an optional point, exponent.
    private static func readAny(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ precision: Int, _ scale: Int, _ surplus: Surplus
    ) -> Result<Int128, Failure> {
        let (start, end) = TextInput.trimmed(bytes, count)
        guard let number = scan(bytes, start, end) else { return .failure(.syntax) }
        // The value is digits * 10^(exponent - fraction digits); the digit at the scale's last place is `kept` digits
        // in.
        var value: Int128 = 0
        var seen = 0
        let kept = number.integerDigits + number.exponent + scale
        var roundUp = false
        for index in number.first..<number.end where bytes[index] != 0x2E {
            let digit = bytes[index] &- 48
            if seen < kept {
                let (product, overflow) = value.multipliedReportingOverflow(by: 10)
                let (sum, carry) = product.addingReportingOverflow(Int128(digit))
                if overflow || carry { return .failure(.overflow) }
                value = sum
            } else if seen == kept {
                roundUp = digit >= 5
            }
            seen += 1
        }
        if value != 0 && kept > seen {
            guard let scaled = DecimalArithmetic.rescaled(value, from: 0, to: kept - seen) else {
                return .failure(.overflow)
            }
            value = scaled
        }
        if roundUp && surplus == .round {
            let (rounded, overflow) = value.addingReportingOverflow(1)
            if overflow { return .failure(.overflow) }
            value = rounded
        }
        if number.negative { value = -value }
        guard DecimalArithmetic.fits(value, precision: precision) else { return .failure(.overflow) }
        return .success(value)
    }

    /// The precision and scale that hold every digit of the text; nil for other texts and more than 38 digits.
    public static func shape(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> DecimalRules.Shape? {
        let (start, end) = TextInput.trimmed(bytes, count)
        guard let number = scan(bytes, start, end) else { return nil }
        let scale = max(number.fractionDigits - number.exponent, 0)
        let whole = max(number.integerDigits + number.exponent, 0)
        guard scale + whole <= SQLType.maximumPrecision else { return nil }
        return DecimalRules.Shape(precision: max(scale + whole, 1), scale: scale)
    }

    /// The parts of a decimal number's text.
    struct Number {
        var negative = false
        /// Where the digits (with the point) begin and end.
        var first = 0
        var end = 0
        var integerDigits = 0
        var fractionDigits = 0
        /// Within ±1,000,000, however large the text's is.
        var exponent = 0
    }

    static func scan(_ bytes: UnsafePointer<UInt8>, _ start: Int, _ end: Int) -> Number? {
        var number = Number()
        var index = start
        if index < end && (bytes[index] == 0x2D || bytes[index] == 0x2B) {
            number.negative = bytes[index] == 0x2D
            index += 1
        }
        number.first = index
        while index < end && TextInput.isDigit(bytes[index]) { index += 1 }
        number.integerDigits = index - number.first
        if index < end && bytes[index] == 0x2E {
            index += 1
            let fraction = index
            while index < end && TextInput.isDigit(bytes[index]) { index += 1 }
            number.fractionDigits = index - fraction
        }
        number.end = index
        if number.integerDigits + number.fractionDigits == 0 { return nil }
        if index == end { return number }
        guard bytes[index] | 32 == 0x65 else { return nil }
        index += 1
        var negative = false
        if index < end && (bytes[index] == 0x2D || bytes[index] == 0x2B) {
            negative = bytes[index] == 0x2D
            index += 1
        }
        guard index < end else { return nil }
        while index < end {
            guard TextInput.isDigit(bytes[index]) else { return nil }
            number.exponent = min(number.exponent * 10 + Int(bytes[index] &- 48), 1_000_000)
            index += 1
        }
        if negative { number.exponent = -number.exponent }
        return number
    }

    /// The digits with the point before the last `scale` of them.
    public static func append(_ value: Int128, scale: Int, to buffer: TextBuffer) {
        if let narrow = Int64(exactly: value), scale <= 18 { return append(narrow, scale: scale, to: buffer) }
        if value < 0 { buffer.append(0x2D) }
        let target = buffer.room(82)
        let digits = IntegerText.writeWide(value.magnitude, target)
        buffer.advance(insertPoint(target, digits, scale))
    }

    public static func append(_ value: Int64, scale: Int, to buffer: TextBuffer) {
        if scale <= 0 { return IntegerText.append(value, to: buffer) }
        if scale > 18 { return append(Int128(value), scale: scale, to: buffer) }
        let target = buffer.room(64)
        var length = 0
        if value < 0 {
            target[0] = 0x2D
            length = 1
        }
        let power = UInt64(PowersOfTen.int64[scale])
        let (whole, fraction) = value.magnitude.quotientAndRemainder(dividingBy: power)
        length &+= IntegerText.write(whole, target + length)
        target[length] = 0x2E
        IntegerText.writeFixed(fraction, scale, target + length + 1)
        buffer.advance(length &+ 1 &+ scale)
    }

    /// Moves the last digits one place on and puts the point; zeros in front where digits are missing.
    private static func insertPoint(_ target: UnsafeMutablePointer<UInt8>, _ digits: Int, _ scale: Int) -> Int {
        if scale <= 0 { return digits }
        var count = digits
        if count <= scale {
            let zeros = scale + 1 - count
            for index in stride(from: count - 1, through: 0, by: -1) { target[index + zeros] = target[index] }
            for index in 0..<zeros { target[index] = 48 }
            count += zeros
        }
        let point = count - scale
        for index in stride(from: count, to: point, by: -1) { target[index] = target[index - 1] }
        target[point] = 0x2E
        return count + 1
    }
}
