import SQLTypes

/// Arrays and identifiers as catalogs write them.
enum CatalogArray {
    /// `{a,b}`.
    static func text(_ members: [[UInt8]]) -> [UInt8] { ArrayText.text(of: members) }
    static func text(_ members: [String]) -> [UInt8] { ArrayText.text(of: members.map { Array($0.utf8) }) }

    /// In double quotes where a bare name would not be read back as the same.
    static func quoted(_ name: String) -> String {
        var isPlain = name.utf8.first.map { !($0 >= 48 && $0 <= 57) && $0 != 36 } ?? false
        for byte in name.utf8 {
            let isWord = (byte >= 97 && byte <= 122) || (byte >= 48 && byte <= 57) || byte == 95 || byte >= 128
            if !isWord && byte != 36 { isPlain = false }
        }
        if isPlain { return name }
        var result = "\""
        for character in name { result += character == "\"" ? "\"\"" : String(character) }
        return result + "\""
    }

    /// The parts of a dotted name, quotes taken off, folded as identifiers are.
    static func nameParts(_ text: String) -> [String] {
        var parts: [String] = []
        var part = ""
        var isQuoted = false
        for character in text {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == "." && !isQuoted {
                parts.append(part.lowercased())
                part = ""
            } else if character != " " || isQuoted {
                part.append(character)
            }
        }
        parts.append(part.lowercased())
        return parts
    }
}
