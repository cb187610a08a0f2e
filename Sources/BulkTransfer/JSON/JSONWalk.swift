import Glibc

/// Why a walk over a record has stopped.
enum JSONTrouble: Hashable {
    case none
    /// The record does not end in the text that is known.
    case incomplete
    case unexpected, badToken, badEscape, tooDeep, controlCharacter
    case notAnObject, notAnArray, noSuchElement

    var failure: FieldFailure {
        switch self {
        case .none, .unexpected: FieldFailure(code: 1216, reason: "Invalid JSON: unexpected character")
        case .incomplete: FieldFailure(code: 1216, reason: "Invalid JSON: unexpected end of the record")
        case .badToken: FieldFailure(code: 1216, reason: "Invalid JSON: invalid value")
        case .badEscape: FieldFailure(code: 1216, reason: "Invalid JSON: invalid escape sequence")
        case .tooDeep:
            FieldFailure(code: 1216, reason: "Invalid JSON: nested deeper than \(JSONGrammar.deepest) levels")
        case .controlCharacter: FieldFailure(code: 1216, reason: "Invalid JSON: control character in a string")
        case .notAnObject: FieldFailure(code: 1216, reason: "Invalid JSONPath format: Member is not an object.")
        case .notAnArray: FieldFailure(code: 1216, reason: "Invalid JSONPath format: Member is not an array.")
        case .noSuchElement: FieldFailure(code: 1216, reason: "Invalid JSONPath format: Array index out of range.")
        }
    }
}

/// Goes over the operators of one record after the other and notes where the wanted values are. Borrows everything it
/// points to; belongs to one thread.
///
/// Relies on what ``indexJSON(_:_:_:_:)`` or ``JSONRecordScan`` have found: between two operators is at most one token,
/// and none after a closing one. What the operators themselves say is checked here.
struct JSONWalk {
    let text: UnsafePointer<UInt8>
    let operators: UnsafePointer<UInt32>
    let count: Int
    let hasBackslashes: Bool
    let tree: JSONFieldTree
    let nodes: UnsafeMutablePointer<JSONFieldTree.Node>
    /// Of each field, whether it is a character column: those take numbers as text, which must be right then.
    let takesText: UnsafePointer<Bool>
    /// Of each field, whether it is a column of SUPER: those take strings with their quotes and escapes.
    let takesDocument: UnsafePointer<Bool>
    let stack: UnsafeMutablePointer<UInt64>
    /// Where decoded strings go: the byte, and its distance from the text.
    let side: UnsafeMutablePointer<UInt8>
    let sideStart: Int
    var sideCount: Int
    /// start and end of each field's value, of the present record.
    var row: UnsafeMutablePointer<UInt32>
    /// The bounds that stand for NULL.
    let nullBounds: (UInt32, UInt32)
    var decoded = JSONEscapes.Content()
    /// The operator that comes next, and where trouble was.
    var next = 0
    var place = 0

    /// Walks over the record whose first operator is the next one.
    mutating func takeRecord() -> JSONTrouble {
        guard next < count else { return .incomplete }
        let start = Int(operators[next])
        let before = sideCount
        let trouble = takeContainer(0, start, isRecord: true)
        if trouble != .none {
            sideCount = before
            return trouble
        }
        if nodes[0].field >= 0 { set(0, start, Int(operators[next &- 1]) &+ 1) }
        return .none
    }

    @inline(__always)
    private mutating func stop(_ trouble: JSONTrouble, at position: Int) -> JSONTrouble {
        place = position
        return trouble
    }

    /// The container at the next operator, for a node of the tree.
    private mutating func takeContainer(_ node: Int, _ start: Int, isRecord: Bool = false) -> JSONTrouble {
        let hasMembers = nodes[node].memberCount > 0
        let hasElements = nodes[node].elementCount > 0
        if text[start] == UInt8(ascii: "{") {
            if hasElements { return stop(.notAnArray, at: start) }
            return hasMembers || isRecord ? takeObject(node) : skip()
        }
        guard text[start] == UInt8(ascii: "[") else { return stop(.unexpected, at: start) }
        if hasMembers { return stop(.notAnObject, at: start) }
        return hasElements ? takeArray(node) : skip()
    }

    // MARK: Objects

