/// Arrays in their text form: `{a,b}`, whose subscripts begin at 1, or `a b` (vectors of catalogs), where they begin
/// at 0. Of one dimension.
package enum ArrayText {
    /// The text of an array; members that need it are quoted.
    package static func text(of members: [[UInt8]?]) -> [UInt8] {
        var result: [UInt8] = [UInt8(ascii: "{")]
        for (index, member) in members.enumerated() {
            if index > 0 { result.append(UInt8(ascii: ",")) }
            guard let member else {
                result += nullWord
                continue
            }
            let isPlain = !member.isEmpty && !member.contains { "{},\"\\ \t\n\r".utf8.contains($0) }
            if isPlain && !isNull(member) {
                result += member
                continue
            }
            result.append(UInt8(ascii: "\""))
            for byte in member {
                if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { result.append(UInt8(ascii: "\\")) }
                result.append(byte)
            }
            result.append(UInt8(ascii: "\""))
        }
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// The members of an array's text; nil for NULL, which stands without quotes.
    package static func members(_ bytes: [UInt8]) -> [[UInt8]?] {
        guard bytes.first == UInt8(ascii: "{") else {
            return bytes.split(separator: UInt8(ascii: " ")).map(Array.init)
        }
        var result: [[UInt8]?] = []
        var member: [UInt8] = []
        var (isQuoted, isEscaped, hasQuotes) = (false, false, false)
        for byte in bytes.dropFirst() {
            if isEscaped {
                member.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
                hasQuotes = true
            } else if !isQuoted && (byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}")) {
                if hasQuotes || !member.isEmpty || byte == UInt8(ascii: ",") {
                    result.append(!hasQuotes && isNull(member) ? nil : member)
                }
                (member, hasQuotes) = ([], false)
                if byte == UInt8(ascii: "}") { break }
            } else if isQuoted || !isBlank(byte) || !member.isEmpty {
                member.append(byte)
            }
        }
        return result
    }

    package static let nullWord = Array("NULL".utf8)

    private static func isNull(_ member: [UInt8]) -> Bool {
        member.count == 4 && member.elementsEqual(nullWord) { $0 & 0xDF == $1 }
    }
    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (byte >= 9 && byte <= 13) }
}

/// Types of arrays that clients know, by `pg_type`'s oids: array and element.
package enum ArrayTypeID {
    private static let pairs: [(array: Int32, element: Int32)] = [
        (1000, 16), (1001, 17), (1002, 18), (1003, 19), (1005, 21), (1007, 23), (1009, 25), (1014, 1042),
        (1015, 1043), (1016, 20), (1021, 700), (1022, 701), (1028, 26), (1034, 1033), (1115, 1114), (1182, 1082),
        (1183, 1083), (1185, 1184), (1187, 1186), (1231, 1700), (1270, 1266), (22, 21), (30, 26),
    ]
    /// nil: not an array's.
    package static func element(of array: Int32) -> Int32? { pairs.first { $0.array == array }?.element }
    /// The array of such elements; of VARCHAR where there is none.
    package static func array(of element: SQLType) -> Int32 {
        pairs.first { $0.element == element.descriptor.oid }?.array ?? 1015
    }
    /// Vectors count their elements from 0.
    package static func lowerBound(of array: Int32) -> Int32 { array == 22 || array == 30 ? 0 : 1 }
}
