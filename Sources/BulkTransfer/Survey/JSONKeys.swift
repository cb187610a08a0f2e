/// The members of the first records of a JSON file, in the order in which they come.
struct JSONKeys {
    private(set) var keys: [String] = []
    private(set) var isDamaged = false
    private static let mostRecords = 10_000

    init(_ head: FileHead) {
        var known: Set<String> = []
        for record in JSONKeys.records(head.text).prefix(JSONKeys.mostRecords) {
            guard case .object(let members)? = JSONKeys.value(record) else {
                isDamaged = true
                continue
            }
            for member in members where known.insert(member.key).inserted { keys.append(member.key) }
        }
    }

    private static func value(_ record: ArraySlice<UInt8>) -> JSONValue? {
        do { return try JSONDocument.parse(Array(record), "") } catch { return nil }
    }

    /// From each bracket of the first level to the one that closes it.
    private static func records(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
        var records: [ArraySlice<UInt8>] = []
        var depth = 0, start = 0, index = 0
        var isString = false
        while index < text.count {
            let byte = text[index]
            if isString {
                if byte == UInt8(ascii: "\\") { index += 1 }
                if byte == UInt8(ascii: "\"") { isString = false }
            } else {
                switch byte {
                case UInt8(ascii: "\""): isString = true
                case UInt8(ascii: "{"), UInt8(ascii: "["):
                    if depth == 0 { start = index }
                    depth += 1
                case UInt8(ascii: "}"), UInt8(ascii: "]"):
                    depth -= 1
                    if depth == 0 { records.append(text[start...index]) }
                    if depth < 0 { return records }
                default: break
                }
            }
            index += 1
        }
        return records
    }
}
