import ColumnVectors

/// Distinct strings in byte order (of their blank-trimmed form, so that values that compare equal share an entry when
/// the column's blanks were trimmed on write): code order is SQL order. Immutable; memory is owned here.
package final class TextDictionary: @unchecked Sendable {  // immutable after init
    package let count: Int
    /// `count` views into the dictionary's own heap, followed by padding.
    package let views: UnsafePointer<StringView>
    package let hasTrailingBlanks: Bool
    private let heap: UnsafeMutablePointer<UInt8>
    private let storage: UnsafeMutablePointer<StringView>

    /// Copies the strings, which the caller has ordered and made distinct.
    package init(orderedDistinct strings: [StringView]) {
        count = strings.count
        var bytes = 0
        for string in strings { bytes += Int(string.count) }
        heap = .allocate(capacity: bytes + StorageLimits.padding)
        (heap + bytes).initialize(repeating: 0, count: StorageLimits.padding)
        storage = .allocate(capacity: strings.count + 8)
        var position = 0
        var blanks = false
        for (index, string) in strings.enumerated() {
            let length = Int(string.count)
            (heap + position).update(from: string.pointer, count: length)
            storage[index] = StringView(heap + position, count: length)
            if length > 0 && heap[position + length - 1] == 0x20 { blanks = true }
            position += length
        }
        for index in strings.count..<strings.count + 8 { storage[index] = StringView.empty }
        views = UnsafePointer(storage)
        hasTrailingBlanks = blanks
    }

    /// Of texts that stand in arrays, ordered and distinct.
    package static func of(_ texts: [[UInt8]]) -> TextDictionary {
        texts.flatMap(\.self).withUnsafeBufferPointer { bytes in
            var place = 0
            var views: [StringView] = []
            for text in texts {
                views.append(bytes.baseAddress.map { StringView($0 + place, count: text.count) } ?? .empty)
                place += text.count
            }
            return TextDictionary(orderedDistinct: views)
        }
    }

    deinit {
        heap.deallocate()
        storage.deallocate()
    }
}
