import CIntrinsics
import Glibc

/// Where records end. All text handed to these functions begins at the start of a record.
enum RecordBorder: Hashable {
    case newline
    /// A backslash takes the meaning from the line end after it.
    case escaped
    /// Line ends within quoted fields do not count.
    case quoted(quote: UInt8, delimiter: UInt8)
    /// JSON values, with or without line ends between them.
    case json

    init(_ options: CopyOptions) {
        switch options.layout {
        case .csv(let quote): self = .quoted(quote: quote, delimiter: options.delimiter)
        case .fixedWidth: self = .newline
        case .delimited: self = options.escape ? .escaped : .newline
        case .json, .avro, .orc, .parquet: self = .json
        }
    }

    /// The end of the last whole record, 0 when there is none.
    func last(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
        switch self {
        case .newline: return (lastNewline(text, count) ?? -1) + 1
        case .escaped: return lastEscaped(text, count)
        case .quoted(let quote, let delimiter): return lastQuoted(text, count, quote, delimiter)
        case .json: return JSONRecordBorder.last(text, count)
        }
    }

    private func lastNewline(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int? {
        var index = count
        while index > 0 {
            index &-= 1
            if text[index] == 10 { return index }
        }
        return nil
    }

    private func lastEscaped(_ text: UnsafePointer<UInt8>, _ count: Int) -> Int {
        var limit = count
        while let index = lastNewline(text, limit) {
            var before = index
            while before > 0 && text[before - 1] == 0x5C { before -= 1 }
            // An even run of backslashes escapes itself.
            if (index - before) & 1 == 0 { return index + 1 }
            limit = index
        }
        return 0
    }

    private func lastQuoted(_ text: UnsafePointer<UInt8>, _ count: Int, _ quote: UInt8, _ delimiter: UInt8) -> Int {
        if memchr(text, Int32(quote), count) == nil { return RecordBorder.newline.last(text, count) }
        var last = 0
        var scan = QuoteScan(quote: quote, delimiter: delimiter)
        var index = 0
        while index < count {
            let lines = scan.step(text, index, count)
            if lines != 0 { last = index + 64 - lines.leadingZeroBitCount }
            index += 64
        }
        if scan.irregular == 0 { return last }
        var start = 0
        while let end = CSVRecord.end(text, start, count, quote, delimiter) { start = end }
        return start
    }
}

/// Walks over CSV text 64 bytes at a time and tells quoted from unquoted bytes by the parity of quotes. That is right
/// as long as every opening quote stands at the start of a field; otherwise ``irregular`` becomes nonzero and the text
/// has to be read byte by byte.
struct QuoteScan {
    let quote: UInt8
    let delimiter: UInt8
    /// All ones inside quotes.
    private var inside: UInt64 = 0
    /// Bit 0: the byte before the next block lets a quote open a field.
    private var opensBefore: UInt64 = 1
    private(set) var irregular: UInt64 = 0
    /// Of the last block: unquoted delimiters and line ends, and all line ends.
    private(set) var separators: UInt64 = 0
    private(set) var newlines: UInt64 = 0

    init(quote: UInt8, delimiter: UInt8) {
        self.quote = quote
        self.delimiter = delimiter
    }

    /// Looks at the block at `index` and returns its unquoted line ends. Bytes from `count` on are ignored.
    @inline(__always)
    mutating func step(_ text: UnsafePointer<UInt8>, _ index: Int, _ count: Int) -> UInt64 {
        let block = text + index
        let left = count &- index
        let valid = left >= 64 ? ~0 : (1 &<< UInt64(truncatingIfNeeded: left)) &- 1
        let quotes = rb_equal2_mask64(block, quote, quote) & valid
        let either = rb_equal2_mask64(block, delimiter, 10) & valid
        let lines = rb_equal2_mask64(block, 10, 10) & valid
        var parity = quotes
        parity ^= parity &<< 1
        parity ^= parity &<< 2
        parity ^= parity &<< 4
        parity ^= parity &<< 8
        parity ^= parity &<< 16
        parity ^= parity &<< 32
        let quoted = parity ^ inside
        let unquoted = either & ~quoted
        // A quote may open after a separator, or after the quote that closed: that pair is a doubled quote.
        let openers = unquoted | (quotes & ~quoted)
        irregular |= quotes & quoted & ~(openers &<< 1 | opensBefore)
        opensBefore = openers &>> 63
        inside = 0 &- (quoted &>> 63)
        if left < 64 { inside = 0 }
        separators = unquoted
        newlines = lines
        return unquoted & lines
    }
}

/// CSV byte by byte, for text that is not well-formed: a quote in the middle of an unquoted field opens nothing.
enum CSVRecord {
    /// The end of the record that starts at `start`; nil when it does not end before `count`.
    static func end(
        _ text: UnsafePointer<UInt8>, _ start: Int, _ count: Int, _ quote: UInt8, _ delimiter: UInt8
    ) -> Int? {
        var index = start
        var fieldStart = true
        while index < count {
            let byte = text[index]
            if fieldStart && byte == quote {
                guard let close = closingQuote(text, index &+ 1, count, quote) else { return nil }
                index = close &+ 1
                fieldStart = false
                continue
            }
            if byte == 10 { return index &+ 1 }
            fieldStart = byte == delimiter
            index &+= 1
        }
        return nil
    }

    /// The quote that closes a field whose content starts at `start`; doubled quotes are content.
    static func closingQuote(_ text: UnsafePointer<UInt8>, _ start: Int, _ count: Int, _ quote: UInt8) -> Int? {
        var index = start
        while index < count {
            if text[index] == quote {
                if index &+ 1 < count && text[index &+ 1] == quote {
                    index &+= 2
                    continue
                }
                return index
            }
            index &+= 1
        }
        return nil
    }
}
