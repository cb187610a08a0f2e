import CIntrinsics

/// What is known of a window of JSON text after its first reading.
struct JSONStructure {
    /// Operators outside of strings whose positions are stored.
    var operators = 0
    /// Something is not as in a right text: two tokens without an operator between them, a control character, a
    /// backslash outside of a string. Positions may be wrong, and the records have to be read byte by byte.
    var isIrregular = false
    var hasBackslashes = false
}

/// Stores the positions of all operators outside of strings of `text[from ..< to]`, 64 bytes at a time. `from` must be
/// outside of any string. A string that does not end makes the window irregular only if it runs over a line end; the
/// positions before it are right in any case.
///
/// Where nothing is irregular, there is between two operators at most one token, and none after `}` and `]`.
func indexJSON(
    _ text: UnsafePointer<UInt8>, _ from: Int, _ to: Int, _ out: UnsafeMutablePointer<UInt32>
) -> JSONStructure {
    var count = 0
    var index = from
    /// All ones when the block before ended inside a string.
    var inside: UInt64 = 0
    /// Bit 0: a backslash at the end of the block before escapes the first byte.
    var escapes: UInt64 = 0
    /// Bit 0: an operator that lets a token follow reaches over blanks to the first byte.
    var opens: UInt64 = 0
    /// Bit 0: the last byte was of a token without quotes.
    var word: UInt64 = 0
    var irregular: UInt64 = 0
    var backslashes: UInt64 = 0
    while index < to {
        let kinds = rb_json_kinds64(text + index)
        let valid: UInt64 = to &- index >= 64 ? ~0 : (1 &<< UInt64(truncatingIfNeeded: to &- index)) &- 1
        let slashes = kinds.backslashes & valid
        var quotes = kinds.quotes & valid
        if slashes | escapes != 0 {
            quotes &= ~escapedBytes(slashes, &escapes)
            backslashes |= slashes
        }
        var strings = quotes
        strings ^= strings &<< 1
        strings ^= strings &<< 2
        strings ^= strings &<< 4
        strings ^= strings &<< 8
        strings ^= strings &<< 16
        strings ^= strings &<< 32
        // From the opening quote to the byte before the closing one.
        strings ^= inside
        inside = 0 &- (strings &>> 63)
        let outside = ~strings & valid
        let operators = kinds.operators & outside
        let blanks = kinds.blanks & outside
        let words = outside & ~(operators | blanks | quotes)
        let tokens = (quotes & strings) | (words & ~(words &<< 1 | word))
        word = words &>> 63
        let openers = operators & ~kinds.closers
        let (sum, overflow) = ((openers &<< 1 | opens) & blanks).addingReportingOverflow(blanks)
        let after = (sum | openers &<< 1 | opens) & ~blanks
        opens = openers &>> 63 | (overflow ? 1 : 0)
        irregular |= (tokens & ~after) | (kinds.controls & valid & (strings | ~kinds.blanks)) | (slashes & outside)
        count &+= storePositions(operators, UInt32(truncatingIfNeeded: index), out + count)
        index &+= 64
    }
    return JSONStructure(operators: count, isIrregular: irregular != 0, hasBackslashes: backslashes != 0)
}

/// The bytes that a backslash escapes: those after an odd run of backslashes.
@inline(__always)
private func escapedBytes(_ slashes: UInt64, _ carry: inout UInt64) -> UInt64 {
    let even: UInt64 = 0x5555_5555_5555_5555
    let starts = slashes & ~carry
    let follows = starts &<< 1 | carry
    let odd = starts & ~even & ~follows
    let (sum, overflow) = odd.addingReportingOverflow(starts)
    carry = overflow ? 1 : 0
    return (even ^ (sum &<< 1)) & follows
}

/// The same for one record, byte by byte and with everything checked but the insides of numbers and escapes.
struct JSONRecordScan {
    /// Why a record cannot be read.
    enum Trouble: Hashable {
        case endOfText, unexpected, controlCharacter, badToken, tooDeep
    }
    private(set) var operators = 0
    /// After the record, or where the trouble is.
    private(set) var end = 0
    private(set) var trouble: Trouble?

    /// `text[from]` must be `{` or `[`. `out` has room for as many positions as there are bytes.
    init(
        _ text: UnsafePointer<UInt8>, _ from: Int, _ limit: Int, _ stack: UnsafeMutablePointer<UInt64>,
        _ out: UnsafeMutablePointer<UInt32>
    ) {
        var grammar = JSONGrammar(stack: stack)
        end = from
        while true {
            end = JSONToken.skipBlanks(text, end, limit)
            guard end < limit else {
                trouble = .endOfText
                return
            }
            let byte = text[end]
            if JSONToken.isOperator(byte) {
                guard grammar.takeOperator(byte) else {
                    trouble = grammar.isTooDeep ? .tooDeep : .unexpected
                    return
                }
                out[operators] = UInt32(truncatingIfNeeded: end)
                operators += 1
                end += 1
                if grammar.depth == 0 { return }
            } else if !takeToken(text, limit, &grammar) {
                return
            }
        }
    }

    private mutating func takeToken(_ text: UnsafePointer<UInt8>, _ limit: Int, _ grammar: inout JSONGrammar) -> Bool {
        let isString = text[end] == UInt8(ascii: "\"")
        guard grammar.takeToken(isString: isString) else {
            trouble = .unexpected
            return false
        }
        if isString {
            var place = end + 1
            guard let close = JSONToken.closingQuote(text, &place, limit) else {
                trouble = place < limit ? .controlCharacter : .endOfText
                end = place
                return false
            }
            end = close + 1
            return true
        }
        let stop = JSONToken.wordEnd(text, end, limit)
        guard stop > end, JSONToken.word(text + end, stop - end) != .none else {
            trouble = stop == limit ? .endOfText : .badToken
            return false
        }
        end = stop
        return true
    }
}