    private mutating func takeObject(_ node: Int) -> JSONTrouble {
        let text = self.text
        let operators = self.operators
        var previous = Int(operators[next])
        next &+= 1
        guard next < count else { return .incomplete }
        if text[Int(operators[next])] == UInt8(ascii: "}") {
            let end = Int(operators[next])
            if JSONToken.skipBlanks(text, previous &+ 1, end) != end { return stop(.unexpected, at: previous &+ 1) }
            next &+= 1
            return .none
        }
        var pair = 0
        while true {
            guard next &+ 1 < count else { return .incomplete }
            let colon = Int(operators[next])
            var key = previous &+ 1
            if text[key] != UInt8(ascii: "\"") { key = JSONToken.skipBlanks(text, key, colon) }
            if text[colon] != UInt8(ascii: ":") || text[key] != UInt8(ascii: "\"") {
                return stop(.unexpected, at: key)
            }
            var keyEnd = colon &- 1
            while JSONToken.isBlank(text[keyEnd]) { keyEnd &-= 1 }
            key &+= 1
            if keyEnd < key { return stop(.unexpected, at: key) }
            let child = find(node, pair, key, keyEnd &- key)
            if child < -1 { return stop(.badEscape, at: key) }
            next &+= 1
            let trouble = takeValue(Int(child), colon)
            if trouble != .none { return trouble }
            guard next < count else { return .incomplete }
            previous = Int(operators[next])
            next &+= 1
            pair &+= 1
            if text[previous] == UInt8(ascii: ",") { continue }
            return text[previous] == UInt8(ascii: "}") ? .none : stop(.unexpected, at: previous)
        }
    }

    /// The node of the key, -1 for one that is not wanted, -2 for one with a wrong escape.
    @inline(__always)
    private mutating func find(_ node: Int, _ pair: Int, _ key: Int, _ keyCount: Int) -> Int32 {
        let bytes = text + key
        let raw = UnsafeRawPointer(bytes)
        var head = raw.loadUnaligned(as: UInt64.self)
        var tail: UInt64 = 0
        if keyCount < 8 {
            head &= (1 &<< UInt64(truncatingIfNeeded: keyCount &<< 3)) &- 1
        } else {
            tail = raw.loadUnaligned(fromByteOffset: keyCount &- 8, as: UInt64.self)
        }
        if pair < JSONFieldTree.guessCount {
            let guess = nodes[node].guesses + pair
            if guess.pointee.head == head && guess.pointee.tail == tail && guess.pointee.count == keyCount {
                return guess.pointee.node
            }
        }
        return findSlowly(node, pair, bytes, keyCount, head, tail)
    }

    @inline(never)
    private func findSlowly(
        _ node: Int, _ pair: Int, _ bytes: UnsafePointer<UInt8>, _ keyCount: Int, _ head: UInt64, _ tail: UInt64
    ) -> Int32 {
        if hasBackslashes && memchr(bytes, 0x5C, keyCount) != nil {
            return tree.findEscaped(bytes, keyCount, in: node) ?? -2
        }
        let found = tree.find(bytes, keyCount, in: node)
        if keyCount <= 16 && pair < JSONFieldTree.guessCount {
            nodes[node].guesses[pair] = JSONFieldTree.Guess(head: head, tail: tail, count: keyCount, node: found)
        }
        return found
    }

    // MARK: Arrays

    private mutating func takeArray(_ node: Int) -> JSONTrouble {
        let start = Int(operators[next])
        var previous = start
        var index = 0
        var wanted = 0
        next &+= 1
        guard next < count else { return .incomplete }
        let first = Int(operators[next])
        if text[first] == UInt8(ascii: "]"), JSONToken.skipBlanks(text, previous &+ 1, first) == first {
            next &+= 1
            return stop(.noSuchElement, at: start)
        }
        while true {
            var child = -1
            if wanted < nodes[node].elementCount && nodes[node].elements[wanted].index == index {
                child = Int(nodes[node].elements[wanted].node)
                wanted &+= 1
            }
            let trouble = takeValue(child, previous)
            if trouble != .none { return trouble }
            guard next < count else { return .incomplete }
            previous = Int(operators[next])
            next &+= 1
            index &+= 1
            if text[previous] == UInt8(ascii: ",") { continue }
            if text[previous] != UInt8(ascii: "]") { return stop(.unexpected, at: previous) }
            return wanted < nodes[node].elementCount ? stop(.noSuchElement, at: start) : .none
        }
    }

    // MARK: Values

