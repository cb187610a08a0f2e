import ColumnVectors

/// The merged ordered dictionary of one string column over all parts of a table snapshot.
package final class UnifiedDictionary: @unchecked Sendable {  // immutable after init
    package let dictionary: TextDictionary
    private let remaps: [PartID: UnsafeMutablePointer<UInt16>]
    /// Knows the parts that are not in `remaps`.
    private let base: UnifiedDictionary?

    /// nil when some part has no dictionary, or together they have too many entries.
    init?(parts: [Part], column: Int) {
        var dictionaries: [(PartID, TextDictionary)] = []
        for part in parts {
            guard let dictionary = part.dictionary(column: column) else { return nil }
            dictionaries.append((part.id, dictionary))
        }
        var distinct: [ObjectIdentifier: TextDictionary] = [:]
        for (_, dictionary) in dictionaries { distinct[ObjectIdentifier(dictionary)] = dictionary }
        var merged: [StringView] = []
        for dictionary in distinct.values {
            merged = UnifiedDictionary.merge(merged, dictionary)
            if merged.count > StorageLimits.dictionaryEntries { return nil }
        }
        self.dictionary = TextDictionary(orderedDistinct: merged)
        var remaps: [PartID: UnsafeMutablePointer<UInt16>] = [:]
        for (part, dictionary) in dictionaries where dictionary.count != merged.count {
            remaps[part] = UnifiedDictionary.map(dictionary, to: self.dictionary)
        }
        self.remaps = remaps
        base = nil
    }

    /// A dictionary that holds the strings of further parts too; nil when they have others.
    init?(base: UnifiedDictionary?, more parts: [Part], column: Int) {
        guard let base else { return nil }
        var remaps: [PartID: UnsafeMutablePointer<UInt16>] = [:]
        var fits = true
        for part in parts {
            guard let dictionary = part.dictionary(column: column), base.holds(dictionary) else {
                fits = false
                break
            }
            if dictionary.count != base.dictionary.count {
                remaps[part.id] = UnifiedDictionary.map(dictionary, to: base.dictionary)
            }
        }
        self.base = base
        dictionary = base.dictionary
        self.remaps = remaps
        if !fits { return nil }
    }

    private func holds(_ other: TextDictionary) -> Bool {
        (0..<other.count).allSatisfy { code in
            var low = 0
            var high = dictionary.count
            while low < high {
                let middle = (low + high) / 2
                if dictionaryOrder(dictionary.views[middle], other.views[code]) < 0 {
                    low = middle + 1
                } else {
                    high = middle
                }
            }
            return low < dictionary.count && dictionaryOrder(dictionary.views[low], other.views[code]) == 0
        }
    }

    deinit { for remap in remaps.values { remap.deallocate() } }

    /// Part code -> unified code; nil when the part's dictionary has the same entries.
    package func remap(part: Part) -> UnsafePointer<UInt16>? {
        remaps[part.id].map { UnsafePointer($0) } ?? base?.remap(part: part)
    }

    private static func merge(_ left: [StringView], _ right: TextDictionary) -> [StringView] {
        var result: [StringView] = []
        result.reserveCapacity(left.count + right.count)
        var i = 0
        var j = 0
        while i < left.count && j < right.count {
            let order = dictionaryOrder(left[i], right.views[j])
            result.append(order <= 0 ? left[i] : right.views[j])
            if order <= 0 { i += 1 }
            if order >= 0 { j += 1 }
        }
        result.append(contentsOf: left[i...])
        while j < right.count {
            result.append(right.views[j])
            j += 1
        }
        return result
    }

    private static func map(_ part: TextDictionary, to unified: TextDictionary) -> UnsafeMutablePointer<UInt16> {
        let codes = UnsafeMutablePointer<UInt16>.allocate(capacity: max(part.count, 1) + 8)
        codes.initialize(repeating: 0, count: max(part.count, 1) + 8)
        var place = 0
        for code in 0..<part.count {
            while place < unified.count - 1 && dictionaryOrder(unified.views[place], part.views[code]) < 0 {
                place += 1
            }
            codes[code] = UInt16(truncatingIfNeeded: place)
        }
        return codes
    }
}

/// The order of dictionaries: SQL's, which ignores trailing blanks, then by length so that every spelling has its
/// place.
@inline(__always)
func dictionaryOrder(_ left: StringView, _ right: StringView) -> Int {
    let order = StringView.compareTrimmed(left, right)
    return order != 0 ? order : Int(left.count) - Int(right.count)
}
