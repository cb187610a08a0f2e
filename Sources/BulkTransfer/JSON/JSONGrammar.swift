import CIntrinsics

/// What may come next in a JSON text, and what is open: for text that is checked without being kept. Feed it tokens
/// (strings, numbers, words) and operators in their order. Belongs to one thread; the stack belongs to the maker.
struct JSONGrammar {
    private enum Expected {
        case value, valueOrEnd, key, keyOrEnd, colon, end
    }
    /// Levels that may be open at a time.
    static let deepest = 1000
    /// Words of a stack: a bit for each level, set for objects.
    static let stackWords = deepest / 64 + 1

    private let stack: UnsafeMutablePointer<UInt64>
    private(set) var depth = 0
    private var expected = Expected.value

    init(stack: UnsafeMutablePointer<UInt64>) { self.stack = stack }

    var isTooDeep: Bool { depth >= JSONGrammar.deepest }

    /// False for a token that cannot stand here. The caller has looked at the token itself.
    @inline(__always)
    mutating func takeToken(isString: Bool) -> Bool {
        switch expected {
        case .value, .valueOrEnd:
            expected = .end
            return true
        case .key, .keyOrEnd:
            expected = .colon
            return isString
        case .colon, .end: return false
        }
    }

    @inline(__always)
    mutating func takeOperator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "{"), UInt8(ascii: "["): return open(isObject: byte == UInt8(ascii: "{"))
        case UInt8(ascii: ":"):
            defer { expected = .value }
            return expected == .colon
        case UInt8(ascii: ","):
            guard expected == .end, depth > 0 else { return false }
            expected = isObject ? .key : .value
            return true
        case UInt8(ascii: "}"):
            guard depth > 0, isObject, expected == .end || expected == .keyOrEnd else { return false }
            return close()
        default:
            guard depth > 0, !isObject, expected == .end || expected == .valueOrEnd else { return false }
            return close()
        }
    }

    private var isObject: Bool {
        let level = depth &- 1
        return stack[level &>> 6] &>> UInt64(truncatingIfNeeded: level & 63) & 1 == 1
    }

    private mutating func open(isObject: Bool) -> Bool {
        guard expected == .value || expected == .valueOrEnd, depth < JSONGrammar.deepest else { return false }
        let bit: UInt64 = 1 &<< UInt64(truncatingIfNeeded: depth & 63)
        if isObject { stack[depth &>> 6] |= bit } else { stack[depth &>> 6] &= ~bit }
        depth &+= 1
        expected = isObject ? .keyOrEnd : .valueOrEnd
        return true
    }

    private mutating func close() -> Bool {
        depth &-= 1
        expected = .end
        return true
    }
}
