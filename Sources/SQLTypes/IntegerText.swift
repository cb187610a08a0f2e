/// Integers as text.
public enum IntegerText {
    /// The integer, nil for anything but blanks, a sign and digits within 64 bits.
    public static func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> Int64? {
        var index = 0
        var end = count
        while index < end && TextInput.isBlank(bytes[index]) { index &+= 1 }
        while end > index && TextInput.isBlank(bytes[end &- 1]) { end &-= 1 }
        guard index < end else { return nil }
        let negative = bytes[index] == 0x2D
        if negative || bytes[index] == 0x2B { index &+= 1 }
        guard index < end else { return nil }
        var value: UInt64 = 0
        let fast = min(end, index &+ 18)
        while index < fast {
            let digit = bytes[index] &- 48
            if digit > 9 { return nil }
            value = value &* 10 &+ UInt64(digit)
            index &+= 1
        }
        while index < end {
            let digit = bytes[index] &- 48
            if digit > 9 { return nil }
            let (product, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = product.addingReportingOverflow(UInt64(digit))
            if overflow || carry { return nil }
            value = sum
            index &+= 1
        }
        if negative { return value <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- value) : nil }
        return Int64(exactly: value)
    }

    /// The integer within the type's range; 22P02 for bad digits, 22003 outside of the range.
    public static func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int, as type: SQLType) throws -> Int64 {
        if let value = parse(bytes, count), range(of: type).contains(value) { return value }
        throw error(bytes, count, type)
    }

    /// The values of an integer type.
    public static func range(of type: SQLType) -> ClosedRange<Int64> {
        switch type {
        case .smallint: -32_768...32_767
        case .integer, .yearMonthInterval: -2_147_483_648...2_147_483_647
        default: Int64.min...Int64.max
        }
    }

    private static func error(_ bytes: UnsafePointer<UInt8>, _ count: Int, _ type: SQLType) -> SQLError {
        let (start, end) = TextInput.trimmed(bytes, count)
        var index = start
        if index < end && (bytes[index] == 0x2D || bytes[index] == 0x2B) { index += 1 }
        let digits = index < end && (index..<end).allSatisfy { TextInput.isDigit(bytes[$0]) }
        let quoted = TextInput.quoted(bytes, count)
        if digits { return SQLError(.numericOutOfRange, "value \(quoted) is out of range for type \(type)") }
        let name = type == .integer ? "integer" : "\(type)"
        return SQLError(.invalidText, "invalid input syntax for \(name): \(quoted)")
    }

    public static func append(_ value: Int64, to buffer: TextBuffer) {
        let target = buffer.room(20)
        var length = 0
        if value < 0 {
            target[0] = 0x2D
            length = 1
        }
        length &+= write(value.magnitude, target + length)
        buffer.advance(length)
    }

    public static func append(_ value: Int128, to buffer: TextBuffer) {
        if let small = Int64(exactly: value) { return append(small, to: buffer) }
        if value < 0 { buffer.append(0x2D) }
        let target = buffer.room(40)
        buffer.advance(writeWide(value.magnitude, target))
    }

    /// Writes the digits and returns how many; at most 20.
    @inline(__always)
    static func write(_ value: UInt64, _ target: UnsafeMutablePointer<UInt8>) -> Int {
        let length = digitCount(value)
        var rest = value
        var index = length
        while index > 0 {
            index &-= 1
            let quotient = rest / 10
            target[index] = UInt8(truncatingIfNeeded: 48 &+ (rest &- quotient &* 10))
            rest = quotient
        }
        return length
    }

    /// Writes the digits and returns how many; at most 39.
    static func writeWide(_ value: UInt128, _ target: UnsafeMutablePointer<UInt8>) -> Int {
        if let small = UInt64(exactly: value) { return write(small, target) }
        let billion18: UInt128 = 1_000_000_000_000_000_000
        let (high, low) = value.quotientAndRemainder(dividingBy: billion18)
        let length = writeWide(high, target)
        writeFixed(UInt64(truncatingIfNeeded: low), 18, target + length)
        return length + 18
    }

    /// Writes exactly so many digits, with zeros in front.
    @inline(__always)
    static func writeFixed(_ value: UInt64, _ digits: Int, _ target: UnsafeMutablePointer<UInt8>) {
        var rest = value
        var index = digits
        while index > 0 {
            index &-= 1
            let quotient = rest / 10
            target[index] = UInt8(truncatingIfNeeded: 48 &+ (rest &- quotient &* 10))
            rest = quotient
        }
    }

    /// 1 for 0.
    @inline(__always)
    static func digitCount(_ value: UInt64) -> Int {
        if value < 10 { return 1 }
        let estimate = ((64 &- value.leadingZeroBitCount) &* 1233) &>> 12
        if estimate > 18 { return value >= 10_000_000_000_000_000_000 ? 20 : 19 }
        return estimate &+ (value >= UInt64(PowersOfTen.int64[estimate]) ? 1 : 0)
    }
}
