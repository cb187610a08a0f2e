/// Where one JSON record ends and the next begins, found without reading the records before. A right string has no
/// line end in it, and in a right text an opening bracket follows a closing one only between records; so `}` and `{`
/// with a line end and blanks between them are a border wherever they stand.
enum JSONRecordBorder {
    /// The last border of text that begins at the start of a record, 0 when there is none. The record after it may be
    /// incomplete.
    static func last(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
        if let border = lastBetweenLines(text, count) { return border }
        let first = JSONToken.skipBlanks(text, 0, count)
        if first < count && !isOpening(text[first]) {
            // No JSON at all: any line will do.
            var index = count
            while index > 0 && text[index - 1] != 10 { index -= 1 }
            return index
        }
        return lastEnd(text, count)
    }

    private static func isOpening(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") }
    private static func isClosing(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]") }

    private static func lastBetweenLines(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        var index = count
        /// After the last line end of the blanks that are being passed.
        var line: Int?
        /// The first byte after those blanks opens a record.
        var opens = false
        while index > 0 {
            index &-= 1
            let byte = text[index]
            if byte == 10 {
                if line == nil { line = index &+ 1 }
            } else if !JSONToken.isBlank(byte) {
                if let line, opens, isClosing(byte) { return line }
                opens = isOpening(byte)
                line = nil
            }
        }
        return nil
    }

    /// The end of the last whole record, for records that share lines.
    private static func lastEnd(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var last = 0
        var depth = 0
        var index = 0
        while index < count {
            let byte = text[index]
            if byte == UInt8(ascii: "\"") {
                var place = index &+ 1
                guard let close = JSONToken.closingQuote(text, &place, count) else { return last }
                index = close
            } else if isOpening(byte) {
                depth &+= 1
            } else if isClosing(byte) {
                depth &-= 1
                if depth == 0 { last = index &+ 1 }
                if depth < 0 { return last }
            }
            index &+= 1
        }
        return last
    }

    /// Where to go on after a bad record that begins at `start`: at a line that begins with a bracket, at a border, or
    /// at the end of the text. Does not depend on where the text was cut.
    static func afterBad(_ text: UnsafePointer<UInt8>, _ start: Int, _ count: Int) -> Int {
        var index = start
        var closed = false
        var line: Int?
        while index < count {
            let byte = text[index]
            if byte == 10 {
                line = index &+ 1
            } else if !JSONToken.isBlank(byte) {
                if let line, isOpening(byte), closed || line == index { return index }
                closed = isClosing(byte)
                line = nil
            }
            index &+= 1
        }
        return count
    }
}
