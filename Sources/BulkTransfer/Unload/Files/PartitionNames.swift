import ColumnVectors
import Glibc
import SQLTypes

/// Names of the folders of PARTITION BY, as Hive writes them: `column=value/`. Confined to one thread at a time.
final class PartitionNames {
    private static let defaultPartition = Array("__HIVE_DEFAULT_PARTITION__".utf8)
    private let prefixes: [[UInt8]]
    private let columns: [ColumnText]

    /// - Parameter rows: that are named at once at most.
    init(_ columns: [OutputColumn], _ style: ValueStyle, rows: Int) {
        var format = TextOutput(.delimited, style: style)
        format.nullAs = PartitionNames.defaultPartition
        prefixes = columns.map { PartitionNames.escaped(Array($0.name.utf8)) + [UInt8(ascii: "=")] }
        self.columns = columns.enumerated().map { ColumnText(format, $1, at: $0, rows: rows) }
    }

    func fill(_ buffers: [ColumnBuffer], _ rows: Range<Int>) throws {
        for (column, buffer) in zip(columns, buffers) { _ = try column.fill(buffer, rows) }
    }

    /// Two rows of one partition.
    func isSame(_ first: Int, _ second: Int) -> Bool {
        for column in columns {
            let one = column.texts[first], other = column.texts[second]
            if one.count != other.count || memcmp(one.start, other.start, one.count) != 0 { return false }
        }
        return true
    }

    /// Different for different partitions: texts hold no NUL.
    func key(_ row: Int) -> [UInt8] {
        var key: [UInt8] = []
        for column in columns {
            key += value(column.texts[row])
            key.append(0)
        }
        return key
    }

    func folder(_ row: Int) -> String {
        var folder: [UInt8] = []
        for (prefix, column) in zip(prefixes, columns) {
            folder += prefix + PartitionNames.escaped(value(column.texts[row]))
            folder.append(UInt8(ascii: "/"))
        }
        return String(decoding: folder, as: UTF8.self)
    }

    /// No folder has an empty value: those are where NULL is.
    private func value(_ text: FieldText) -> [UInt8] {
        if text.count == 0 { return PartitionNames.defaultPartition }
        return Array(UnsafeBufferPointer(start: text.start, count: text.count))
    }

    /// What means something in paths stands as %XX.
    private static func escaped(_ text: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        for byte in text {
            if byte < 0x20 || byte == 0x7F || special.contains(byte) {
                result.append(UInt8(ascii: "%"))
                for digit in [byte >> 4, byte & 15] { result.append(digit < 10 ? 48 + digit : 55 + digit) }
            } else {
                result.append(byte)
            }
        }
        return result
    }
    private static let special = Set("\"#%'*/:=?\\{[]^".utf8)
}