    /// The value after the operator at `before`, for a node or for nobody (-1). The next operator is the one after it
    /// then.
    @inline(__always)
    private mutating func takeValue(_ node: Int, _ before: Int) -> JSONTrouble {
        guard next < count else { return .incomplete }
        var start = before &+ 1
        var end = Int(operators[next])
        if text[start] <= 0x20 { start = JSONToken.skipBlanks(text, start, end) }
        if start == end { return takeNested(node, start) }
        while text[end &- 1] <= 0x20 { end &-= 1 }
        let first = text[start]
        if first == UInt8(ascii: "\"") {
            if node < 0 { return .none }
            if nodes[node].hasChildren { return stop(.notAnObject, at: start) }
            if takesDocument[Int(nodes[node].field)] {
                set(node, start, end)
                return .none
            }
            start &+= 1
            end &-= 1
            if end < start { return stop(.unexpected, at: start) }
            if hasBackslashes && memchr(text + start, 0x5C, end &- start) != nil {
                return setDecoded(node, start, end)
            }
            set(node, start, end)
            return .none
        }
        if first &- 0x30 < 10 || first == UInt8(ascii: "-") {
            return node < 0 ? .none : takeNumber(node, start, end)
        }
        return takeWord(node, start, end)
    }

    @inline(__always)
    private mutating func takeNumber(_ node: Int, _ start: Int, _ end: Int) -> JSONTrouble {
        if nodes[node].hasChildren { return stop(.notAnObject, at: start) }
        if takesText[Int(nodes[node].field)] && !JSONToken.isNumber(text + start, end &- start) {
            return stop(.badToken, at: start)
        }
        set(node, start, end)
        return .none
    }

    private mutating func takeWord(_ node: Int, _ start: Int, _ end: Int) -> JSONTrouble {
        let word = JSONToken.word(text + start, end &- start)
        if word == .none { return stop(.badToken, at: start) }
        if node < 0 { return .none }
        if word == .null {
            setNull(node)
        } else if nodes[node].hasChildren {
            return stop(.notAnObject, at: start)
        } else {
            set(node, start, end)
        }
        return .none
    }

    private mutating func takeNested(_ node: Int, _ start: Int) -> JSONTrouble {
        let first = text[start]
        guard first == UInt8(ascii: "{") || first == UInt8(ascii: "[") else { return stop(.unexpected, at: start) }
        if node < 0 { return skip() }
        // A key that comes twice: what the first one had below it is forgotten.
        if nodes[node].hasChildren { setNull(node) }
        let trouble = takeContainer(node, start)
        if trouble == .none && nodes[node].field >= 0 { set(node, start, Int(operators[next &- 1]) &+ 1) }
        return trouble
    }

    /// Checks the container at the next operator without keeping anything of it.
    private mutating func skip() -> JSONTrouble {
        var grammar = JSONGrammar(stack: stack)
        var previous = Int(operators[next])
        _ = grammar.takeOperator(text[previous])
        next &+= 1
        while grammar.depth > 0 {
            guard next < count else { return .incomplete }
            let position = Int(operators[next])
            let token = JSONToken.skipBlanks(text, previous &+ 1, position)
            if token < position && !takeToken(token, position, &grammar) { return stop(.unexpected, at: token) }
            guard grammar.takeOperator(text[position]) else {
                return stop(grammar.isTooDeep ? .tooDeep : .unexpected, at: position)
            }
            previous = position
            next &+= 1
        }
        return .none
    }

    private func takeToken(_ start: Int, _ limit: Int, _ grammar: inout JSONGrammar) -> Bool {
        if text[start] == UInt8(ascii: "\"") { return grammar.takeToken(isString: true) }
        var end = limit
        while JSONToken.isBlank(text[end &- 1]) { end &-= 1 }
        return grammar.takeToken(isString: false) && JSONToken.word(text + start, end &- start) != .none
    }

    // MARK: Fields

    @inline(__always)
    private mutating func set(_ node: Int, _ start: Int, _ end: Int) {
        let field = Int(nodes[node].field) &<< 1
        row[field] = UInt32(truncatingIfNeeded: start)
        row[field &+ 1] = UInt32(truncatingIfNeeded: end)
        if nodes[node].hasMoreFields { setMore(node, start, end) }
    }

    private mutating func setMore(_ node: Int, _ start: Int, _ end: Int) {
        for field in tree.moreFields[node] {
            row[2 &* field] = UInt32(truncatingIfNeeded: start)
            row[2 &* field &+ 1] = UInt32(truncatingIfNeeded: end)
        }
    }

    private mutating func setNull(_ node: Int) {
        for field in tree.fieldsBelow[node] {
            row[2 &* field] = nullBounds.0
            row[2 &* field &+ 1] = nullBounds.1
        }
    }

    private mutating func setDecoded(_ node: Int, _ start: Int, _ end: Int) -> JSONTrouble {
        guard let written = JSONEscapes.decode(text + start, end &- start, into: side + sideCount, &decoded) else {
            return stop(.badEscape, at: start)
        }
        set(node, sideStart &+ sideCount, sideStart &+ sideCount &+ written)
        sideCount &+= written
        return .none
    }
}
