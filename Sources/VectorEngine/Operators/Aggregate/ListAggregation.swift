import ColumnVectors
import Glibc
import QueryPlan
import SQLTypes

/// LISTAGG over collected values: texts in the order of other columns. Immutable, used by all workers at once.
struct ListAggregation: @unchecked Sendable {  // neither columns nor keys change any more
    private let columns: [ColumnBuffer]
    private let orderBy: [SortItem]
    private let separator: [UInt8]
    /// Rows that have a delimiter of their own write it before their value, unless they are the first.
    private let separators: UnsafeMutablePointer<StringView>?
    private let separatorColumn: ColumnBuffer?
    private let isDistinct: Bool
    /// Numbers in the order of the first sort key; equal ones leave it open unless they are all that counts.
    private let keys: TableMemory?
    private let keysDecide: Bool
    private static let limit = 65_535

    enum Separator {
        case constant([UInt8])
        /// Each row has its own.
        case lastColumn
    }

    /// - Parameter columns: the values, then the sort keys, then the delimiters of rows.
    init(_ call: AggregateCall, _ columns: [ColumnBuffer], separator: Separator, _ context: ExecutionContext) throws {
        self.columns = columns
        switch separator {
        case .constant(let bytes):
            self.separator = bytes
            separatorColumn = nil
        case .lastColumn:
            self.separator = []
            separatorColumn = columns.last
        }
        separators = separatorColumn?.values(as: StringView.self)
        orderBy = call.orderBy
        isDistinct = call.distinct
        guard let item = orderBy.first, columns.count > 1 else {
            (keys, keysDecide) = (nil, false)
            return
        }
        let column = columns[1]
        let memory = try TableMemory(context, bytes: column.count * 8 + 64)
        defer { withExtendedLifetime(memory) {} }
        let isExact = ListAggregation.fill(memory.values(UInt64.self), column, item)
        keys = memory
        keysDecide = isExact && orderBy.count == 1
    }

    /// - Parameter entries: rows of the columns; their order changes.
    func list(_ entries: UnsafeMutableBufferPointer<UInt32>) throws -> Datum {
        if entries.count > 1 { sort(entries) }
        let views = columns[0].values(as: StringView.self)
        if isDistinct { return try distinctList(entries, views) }
        var bytes = 0, texts = 0
        for entry in entries where views[Int(entry)].count > 0 {
            bytes += Int(views[Int(entry)].count)
            if texts > 0, let separators { bytes += length(ofSeparator: Int(entry), separators) }
            texts += 1
        }
        if texts == 0 { return .null }
        let total = bytes + (texts - 1) * separator.count
        guard total <= ListAggregation.limit else { throw tooLong }
        return .string(
            [UInt8](unsafeUninitializedCapacity: total) { target, count in
                count = write(entries, views, target)
            })
    }

    /// NULL separates by nothing.
    private func length(ofSeparator row: Int, _ separators: UnsafeMutablePointer<StringView>) -> Int {
        if let validity = separatorColumn?.validity, validity[row] == 0 { return 0 }
        return Int(separators[row].count)
    }

    private func write(
        _ entries: UnsafeMutableBufferPointer<UInt32>, _ views: UnsafeMutablePointer<StringView>,
        _ target: UnsafeMutableBufferPointer<UInt8>
    ) -> Int {
        guard let base = target.baseAddress else { return 0 }
        var place = 0
        for entry in entries where views[Int(entry)].count > 0 {
            let view = views[Int(entry)]
            if place > 0 {
                for byte in separator {
                    base[place] = byte
                    place &+= 1
                }
                if let separators {
                    let count = length(ofSeparator: Int(entry), separators)
                    if count > 0 { memcpy(base + place, separators[Int(entry)].pointer, count) }
                    place &+= count
                }
            }
            memcpy(base + place, view.pointer, Int(view.count))
            place &+= Int(view.count)
        }
        return place
    }

