import ColumnStore
import ColumnVectors
import Glibc
import SQLTypes

/// Keys of any types as rows of 64-bit words that are equal when the keys are: integers in one word (or two), floats
/// as normalised bits, strings as head (length and first bytes) and tail (the last bytes up to 12, the address when
/// longer); a last word has a bit per NULL where NULLs occur.
struct WideKeyLayout {
    enum Kind { case integer, wide, float, string }
    struct Field {
        var kind: Kind
        var word: Int
        var trimmed: Bool
    }
    let fields: [Field]
    let nullWord: Int?
    let words: Int
    /// Words that hold string heads: their tails are compared by bytes when long.
    let stringWords: [Int]

    /// - Parameter sides: the registers of every key, one array per side; all sides get the same layout.
    init(_ sides: [[Register]], nulls: Bool) {
        var fields: [Field] = []
        var word = 0
        for index in sides[0].indices {
            let forms = sides.map { $0[index] }
            let kind: Kind
            if sides.count == 1, let dictionary = forms[0].dictionary,
                dictionary.canonicalCodes(trimming: forms[0].trailingBlanks) == nil
            {
                // Different codes are different strings, and all rows have the same dictionary.
                kind = .integer
            } else if forms.contains(where: { $0.physical == .string || $0.dictionary != nil }) {
                kind = .string
            } else if forms.contains(where: { $0.physical == .float64 }) {
                kind = .float
            } else {
                kind = forms.contains { $0.physical == .int128 } ? .wide : .integer
            }
            fields.append(Field(kind: kind, word: word, trimmed: forms.contains(where: \.trailingBlanks)))
            word += kind == .integer || kind == .float ? 1 : 2
        }
        self.fields = fields
        nullWord = nulls ? word : nil
        words = max(word + (nulls ? max((fields.count + 63) / 64, 1) : 0), 1)
        stringWords = fields.filter { $0.kind == .string }.map(\.word)
    }

    @inline(__always) static func tail(_ view: StringView) -> UInt64 {
        let count = Int(view.count)
        if count <= 4 { return 0 }
        let raw = UnsafeRawPointer(view.pointer)
        if count <= 8 { return UInt64(raw.loadUnaligned(fromByteOffset: count &- 4, as: UInt32.self)) }
        if count <= 12 { return raw.loadUnaligned(fromByteOffset: count &- 8, as: UInt64.self) }
        return UInt64(UInt(bitPattern: view.pointer))
    }
    /// Writes the bytes of a string of up to 12 bytes; 12 bytes are written.
    @inline(__always) static func restore(_ head: UInt64, _ tail: UInt64, _ target: UnsafeMutablePointer<UInt8>) {
        let raw = UnsafeMutableRawPointer(target), count = length(head)
        raw.storeBytes(of: UInt32(truncatingIfNeeded: head >> 32), as: UInt32.self)
        if count > 8 {
            raw.storeBytes(of: tail, toByteOffset: count - 8, as: UInt64.self)
        } else if count > 4 {
            raw.storeBytes(of: UInt32(truncatingIfNeeded: tail), toByteOffset: count - 4, as: UInt32.self)
        }
    }
    /// Length of a string by its head.
    @inline(__always) static func length(_ head: UInt64) -> Int { Int(head & 0xffff_ffff) }
    @inline(__always) static func pointer(_ tail: UInt64) -> UnsafePointer<UInt8> {
        UnsafePointer(bitPattern: UInt(tail)).unsafelyUnwrapped
    }

