extension NumberFormat {
    /// The type of TO_NUMBER's result: the template's places.
    public var resultType: SQLType {
        let precision = integerPlaces - shift + fractionPlaces + shift
        return .decimal(precision: min(max(precision, 1), SQLType.maximumPrecision), scale: fractionPlaces + shift)
    }

    /// TO_NUMBER: digits, one point and a sign count; group marks, currency signs and blanks are passed over. Digits
    /// beyond the template's places after the point are cut.
    public func parse(_ bytes: UnsafePointer<UInt8>, _ count: Int) throws -> Int128 {
        let digits = TextBuffer(capacity: 48)
        var negative = false
        var seenPoint = false
        var seenDigit = false
        for index in 0..<count {
            let byte = bytes[index]
            switch byte {
            case 0x30...0x39:
                digits.append(byte)
                seenDigit = true
            case 0x2E:
                if seenPoint { throw invalid(bytes, count) }
                seenPoint = true
                digits.append(byte)
            case 0x2D, 0x3C: negative = true
            case 0x2B, 0x3E, 0x2C, 0x24, 0x20: break
            default:
                // Letters may only stand where the template has literal text or an ordinal suffix.
                let literal = elements.contains(.literal(byte)) || ordinal != nil
                if !literal { throw invalid(bytes, count) }
            }
        }
        guard seenDigit else { throw invalid(bytes, count) }
        let value = try DecimalText.parse(
            digits.base, digits.count, precision: SQLType.maximumPrecision, scale: fractionPlaces, surplus: .truncate)
        return negative ? -value : value
    }

    private func invalid(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> SQLError {
        SQLError(.invalidText, "invalid input syntax for type numeric: \(TextInput.quoted(bytes, count))")
    }
}
