import Platform
import SQLTypes

/// Where a row is in one table snapshot: what a scan's hidden row-id column holds.
public enum RowID {
    /// - Parameter part: index into the slices' parts, one slice after the other.
    public static func make(part: Int, group: Int, row: Int) -> Int64 {
        Int64(part) << 32 | Int64(group) << 16 | Int64(row)
    }
}

/// Rows of one table snapshot that a statement changes, each claimed once. Any number of workers at once.
public final class RowClaims: @unchecked Sendable {  // guarded by `lock`
    public let table: TableSnapshot
    private let parts: [Part]
    private var deleted: [DeletedRows?]
    private let lock = Monitor()

    public init(_ table: TableSnapshot) {
        self.table = table
        parts = table.slices.flatMap { $0 }
        deleted = [DeletedRows?](repeating: nil, count: parts.count)
    }

    /// Rows claimed so far.
    public var count: Int { lock.withLock { deleted.reduce(0) { $0 + ($1?.count ?? 0) } } }

    /// Claims rows by id, at most 65,536 at a time.
    ///
    /// - Parameter accepted: receives the positions in `ids` of the rows that nobody had claimed before.
    public func claim(_ ids: UnsafePointer<Int64>, _ count: Int, accepted: inout [UInt16]) throws {
        try lock.withLock {
            for position in 0..<count {
                let id = ids[position]
                let part = Int(id >> 32), group = Int(id >> 16 & 0xffff), row = Int(id & 0xffff)
                guard parts.indices.contains(part), group < parts[part].rowGroupCount,
                    row < parts[part].rows(inGroup: group)
                else { throw SQLError(.internalError, "row id out of range") }
                let rows: DeletedRows
                if let known = deleted[part] {
                    rows = known
                } else {
                    rows = DeletedRows(groupRows: parts[part].groupRows)
                    deleted[part] = rows
                }
                if rows.insert(group: group, row: row) { accepted.append(UInt16(truncatingIfNeeded: position)) }
            }
        }
    }

    /// What the commit deletes; the claims are over then.
    func take() -> [PartID: DeletedRows] {
        lock.withLock {
            var result: [PartID: DeletedRows] = [:]
            for (index, rows) in deleted.enumerated() { if let rows { result[parts[index].id] = rows } }
            deleted = [DeletedRows?](repeating: nil, count: parts.count)
            return result
        }
    }
}

extension StoreChange {
    /// The claimed rows go.
    public mutating func delete(_ claims: RowClaims) {
        for (part, rows) in claims.take() {
            var parts = deleted[claims.table.definition.id] ?? [:]
            parts[part] = parts[part].map { DeletedRows($0, adding: rows, fileID: 0) } ?? rows
            deleted[claims.table.definition.id] = parts
        }
    }
}
