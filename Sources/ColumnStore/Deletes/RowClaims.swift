import Catalog
import Platform
import SQLTypes

/// Where a row is in one table snapshot: what a scan's hidden row-id column holds.
package enum RowID {
    /// - Parameter part: index into the slices' parts, one slice after the other.
    package static func make(part: Int, group: Int, row: Int) -> Int64 {
        Int64(part) << 32 | Int64(group) << 16 | Int64(row)
    }
}

/// Rows of one table snapshot that a statement changes, each claimed once. Any number of workers at once.
package final class RowClaims: @unchecked Sendable {  // guarded by `lock`
    package let table: TableSnapshot
    private let parts: [Part]
    private var deleted: [DeletedRows?]
    private let lock = Monitor()

    /// - Throws: where there is no memory to encode rows of the log.
    package init(_ table: TableSnapshot) throws {
        self.table = table
        parts = try table.slices.flatMap { $0 }
        deleted = [DeletedRows?](repeating: nil, count: parts.count)
    }

    /// Rows claimed so far.
    package var count: Int { lock.withLock { deleted.reduce(0) { $0 + ($1?.count ?? 0) } } }

    /// Claims rows by id, at most 65,536 at a time.
    ///
    /// - Parameter accepted: receives the positions in `ids` of the rows that nobody had claimed before.
    package func claim(_ ids: UnsafePointer<Int64>, _ count: Int, accepted: inout [UInt16]) throws {
        if count == 0 { return }
        let start = accepted.count
        accepted.append(contentsOf: repeatElement(0, count: count))
        var total = 0
        defer { accepted.removeLast(count - total) }
        try accepted.withUnsafeMutableBufferPointer { buffer in
            guard let target = buffer.baseAddress else { return }
            try lock.withLock {
                // Ids come in runs of one row group.
                var first = 0
                while first < count {
                    let place = ids[first] >> 16
                    var end = first + 1
                    while end < count && ids[end] >> 16 == place { end += 1 }
                    let part = Int(place >> 16), group = Int(place & 0xffff)
                    guard parts.indices.contains(part), group < parts[part].rowGroupCount,
                        let new = rows(ofPart: part).insert(
                            group: group, ids + first, end - first, first: first, accepted: target + start + total)
                    else { throw SQLError(.internalError, "row id out of range") }
                    total += new
                    first = end
                }
            }
        }
    }

    private func rows(ofPart part: Int) -> DeletedRows {
        if let known = deleted[part] { return known }
        let made = DeletedRows(groupRows: parts[part].groupRows)
        deleted[part] = made
        return made
    }

    /// What the commit deletes; the claims are over then.
    func take() -> [PartID: DeletedRows] {
        lock.withLock {
            var result: [PartID: DeletedRows] = [:]
            for (index, rows) in deleted.enumerated() {
                guard let rows else { continue }
                let part = parts[index]
                guard let origin = part.origin else {
                    result[part.id] = rows
                    continue
                }
                // Rows in the log go by their ordinals, whatever runs they are in now.
                let all = result[origin.delta] ?? DeletedRows(deltaRows: table.deltaRowCount(origin.delta))
                result[origin.delta] = all
                rows.forEachRow(group: 0) { row in
                    let ordinal = origin.firstRow + row
                    _ = all.insert(group: ordinal >> 16, row: ordinal & 0xffff)
                }
            }
            deleted = [DeletedRows?](repeating: nil, count: parts.count)
            return result
        }
    }
}

extension TableSnapshot {
    fileprivate func deltaRowCount(_ id: PartID) -> Int { deltas.first { $0.rows.id == id }?.count ?? 0 }
}

extension StoreChange {
    /// The claimed rows go.
    package mutating func delete(_ claims: RowClaims) {
        for (part, rows) in claims.take() {
            var parts = deleted[claims.table.definition.id] ?? [:]
            parts[part] = parts[part].map { DeletedRows($0, adding: rows, fileID: 0) } ?? rows
            deleted[claims.table.definition.id] = parts
        }
    }
}
