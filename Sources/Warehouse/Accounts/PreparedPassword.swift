@_spi(_Unicode) import Swift

/// A password as SCRAM compares it (RFC 4013, SASLprep): blanks of any kind are the ASCII one, what cannot be seen is
/// left out, and letters with marks are composed. Of the compatibility forms, those of other widths and the ligatures
/// are mapped; passwords with rarer ones count as they are written.
enum PreparedPassword {
    static func bytes(_ password: String) -> [UInt8] {
        if password.utf8.allSatisfy({ $0 < 0x80 }) { return Array(password.utf8) }
        var mapped = ""
        for scalar in password.unicodeScalars { mapped.unicodeScalars.append(contentsOf: form(of: scalar)) }
        var composed = String.UnicodeScalarView()
        for scalar in mapped._nfc { composed.append(scalar) }
        return Array(String(composed).utf8)
    }

    /// From U+FF61 on; the two marks behind them are the combining ones.
    private static let katakana = Array(
        ("。「」、・ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン" + "\u{3099}\u{309A}")
            .unicodeScalars)
    private static let ligatures = ["ff", "fi", "fl", "ffi", "ffl", "st", "st"]

    private static func form(of scalar: Unicode.Scalar) -> [Unicode.Scalar] {
        switch scalar.value {
        case 0xA0, 0x1680, 0x2000...0x200B, 0x202F, 0x205F, 0x3000: return [" "]
        case 0xAD, 0x34F, 0x1806, 0x180B...0x180D, 0x200C...0x200D, 0x2060, 0xFE00...0xFE0F, 0xFEFF: return []
        case 0xFF01...0xFF5E: return Unicode.Scalar(scalar.value - 0xFEE0).map { [$0] } ?? [scalar]
        case 0xFF61...0xFF9F: return [katakana[Int(scalar.value) - 0xFF61]]
        case 0xFB00...0xFB06: return Array(ligatures[Int(scalar.value) - 0xFB00].unicodeScalars)
        default: return [scalar]
        }
    }
}
