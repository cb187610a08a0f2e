/// Names of columns, made from what stands in files.
struct ColumnNaming {
    private var used: Set<String> = []
    /// Of names that have come before: the number to try next.
    private var numbers: [String: Int] = [:]
    /// Redshift's limit.
    private static let longestBytes = 127

    /// Lower case, letters, digits and underscores; unique among those that were made before.
    mutating func name(_ text: String, place: Int) -> String {
        var result = ""
        for character in text.unicodeScalars {
            let isPlain =
                character.isASCII
                ? character.properties.isAlphabetic || (48...57).contains(character.value)
                : character.properties.isAlphabetic
            if isPlain {
                result += character.properties.lowercaseMapping
            } else if !result.hasSuffix("_") {
                result += "_"
            }
        }
        while result.hasSuffix("_") { result.removeLast() }
        while result.hasPrefix("_") { result.removeFirst() }
        if let first = result.utf8.first, NumberShape.digit(first) != nil { result = "_" + result }
        return unique(result.isEmpty ? "column\(place + 1)" : result)
    }

    /// - Parameter name: stays as it is if it is new.
    mutating func unique(_ name: String) -> String {
        var name = name
        // By scalars: a single character may be longer than a name.
        while name.utf8.count > ColumnNaming.longestBytes { name.unicodeScalars.removeLast() }
        var candidate = name
        var number = numbers[name] ?? 2
        defer { numbers[name] = number }
        while !used.insert(candidate).inserted {
            var stem = name
            let suffix = "_\(number)"
            while stem.utf8.count + suffix.utf8.count > ColumnNaming.longestBytes { stem.unicodeScalars.removeLast() }
            candidate = stem + suffix
            number += 1
        }
        return candidate
    }
}

extension ColumnNaming {
    /// Capital ASCII letters made small, as names of columns are compared with those of members.
    static func folded(_ name: String) -> String {
        String(decoding: name.utf8.map { (65...90).contains($0) ? $0 | 32 : $0 }, as: UTF8.self)
    }
}