    /// Both rows hold the same key.
    @inline(__always)
    func equal(_ left: UnsafePointer<UInt64>, _ right: UnsafePointer<UInt64>) -> Bool {
        if stringWords.isEmpty {
            for word in 0..<words where left[word] != right[word] { return false }
            return true
        }
        return equalWithStrings(left, right)
    }
    private func equalWithStrings(_ left: UnsafePointer<UInt64>, _ right: UnsafePointer<UInt64>) -> Bool {
        for field in fields {
            let word = field.word
            if left[word] != right[word] { return false }
            if field.kind == .wide && left[word + 1] != right[word + 1] { return false }
            if field.kind == .string && left[word + 1] != right[word + 1] {
                let length = WideKeyLayout.length(left[word])
                if length <= 12 { return false }
                if memcmp(
                    WideKeyLayout.pointer(left[word + 1]), WideKeyLayout.pointer(right[word + 1]), length) != 0
                {
                    return false
                }
            }
        }
        guard let nullWord else { return true }
        for word in nullWord..<words where left[word] != right[word] { return false }
        return true
    }
}

/// Writes the key rows of one side and their hashes. Immutable; what it writes to belongs to the caller.
final class WideKeyEncoder {
    let layout: WideKeyLayout
    private let forms: [Register]
    /// Views by code, trimmed where the layout says so, for dictionary keys.
    private var dictionaryViews: [[StringView]?] = []

    init(_ layout: WideKeyLayout, _ forms: [Register]) {
        self.layout = layout
        self.forms = forms
        for (field, form) in zip(layout.fields, forms) {
            guard let dictionary = form.dictionary, field.kind == .string else {
                dictionaryViews.append(nil)
                continue
            }
            dictionaryViews.append(
                (0..<max(dictionary.count, 1)).map {
                    field.trimmed ? dictionary.views[$0].trimmed : dictionary.views[$0]
                })
        }
    }

    /// The hash of a key of one string that is not NULL, from its words.
    static func hash(head: UInt64, tail: UInt64) -> UInt64 {
        let prefix = UInt32(truncatingIfNeeded: head >> 32)
        let length = WideKeyLayout.length(head)
        var hash: UInt64 = 0
        if length > 12 {
            hash = StringHash.hash(WideKeyLayout.pointer(tail), length, prefix: prefix)
        } else {
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { buffer in
                guard let base = buffer.baseAddress else { return }
                WideKeyLayout.restore(head, tail, base)
                hash = StringHash.hash(base, length, prefix: prefix)
            }
        }
        return StringHash.mix(0x9E37_79B9_7F4A_7C15 ^ hash, 0x8BB8_4B93_962E_ACC9)
    }

    /// - Parameter invalid: set to 1 where a key is NULL, when given; otherwise NULLs are part of the key.
    func encode(
        _ vectors: [KeyVector], _ count: Int, rows: UnsafeMutablePointer<UInt64>, hashes: UnsafeMutablePointer<UInt64>,
        invalid: UnsafeMutablePointer<UInt8>? = nil
    ) {
        let stride = layout.words
        hashes.update(repeating: 0x9E37_79B9_7F4A_7C15, count: count)
        if layout.fields.isEmpty { for i in 0..<count { rows[i &* stride] = 0 } }
        if let nullWord = layout.nullWord {
            for word in nullWord..<stride { for i in 0..<count { rows[i &* stride &+ word] = 0 } }
        }
        if let invalid { memset(invalid, 0, count) }
        for (index, field) in layout.fields.enumerated() {
            let vector = vectors[index]
            let target = rows + field.word
            switch field.kind {
            case .integer, .wide: integers(index, field, vector, count, target, hashes)
            case .float: floats(vector, count, target, hashes)
            case .string: strings(index, field, vector, count, target, hashes)
            }
            guard let validity = vector.validity else { continue }
            if let invalid {
                for i in 0..<count { invalid[i] |= 1 &- validity[i] }
            }
            if let nullWord = layout.nullWord {
                markNulls(validity, count, rows + nullWord + index / 64, UInt64(1) << UInt64(index & 63), hashes)
            }
        }
    }

    private func markNulls(
        _ validity: UnsafePointer<UInt8>, _ count: Int, _ nulls: UnsafeMutablePointer<UInt64>, _ bit: UInt64,
        _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        let stride = layout.words
        for i in 0..<count where validity[i] == 0 {
            nulls[i &* stride] |= bit
            hashes[i] = StringHash.mix(hashes[i] ^ bit, 0xA076_1D64_78BD_642F)
        }
    }

