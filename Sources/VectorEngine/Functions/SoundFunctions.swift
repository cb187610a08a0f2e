import ColumnVectors
import QueryPlan
import SQLTypes

/// How texts sound: American Soundex (National Archives' rules).
enum SoundFunctions {
    static func kernel(_ function: ScalarFunction) -> FunctionKernel? {
        switch function {
        case .soundex: soundex
        case .soundDifference: difference
        default: nil
        }
    }

    private static let soundex = FunctionKernel.text { frame, row, buffer in
        if let code = SoundCode(frame.string(0, row)) { buffer.append(code.letters) }
    }

    /// How many of the codes' four letters differ.
    private static let difference = FunctionKernel.binary(StringView.self, StringView.self, Int32.self) { left, right in
        let first = SoundCode(left)?.letters ?? [0, 0, 0, 0]
        let second = SoundCode(right)?.letters ?? [0, 0, 0, 0]
        return zip(first, second).reduce(0) { $0 + ($1.0 != $1.1 ? 1 : 0) }
    }
}

/// A letter and three digits.
private struct SoundCode {
    private(set) var letters: [UInt8] = []

    /// Digits of A to Z; 0 for vowels, which part equal digits, and 7 for H and W, which do not.
    private static let digits = Array("01230127022455012623017202".utf8)

    /// nil without any letter.
    init?(_ view: StringView) {
        var last: UInt8 = 0
        for byte in view.bytes {
            let letter = byte & 0xDF
            guard byte < 0x80, letter >= 65, letter <= 90 else { continue }
            let digit = SoundCode.digits[Int(letter &- 65)]
            if letters.isEmpty {
                letters.append(letter)
            } else if digit == UInt8(ascii: "7") {
                continue
            } else if digit != UInt8(ascii: "0") && digit != last {
                letters.append(digit)
                if letters.count == 4 { break }
            }
            last = digit
        }
        if letters.isEmpty { return nil }
        letters += [UInt8](repeating: UInt8(ascii: "0"), count: 4 - letters.count)
    }
}
