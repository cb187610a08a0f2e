import SQLTypes

/// Delimited text: which character stands between fields, and whether the first record has the names.
struct DelimitedHead {
    let delimiter: UInt8
    let fieldCount: Int
    /// Names of the header; nil without one.
    private(set) var names: [String]?
    private static let delimiters: [UInt8] = [44, 9, 124, 59, 1]
    private static let mostRecords = 1_000

    init(_ head: FileHead, _ request: FileSurvey.Request) {
        var best: (share: Double, fields: Int, delimiter: UInt8, records: [[[UInt8]]])?
        for delimiter in request.delimiter.map({ [$0] }) ?? DelimitedHead.delimiters {
            let records = DelimitedHead.records(head, delimiter)
            var counts: [Int: Int] = [:]
            for record in records { counts[record.count, default: 0] += 1 }
            guard let usual = counts.max(by: { ($0.value, $0.key) < ($1.value, $1.key) }) else { continue }
            // A character that is in no record says nothing.
            let share = usual.key == 1 ? 0 : Double(usual.value) / Double(records.count)
            if best == nil || (share, usual.key) > (best?.share ?? 0, best?.fields ?? 0) {
                best = (share, usual.key, delimiter, records)
            }
        }
        delimiter = best?.delimiter ?? 44
        fieldCount = max(best?.fields ?? 1, 1)
        let records = (best?.records ?? []).filter { $0.count == best?.fields }
        if request.hasHeader ?? DelimitedHead.hasHeader(records), let first = records.first {
            names = first.map { String(decoding: $0, as: UTF8.self) }
        }
    }

    /// By CSV's rules for quotes. The last one may be cut and does not count, unless the text is whole.
    private static func records(_ head: FileHead, _ delimiter: UInt8) -> [[[UInt8]]] {
        var records: [[[UInt8]]] = [], record: [[UInt8]] = [], field: [UInt8] = []
        var isQuoted = false, index = 0
        let text = head.text
        func end() {
            record.append(field)
            field = []
            if record.count > 1 || !(record.first?.isEmpty ?? true) { records.append(record) }
            record = []
        }
        while index < text.count, records.count < mostRecords {
            let byte = text[index]
            index += 1
            if isQuoted {
                if byte != 34 {
                    field.append(byte)
                } else if index < text.count, text[index] == 34 {
                    field.append(34)
                    index += 1
                } else {
                    isQuoted = false
                }
            } else if byte == 34, field.isEmpty {
                isQuoted = true
            } else if byte == delimiter {
                record.append(field)
                field = []
            } else if byte == 10 {
                if field.last == 13 { field.removeLast() }
                end()
            } else {
                field.append(byte)
            }
        }
        if head.isWhole, index == text.count, !field.isEmpty || !record.isEmpty { end() }
        return records
    }

    /// None is a number or a date, and none comes back below. Where all columns are text they must look like names,
    /// each another one.
    private static func hasHeader(_ records: [[[UInt8]]]) -> Bool {
        guard let first = records.first, first.allSatisfy({ !$0.isEmpty }), !first.contains(where: isValue) else {
            return false
        }
        let areNames = first.allSatisfy(isName) && Set(first).count == first.count
        if records.count == 1 { return first.count > 1 && areNames }
        var hasTyped = false
        for (index, name) in first.enumerated() {
            let below = records.dropFirst().map { $0[index] }
            let values = below.filter { !$0.isEmpty }
            if !values.isEmpty, values.allSatisfy(isValue) { hasTyped = true }
            if below.contains(name) { return false }
        }
        return hasTyped || areNames
    }

    /// A number, a date or a time stamp.
    private static func isValue(_ field: [UInt8]) -> Bool {
        field.withUnsafeBufferPointer { bytes in
            if NumberShape(bytes) != nil { return true }
            let moment = MomentShape(bytes)
            return !moment.dateForms.isEmpty || moment.isTimestamp || moment.isInstant
        }
    }

    private static func isName(_ field: [UInt8]) -> Bool {
        field.count <= 63
            && field.allSatisfy { byte in
                byte >= 128 || NumberShape.digit(byte) != nil
                    || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 32)
                    || [32, 35, 37, 40, 41, 45, 46, 47, 95].contains(byte)
            }
    }
}