    private func integers(
        _ index: Int, _ field: WideKeyLayout.Field, _ vector: KeyVector, _ count: Int,
        _ target: UnsafeMutablePointer<UInt64>, _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        switch forms[index].physical {
        case .uint8: integers(UInt8.self, field, vector, count, target, hashes)
        case .uint16: integers(UInt16.self, field, vector, count, target, hashes)
        case .int32: integers(Int32.self, field, vector, count, target, hashes)
        case .int64: integers(Int64.self, field, vector, count, target, hashes)
        default: integers(Int128.self, field, vector, count, target, hashes)
        }
    }
    @inline(__always)
    private func integers<Value: FixedWidthInteger>(
        _: Value.Type, _ field: WideKeyLayout.Field, _ vector: KeyVector, _ count: Int,
        _ target: UnsafeMutablePointer<UInt64>, _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        let values = vector.data.assumingMemoryBound(to: Value.self)
        let validity = vector.validity
        let stride = layout.words
        let wide = field.kind == .wide
        for i in 0..<count {
            let keep = validity.map { 0 &- UInt64($0[i]) } ?? UInt64.max
            let low = UInt64(truncatingIfNeeded: values[i]) & keep
            target[i &* stride] = low
            var hash = hashes[i] ^ low
            if wide {
                let high = UInt64(truncatingIfNeeded: Int128(values[i]) >> 64) & keep
                target[i &* stride &+ 1] = high
                hash = hash ^ (high &* 0xC2B2_AE3D_27D4_EB4F)
            }
            hashes[i] = StringHash.mix(hash, 0x8BB8_4B93_962E_ACC9)
        }
    }

    /// Both zeros are one value, and all NaNs are.
    private func floats(
        _ vector: KeyVector, _ count: Int, _ target: UnsafeMutablePointer<UInt64>,
        _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        let values = vector.data.assumingMemoryBound(to: Double.self)
        let stride = layout.words
        for i in 0..<count {
            var bits = (values[i] + 0.0).bitPattern
            if values[i] != values[i] { bits = Double.nan.bitPattern }
            if let validity = vector.validity, validity[i] == 0 { bits = 0 }
            target[i &* stride] = bits
            hashes[i] = StringHash.mix(hashes[i] ^ bits, 0x8BB8_4B93_962E_ACC9)
        }
    }

    private func strings(
        _ index: Int, _ field: WideKeyLayout.Field, _ vector: KeyVector, _ count: Int,
        _ target: UnsafeMutablePointer<UInt64>, _ hashes: UnsafeMutablePointer<UInt64>
    ) {
        let stride = layout.words
        let trims = field.trimmed
        @inline(__always) func write(_ i: Int, _ raw: StringView) {
            var view = raw
            if let validity = vector.validity, validity[i] == 0 { view = .empty }
            if trims { view = view.trimmed }
            target[i &* stride] = view.head
            target[i &* stride &+ 1] = WideKeyLayout.tail(view)
            hashes[i] = StringHash.mix(hashes[i] ^ view.hash, 0x8BB8_4B93_962E_ACC9)
        }
        // The code of a NULL row is undefined and may lie outside of the dictionary.
        @inline(__always) func place(_ code: Int, _ i: Int) -> Int {
            vector.validity.map { code & (0 &- Int($0[i])) } ?? code
        }
        guard let views = dictionaryViews[index] else {
            let values = vector.data.assumingMemoryBound(to: StringView.self)
            for i in 0..<count { write(i, values[i]) }
            return
        }
        views.withUnsafeBufferPointer { views in
            guard let entries = views.baseAddress else { return }
            if forms[index].physical == .uint8 {
                let codes = vector.data.assumingMemoryBound(to: UInt8.self)
                for i in 0..<count { write(i, entries[place(Int(codes[i]), i)]) }
            } else {
                let codes = vector.data.assumingMemoryBound(to: UInt16.self)
                for i in 0..<count { write(i, entries[place(Int(codes[i]), i)]) }
            }
        }
    }
}