    private func distinctList(
        _ entries: UnsafeMutableBufferPointer<UInt32>, _ views: UnsafeMutablePointer<StringView>
    ) throws -> Datum {
        var seen = Set<[UInt8]>()
        var text: [UInt8] = []
        for entry in entries {
            let view = views[Int(entry)]
            if view.count == 0 { continue }
            var key = Array(view.trimmed.bytes)
            var between = separator
            if let separators {
                let count = length(ofSeparator: Int(entry), separators)
                between = Array(separators[Int(entry)].bytes.prefix(count))
                // Different delimiters make different entries; no text has the byte that parts the two.
                key += [0] + between
            }
            if !seen.insert(key).inserted { continue }
            if seen.count > 1 { text.append(contentsOf: between) }
            text.append(contentsOf: view.bytes)
            guard text.count <= ListAggregation.limit else { throw tooLong }
        }
        return seen.isEmpty ? .null : .string(text)
    }

    private var tooLong: SQLError { SQLError(.limitExceeded, "Result size exceeds LISTAGG limit") }

    // MARK: Order

    private func sort(_ entries: UnsafeMutableBufferPointer<UInt32>) {
        guard let keys else { return }
        let values = keys.values(UInt64.self)
        var entries = entries
        if keysDecide {
            // Rows come in some order already, often in this one.
            var isSorted = true
            for i in 1..<entries.count where values[Int(entries[i])] < values[Int(entries[i - 1])] { isSorted = false }
            if isSorted { return }
            entries.sort { left, right in
                let (a, b) = (values[Int(left)], values[Int(right)])
                return a < b || (a == b && left < right)
            }
            return
        }
        entries.sort { left, right in
            let (a, b) = (values[Int(left)], values[Int(right)])
            return a != b ? a < b : isBefore(left, right)
        }
    }

    private func isBefore(_ left: UInt32, _ right: UInt32) -> Bool {
        for (index, item) in orderBy.enumerated() {
            let order = compareRows(columns[index + 1], Int(left), Int(right), item, item.expression.type)
            if order != 0 { return order < 0 }
        }
        return left < right
    }

    /// Whether different values have different keys.
    private static func fill(_ keys: UnsafeMutablePointer<UInt64>, _ column: ColumnBuffer, _ item: SortItem) -> Bool {
        var isExact = true
        switch column.physical {
        case .uint8: fillIntegers(keys, column, UInt8.self)
        case .uint16: fillIntegers(keys, column, UInt16.self)
        case .int32: fillIntegers(keys, column, Int32.self)
        case .int64: fillIntegers(keys, column, Int64.self)
        case .int128, .float64:
            // Rare as order of a list: the comparison of values decides.
            for row in 0..<column.count { keys[row] = 0 }
            isExact = false
        case .string:
            fillPrefixes(keys, column)
            isExact = false
        }
        if item.descending { for row in 0..<column.count { keys[row] = ~keys[row] } }
        guard let validity = column.validity else { return isExact }
        for row in 0..<column.count where validity[row] == 0 { keys[row] = item.nullsFirst ? 0 : .max }
        return false
    }

    private static func fillIntegers<Value: FixedWidthInteger>(
        _ keys: UnsafeMutablePointer<UInt64>, _ column: ColumnBuffer, _: Value.Type
    ) {
        let values = column.values(as: Value.self)
        for row in 0..<column.count {
            keys[row] = UInt64(bitPattern: Int64(truncatingIfNeeded: values[row])) ^ (1 << 63)
        }
    }

    /// The first bytes without trailing blanks, which do not count.
    private static func fillPrefixes(_ keys: UnsafeMutablePointer<UInt64>, _ column: ColumnBuffer) {
        let views = column.values(as: StringView.self)
        for row in 0..<column.count {
            let view = views[row].trimmed
            var key: UInt64 = 0
            for index in 0..<min(Int(view.count), 8) {
                key |= UInt64(view.pointer[index]) &<< UInt64(56 &- 8 &* index)
            }
            keys[row] = key
        }
    }
}
