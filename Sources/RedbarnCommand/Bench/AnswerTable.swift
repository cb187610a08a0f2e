import SQLTypes

/// A reference answer: CSV with a heading, text quoted, NULL an empty unquoted field.
struct AnswerTable {
    private(set) var columns: [String] = []
    private(set) var rows: [[String?]] = []

    init(csv: String) throws {
        let bytes = Array(csv.utf8)
        var at = 0
        while at < bytes.count {
            let record = try AnswerTable.record(bytes, &at)
            if columns.isEmpty { columns = record.map { $0 ?? "" } } else { rows.append(record) }
        }
        guard rows.allSatisfy({ $0.count == columns.count }) else {
            throw SQLError(.dataException, "reference answer has rows of different widths")
        }
    }

    private static func record(_ bytes: [UInt8], _ at: inout Int) throws -> [String?] {
        var fields: [String?] = []
        while true {
            fields.append(field(bytes, &at))
            if at >= bytes.count { return fields }
            let separator = bytes[at]
            at += 1
            if separator == 13, at < bytes.count, bytes[at] == 10 { at += 1 }
            if separator != UInt8(ascii: ",") { return fields }
        }
    }

    private static func field(_ bytes: [UInt8], _ at: inout Int) -> String? {
        var text: [UInt8] = []
        guard at < bytes.count, bytes[at] == 34 else {
            while at < bytes.count, bytes[at] != UInt8(ascii: ","), bytes[at] != 10, bytes[at] != 13 {
                text.append(bytes[at])
                at += 1
            }
            return text.isEmpty ? nil : String(decoding: text, as: UTF8.self)
        }
        at += 1
        while at < bytes.count {
            if bytes[at] == 34 {
                guard at + 1 < bytes.count, bytes[at + 1] == 34 else { break }
                at += 1
            }
            text.append(bytes[at])
            at += 1
        }
        at += 1
        return String(decoding: text, as: UTF8.self)
    }
}
