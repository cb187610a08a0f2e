import ColumnVectors
import Glibc
import SQLTypes

/// The different values of a column chunk, numbered as they came: words or strings, never both. Confined to one thread.
final class ParquetOutputDictionary {
    private(set) var count = 0
    /// Bytes of its entries as a page.
    private(set) var plainBytes = 0
    /// The entries; one of the two is used.
    private(set) var words: UnsafeMutablePointer<UInt64>
    private(set) var views: UnsafeMutablePointer<StringView>
    private let arena = StringArena()
    /// Numbers of entries plus one, 0 for none; a power of two of them, at most half of them used.
    private var slots: UnsafeMutablePointer<UInt32>
    private var slotCount: Int
    /// Numbers plus one of small words, by the word: most columns that pay have no others. As long as such words need.
    private var direct: UnsafeMutablePointer<UInt32>
    private var directCount = 0
    private static let mostDirect = 1 << 16
    private let holdsWords: Bool
    private let entryBytes: Int
    private static let firstSlots = 1 << 10

    /// - Parameter entryBytes: of an entry in the page: a word's, or what comes on top of a string's own.
    init(words holdsWords: Bool, entryBytes: Int) {
        self.holdsWords = holdsWords
        self.entryBytes = entryBytes
        slotCount = ParquetOutputDictionary.firstSlots
        slots = .allocate(capacity: slotCount)
        slots.initialize(repeating: 0, count: slotCount)
        direct = .allocate(capacity: 1)
        words = .allocate(capacity: holdsWords ? slotCount / 2 : 1)
        views = .allocate(capacity: holdsWords ? 1 : slotCount / 2)
    }
    deinit {
        slots.deallocate()
        direct.deallocate()
        words.deallocate()
        views.deallocate()
    }

    var heldBytes: Int {
        (holdsWords ? 8 : 16) * slotCount / 2 + 4 * (slotCount + directCount) + arena.reservedBytes
    }

    /// Finds each value's number.
    func number(_ values: UnsafePointer<UInt64>, _ valueCount: Int, _ out: UnsafeMutablePointer<UInt32>) {
        var index = 0
        while index < valueCount {
            // Words that have been there before, while they are small.
            let known = direct
            let end = UInt64(directCount)
            while index < valueCount && values[index] < end {
                let number = known[Int(truncatingIfNeeded: values[index])]
                if number == 0 { break }
                out[index] = number &- 1
                index &+= 1
            }
            if index == valueCount { return }
            let value = values[index]
            out[index] = number(value)
            if value < UInt64(ParquetOutputDictionary.mostDirect) {
                note(Int(truncatingIfNeeded: value), out[index])
            }
            index &+= 1
            // Large words often stand together.
            while index < valueCount && values[index] == value && value >= end {
                out[index] = out[index &- 1]
                index &+= 1
            }
        }
    }

    private func note(_ word: Int, _ number: UInt32) {
        if word >= directCount {
            var larger = max(directCount, 256)
            while larger <= word { larger *= 2 }
            let fresh = UnsafeMutablePointer<UInt32>.allocate(capacity: larger)
            memcpy(fresh, direct, 4 * directCount)
            (fresh + directCount).initialize(repeating: 0, count: larger - directCount)
            direct.deallocate()
            direct = fresh
            directCount = larger
        }
        direct[word] = number &+ 1
    }

    @inline(__always)
    private func number(_ value: UInt64) -> UInt32 {
        let mask = slotCount &- 1
        var place = Int(truncatingIfNeeded: ParquetOutputDictionary.hash(value)) & mask
        while slots[place] != 0 {
            let entry = slots[place] &- 1
            if words[Int(entry)] == value { return entry }
            place = (place &+ 1) & mask
        }
        words[count] = value
        return add(entryBytes, place)
    }

    func number(_ values: UnsafePointer<StringView>, _ valueCount: Int, _ out: UnsafeMutablePointer<UInt32>) throws {
        for index in 0..<valueCount {
            let view = values[index]
            let mask = slotCount &- 1
            var place = Int(truncatingIfNeeded: view.hash) & mask
            while slots[place] != 0 && !StringView.equal(views[Int(slots[place] &- 1)], view) {
                place = (place &+ 1) & mask
            }
            if slots[place] != 0 {
                out[index] = slots[place] &- 1
                continue
            }
            views[count] = try arena.copy(view.bytes)
            out[index] = add(entryBytes &+ Int(view.count), place)
        }
    }

    private func add(_ bytes: Int, _ place: Int) -> UInt32 {
        count += 1
        plainBytes += bytes
        slots[place] = UInt32(truncatingIfNeeded: count)
        let number = slots[place] &- 1
        if count * 2 >= slotCount { grow() }
        return number
    }

    private static func hash(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }

    private func grow() {
        let larger = slotCount * 4
        slots.deallocate()
        slots = .allocate(capacity: larger)
        slots.initialize(repeating: 0, count: larger)
        slotCount = larger
        if holdsWords {
            let fresh = UnsafeMutablePointer<UInt64>.allocate(capacity: larger / 2)
            memcpy(fresh, words, 8 * count)
            words.deallocate()
            words = fresh
        } else {
            let fresh = UnsafeMutablePointer<StringView>.allocate(capacity: larger / 2)
            memcpy(fresh, views, 16 * count)
            views.deallocate()
            views = fresh
        }
        let mask = larger - 1
        for entry in 0..<count {
            let hash = holdsWords ? ParquetOutputDictionary.hash(words[entry]) : views[entry].hash
            var place = Int(truncatingIfNeeded: hash) & mask
            while slots[place] != 0 { place = (place + 1) & mask }
            slots[place] = UInt32(truncatingIfNeeded: entry + 1)
        }
    }
}
